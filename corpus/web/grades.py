"""The grades that a document is for, read from free text. Pure."""

from __future__ import annotations

import re

_RANGE = re.compile(r"(\d{1,2})\s*(?:-|–|—|to|until)\s*(?:(?:years?|grades?)\s*)?(\d{1,2})(?!\d)")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = {"to", "until", "and", "or", "all"}


def covers(text: str, grade: str) -> bool:
    """Whether a document with the grade `text` is for `grade`: "Years 7 to 11" is for "Year 9", not for "Year 1".

    If one of the two has no number, all words of `grade` must be in `text`.
    """
    text, grade = text.casefold(), grade.casefold()
    if text == grade:
        return True
    named, wanted = _words(text), _words(grade)
    numbers = _numbers(grade)
    if not numbers:
        return bool(wanted) and wanted <= named
    return numbers <= _numbers(text) and (not named or not wanted or bool(wanted & named))


def _numbers(text: str) -> set[int]:
    found = {int(number) for number in _NUMBER.findall(text)}
    for first, last in _RANGE.findall(text):
        found |= set(range(int(first), int(last) + 1))
    return found


def _words(text: str) -> set[str]:
    """The words without a final s, so that "Years" equals "Year"."""
    return {word.removesuffix("s") for word in _WORD.findall(text)} - _BETWEEN
