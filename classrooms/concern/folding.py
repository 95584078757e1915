"""Words of a text in the form in which rules compare them: without capitals, accents and disguises.

Each regular expression is bounded or a single class of characters, so that no text takes long (see the tests).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_HIDDEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_APOSTROPHES = "'’‘`´ʼ"
_TOKEN = re.compile(rf"(?:[^\W_]|[*$@{_APOSTROPHES}{_HIDDEN}\u0300-\u036f])+")
_STRIP = f"*@{_APOSTROPHES}{_HIDDEN}"
_END = re.compile(r"(?<![.!?])[.!?]++(?=\s|$)|(?<![\n\r])[\n\r]++")
_ABBREVIATIONS = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "st",
        "hr",
        "fr",
        "nr",
        "str",
        "sr",
        "sra",
        "srta",
        "mme",
        "mlle",
        "prof",
        "bzw",
        "ca",
        "no",
    ]
)
_ELIDED = frozenset(["c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quelqu"])
_LEET = (str.maketrans("0134578@$", "oieastbas"), str.maketrans("0134578@$", "oleastbas"))
_LONG_RUN = re.compile(r"(.)\1\1+")
_LONGEST = 60  # characters of a word that are compared
_SPACED = frozenset(" .-*_")


@dataclass(frozen=True, slots=True)
class Word:
    """The word at `text[start:end]`. It matches a rule if one of its forms does; a form may have * for any letter."""

    start: int
    end: int
    forms: tuple[str, ...]


def fold(text: str) -> str:
    """Return a text in lower case without accents and invisible characters, ß as ss."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if letter not in _HIDDEN and not unicodedata.combining(letter))


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a text starts and ends. Dots in a row and abbreviations end none."""
    start = 0
    for end in _END.finditer(text):
        if len(end[0]) > 1 and set(end[0]) == {"."}:
            continue
        last = text[max(start, end.start() - 8) : end.start()].split()[-1:]
        if end[0] == "." and last and fold(last[0]) in _ABBREVIATIONS:
            continue
        if text[start : end.end()].strip():
            yield start, end.end()
        start = end.end()
    if text[start:].strip():
        yield start, len(text)


def words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Return the words of text[start:end] in order.

    “don't” is one word, dont; “j'ai” is two, j and ai. Letters with spaces or dots between them are one word.
    """
    raw = [_stripped(match) for match in _TOKEN.finditer(text, start, len(text) if end is None else end)]
    found: list[Word] = []
    for first, last, joined in _joined(text, [place for place in raw if place[0] < place[1]]):
        pieces = [(first, last)] if joined else list(_pieces(text, first, last))
        for begin, finish in pieces:
            part = text[begin:finish]
            spelled = "".join(part.split()) if joined else part
            if forms := _forms(spelled.translate(_NO_SEPARATORS) if joined else spelled):
                found.append(Word(begin, finish, forms))
    return found


_NO_SEPARATORS = str.maketrans("", "", "".join(_SPACED))


def _stripped(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span()
    text = match.string
    while start < end and text[start] in _STRIP:
        start += 1
    while end > start and (text[end - 1] in _STRIP or text[end - 1] == "$"):
        end -= 1
    return start, end


def _joined(text: str, raw: list[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """Yield places of words, three or more single letters in a row as one."""
    n = 0
    while n < len(raw):
        last = n
        if _is_letter(text, raw[n]):
            while last + 1 < len(raw) and _is_letter(text, raw[last + 1]) and _is_close(text, raw[last], raw[last + 1]):
                last += 1
        if last - n >= 2:
            yield raw[n][0], raw[last][1], True
            n = last + 1
        else:
            yield *raw[n], False
            n += 1


def _is_letter(text: str, place: tuple[int, int]) -> bool:
    return place[1] - place[0] == 1 and text[place[0]].isalpha()


def _is_close(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    return second[0] - first[1] == 1 and text[first[1]] in _SPACED


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a word's parts: French words that have lost a vowel stand alone."""
    for place in range(start, min(end, start + 8)):
        if text[place] in _APOSTROPHES:
            if fold(text[start:place]) in _ELIDED and end - place > 1:
                yield start, place
                yield place + 1, end
                return
            break
    yield start, end


def _forms(word: str) -> tuple[str, ...]:
    base = fold(word[:_LONGEST])
    for apostrophe in _APOSTROPHES:
        base = base.replace(apostrophe, "")
    forms = [base]
    if any(c.isalpha() for c in base):
        if any(c in "0134578@$" for c in base):
            forms += [base.translate(table) for table in _LEET]
        if _LONG_RUN.search(base):
            forms += [_LONG_RUN.sub(kept, form) for form in tuple(forms) for kept in (r"\1\1", r"\1")]
    return tuple(dict.fromkeys(form for form in forms if form))
