"""One concept for variants of a name: abbreviations and other words for it, and the form in which it is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from learning.concepts.candidates import Candidate, ConceptCandidates
from learning.concepts.statements import Statement
from text.names import WORD, Key, make_name_key

MAX_SYNONYMS = 5

_LAWS = {"law", "principle", "theorem", "rule", "gesetz", "satz", "prinzip", "loi", "principe", "théorème"} | {
    "ley",
    "principio",
    "teorema",
}
_OF = {"of", "von", "vom", "des", "der", "de", "du", "d", "del"}


def merge_candidates(candidates: ConceptCandidates, language: str) -> dict[Key, Candidate]:
    """Return candidates by key; one that another names as its synonym is taken over by that one."""
    found = candidates.by_key
    for longer in list(found):
        for shorter in _shorter(longer):
            if (
                shorter in found
                and found[longer].definitions
                and not (longer[0] in _LAWS and found[shorter].definitions)
            ):
                found[longer].absorb(found.pop(shorter))
    _merge_reordered(found)
    for key in sorted(found, key=lambda key: (-len(key), key)):
        one = found.get(key)
        if one is None or not one.definitions:
            continue
        for synonym in list(one.synonyms):
            other = found.get(make_name_key(synonym, language))
            if other and other is not one and len(other.definitions) <= len(one.definitions):
                one.absorb(found.pop(other.key))
    return found


def _merge_reordered(found: dict[Key, Candidate]) -> None:
    """Merge names of the same words, such as "law of universal gravitation" and "universal law of gravitation"."""
    first: dict[Key, Key] = {}
    for key in [key for key, one in found.items() if len(key) > 3 and one.definitions]:
        other = first.setdefault(tuple(sorted(key)), key)
        if other != key:
            found[other].absorb(found.pop(key))


def _shorter(key: Key) -> list[Key]:
    """Return "conservation of momentum" for the law of it, and "Newton's second law" for that of motion."""
    lawful = [place for place, word in enumerate(key) if word in _LAWS]
    if not lawful or len(key) < 4:
        return []
    place = lawful[0]
    if place == 0 and key[1] in _OF:
        return [key[2:]]
    return [key[: place + 1]] if place >= 2 and key[place + 1 : place + 2] and key[place + 1] in _OF else []


def written_words(statements: Iterable[Statement]) -> Counter[str]:
    """Count the words of all statements as written, but for those that begin one."""
    return Counter(word for statement in statements for word in WORD.findall(statement.text)[1:])


def display_name(candidate: Candidate, written: Counter[str], language: str) -> str:
    """Return the name as it stands within sentences: singular where that occurs, and without a capital that a heading
    or the start of a sentence gave it."""
    forms: Counter[str] = Counter()
    for named, in_title in ((candidate.forms, False), (candidate.titles, True)):
        for form, count in named.items():
            if make_name_key(form, language) == candidate.key and not (in_title and forms):
                forms[form if language.startswith("de") else _in_sentence(form, written, in_title)] += count
    return max(forms, key=lambda form: (_is_singular(form, candidate.key), forms[form], form))


def list_synonyms(candidate: Candidate, name: str, language: str) -> tuple[str, ...]:
    """Return other words for a concept, the commonest first; another number or case of its name is none."""
    named = [
        *candidate.synonyms,
        *(form for form in candidate.forms + candidate.titles if make_name_key(form, language) != candidate.key),
    ]
    others = {
        make_name_key(one, language): one for one in reversed(named) if make_name_key(one, language) != candidate.key
    }
    return tuple(sorted((one for one in others.values() if one != name), key=named.index)[:MAX_SYNONYMS])


def _in_sentence(form: str, written: Counter[str], in_title: bool) -> str:
    """Lower the first letter of the first word, in a heading of each, if sentences write it so more often.

    Where they write it neither way it stays as it is, but for the first of several words, as in "Periodic motion". A
    first word before another capital is a part of a proper name.
    """
    words = form.split()
    for place, word in enumerate(words[:1] if not in_title else words):
        lower = word[:1].lower() + word[1:]
        unknown = not (written[lower] or written[word])
        is_proper = not in_title and any(other[:1].isupper() for other in words[1:2])
        is_first = len(words) > 1 and not in_title and not word.endswith(("'s", "’s"))
        is_common = is_first if unknown else written[lower] >= written[word]
        if word[1:].islower() and is_common and not is_proper:
            words[place] = lower
    return " ".join(words)


def _is_singular(form: str, key: Key) -> bool:
    return tuple(word.casefold().replace("’", "'") for word in WORD.findall(form)) == key
