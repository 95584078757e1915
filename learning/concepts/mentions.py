"""Where names are mentioned: in passages, and in single sentences."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from text.names import WORD, Key, make_name_key, word_key


class Mentions:
    """Finds names in texts by their keys. `aliases` maps the key of a synonym to that of its concept."""

    def __init__(self, keys: Iterable[Key], language: str, aliases: Mapping[Key, Key] | None = None) -> None:
        self._language = language
        self._by_first: defaultdict[str, list[tuple[Key, Key]]] = defaultdict(list)
        for key, meant in [*((key, key) for key in keys), *(aliases or {}).items()]:
            self._by_first[key[0]].append((key, meant))

    def count(self, text: str) -> Counter[Key]:
        """Return how often each name is mentioned, also as a part of a longer one."""
        words = make_word_keys(text, self._language)
        found: Counter[Key] = Counter()
        for place, word in enumerate(words):
            for key, meant in self._by_first.get(word, ()):
                if tuple(words[place : place + len(key)]) == key:
                    found[meant] += 1
        return found


def make_word_keys(text: str, language: str) -> list[str]:
    """Return the words of a text as keys have them."""
    return [word_key(word, language) for word in WORD.findall(unicodedata.normalize("NFKC", text))]


def is_inside(part: Key, whole: Key) -> bool:
    """Say whether one name is a part of another, such as "acceleration" of "average acceleration"."""
    return len(part) < len(whole) and any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )


def shares_words(name: str, text: str, language: str) -> float:
    """Return the share of the words of a name that a text has."""
    key, words = make_name_key(name, language), set(make_word_keys(text, language))
    return sum(word in words for word in key) / (len(key) or 1)
