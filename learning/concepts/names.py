"""Which words can be the term of a concept, how it is written, and where names are mentioned."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from text.function_words import function_words
from text.names import MAX_WORDS, WORD, Key, strip_article, word_key
from text.sections import is_label

MAX_SYNONYMS = 5
_WITH_SHORT_FORM = re.compile(r"(?P<name>[^()]+) \((?P<short>[^()]{2,12})\)")


def is_term(name: str, language: str) -> bool:
    """Say whether words that an author marked can be a term: a few words, none a label, a number or emphasis."""
    words = [word.casefold() for word in WORD.findall(name)]
    if not words or len(words) > MAX_WORDS + 2 or is_label(name) or re.search(r"[$=+<>|;\\?!:]|https?", name):
        return False
    if len(name) < 2 or not any(sign.isalpha() for sign in name) or name[0].isdigit():
        return False
    little = function_words(language)
    if words[0] in little or words[-1] in little:
        return False
    return len(words) > 1 or (len(words[0]) > 2 or name.isupper())


def split_short_form(name: str) -> tuple[str, str]:
    """Return a name without its article and the short form after it: of "the acid (DNA)", "acid" and "DNA"."""
    found = _WITH_SHORT_FORM.fullmatch(name.strip())
    return (strip_article(found["name"]), found["short"]) if found else (strip_article(name), "")


def choose_form(forms: Iterable[str], words: Counter[str], key: Key, language: str) -> str:
    """Return the form in which a name is shown: in the singular where that occurs, and without a capital that only a
    heading or the start of a sentence gave it. `words` counts the words within sentences."""
    found = Counter(forms)
    form = max(found, key=lambda form: (_is_singular(form, key), found[form], form))
    if language.startswith("de"):
        return form
    shown = form.split()
    for place, word in enumerate(shown):
        lower = word[:1].lower() + word[1:]
        is_unknown = not words[lower] and not words[word]
        is_common = words[lower] > (0 if place == 0 else words[word])
        is_first = place == 0 and is_unknown and len(shown) > 1 and not shown[1][:1].isupper()
        if word[1:].islower() and (is_common or is_first):
            shown[place] = lower
    return " ".join(shown)


def _is_singular(form: str, key: Key) -> bool:
    return tuple(word.casefold().replace("’", "'") for word in WORD.findall(form)) == key


class Mentions:
    """Finds names in texts by their keys. `aliases` maps the key of a synonym to that of its concept."""

    def __init__(self, keys: Iterable[Key], language: str, aliases: Mapping[Key, Key] | None = None) -> None:
        self._language = language
        self._by_first: defaultdict[str, list[tuple[Key, Key]]] = defaultdict(list)
        for key, meant in [*((key, key) for key in keys), *(aliases or {}).items()]:
            self._by_first[key[0]].append((key, meant))

    def count(self, text: str) -> Counter[Key]:
        words = [word_key(word, self._language) for word in WORD.findall(unicodedata.normalize("NFKC", text))]
        found: Counter[Key] = Counter()
        for place, word in enumerate(words):
            for key, meant in self._by_first.get(word, ()):
                if tuple(words[place : place + len(key)]) == key:
                    found[meant] += 1
        return found
