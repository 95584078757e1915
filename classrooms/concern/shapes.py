"""What no list of words can name: telephone numbers, addresses of e-mail, dates, names of accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

NAMES = frozenset(["number", "year", "date", "phone", "digits", "card", "iban", "email", "handle", "postcode", "name"])
"""The classes that rules may use without defining them, as @phone."""

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,30}){1,3}")
_NUMBERS = re.compile(r"(?<![\w.,])\+?\(?\d[\d ()/.\-–]{1,28}\d(?!\w)")
_DATE = re.compile(r"\d{1,2}([./-]) ?\d{1,2}\1 ?(?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2}")
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){3,7}(?: ?[A-Za-z0-9]{1,3})?(?!\w)")
_HANDLE = re.compile(r"(?<![\w.@])(?:@[\w.]{2,40}|[A-Za-z0-9]{1,30}(?:[._]{1,2}[A-Za-z0-9]{1,30}){1,4}_?(?!\w))")
_POSTCODE = re.compile(r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?!\w)")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,6}[a-zA-Z]?(?![\w%])")
_NAME = re.compile(r"(?<![\w’'])[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{1,20}(?!\w)")


def shapes(sentence: str) -> Iterator[tuple[str, int, int]]:
    """Yield each shape of a sentence as (name, start, end)."""
    for name, pattern in (("email", _EMAIL), ("handle", _HANDLE), ("postcode", _POSTCODE), ("name", _NAME)):
        for match in pattern.finditer(sentence):
            yield name, *match.span()
    for match in _IBAN.finditer(sentence):
        if sum(c.isdigit() for c in match[0]) >= 10:
            yield "iban", *match.span()
    for match in _NUMBERS.finditer(sentence):
        if name := _kind(match[0]):
            yield name, *match.span()
    for match in _NUMBER.finditer(sentence):
        yield "number", *match.span()
        if len(match[0]) == 4 and "1950" <= match[0] <= "2029":
            yield "year", *match.span()


def _kind(run: str) -> str:
    """What digits with spaces and marks between them are: a date, a card, a telephone number, or just many digits."""
    digits = "".join(c for c in run if c.isdigit())
    if _DATE.fullmatch(run):
        return "date"
    if len(digits) < 7 or set(digits) <= {"0", "1"} or re.fullmatch(r"\d+\.\d+", run):
        return ""
    if 15 <= len(digits) <= 16 and digits[0] in "3456" and not run.startswith("+"):
        return "card"
    groups = re.findall(r"\d{1,30}", run)
    if 9 <= len(digits) <= 15 and run.lstrip("(")[0] in "+0" and max(map(len, groups)) > 1:
        return "phone"
    return "digits"
