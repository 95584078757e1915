"""Which words of a text are negated, by the words around "not" and its like."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from text.function_words import content_stems, function_words
from text.words import read_words

_BEFORE, _AFTER = 3, 4
"""Words around a negation, within its clause, that it may negate."""

_COMPARING = frozenset({"than", "als", "que", "only", "just", "nur", "bloß", "seulement", "solo", "sólo", "solamente"})
"""What follows where a limit is set, or more is added, and nothing denied: "not more than", "not only"."""

_CONDITIONS = frozenset({"until", "before", "bevor", "avant", "antes", "without", "ohne", "sans", "sin"})
"""What follows where something holds from then on or with that: "not until eight", "not without permission"."""

_NUMERO = re.compile(r"\b[Nn]o\.\s*(?=\d)")

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(r"[,;:.!?()\n]+(?!\d)|\b(?:but|aber|sondern|mais|pero|sino)\b", re.IGNORECASE)


Negations = list[tuple[set[str], set[str]]]


@lru_cache(maxsize=1000)
def find_negated(text: str, language: str) -> Negations:
    """Return of each negation the stem of the word that it negates first, and the stems of all that it may negate."""
    text = _NUMERO.sub("", text)
    pattern, found = compile_negation(language), Negations()
    for clause in _CLAUSE.split(text) if pattern.search(text) else ():
        words = _WORD.findall(clause)
        for place, word in enumerate(words):
            if pattern.search(word) and not _COMPARING.intersection(words[place + 1 : place + 3]):
                before, after = words[max(0, place - _BEFORE) : place], words[place + 1 : place + 1 + _AFTER]
                if _CONDITIONS.intersection(after):
                    break
                content = [one for one in (*after, *reversed(before)) if one.lower() not in function_words(language)]
                first, around = " ".join(content[:1]), " ".join(before + after)
                found.append((content_stems(first, language), content_stems(around, language)))
    return found


def negates_all(one: Negations, other: Negations) -> bool:
    """Say whether one negates all that the other does: “no nucleus or mitochondria” is “no … and no …”."""
    return all(any(first <= around for _, around in one) for first, _ in other)


@cache
def compile_negation(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that negate in a language code."""
    words = "|".join(read_words(language)["negation"])
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])|n['’]t(?!\w)", re.IGNORECASE)
