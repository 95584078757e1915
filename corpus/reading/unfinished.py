"""Markdown that is still being written, so that what is shown of it stays when the rest arrives. Pure.

What is open is closed for the moment (**bold), and what cannot be decided yet is held back: half a formula, a line of
nothing but signs, the head of a table before its second line, a row before its end.
"""

from __future__ import annotations

import re

from corpus.reading.formulas import FORMULA

_SPAN = 300
"""Characters after an opening sign for which its end is awaited."""
_FORMULA = 80
"""The same for a dollar, which may be money."""

_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:```|~~~)", re.MULTILINE)
_SIGNS_ONLY = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)]?|#{1,6}|>+|[-=_*~`]{1,4})?\s*")
_DELIMITER = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*")
_BLOCK_START = re.compile(r"\n[^\S\n]*\n|(?:^|\n)[^\S\n]*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>)[^\S\n]")
_MONEY = re.compile(r"\$\d[\d.,]*(?:[\s;:!?)]|$)")
_TOKEN = re.compile(r"\\[(\[]|\\.|\\$|`+|\$\$?|\*+|_+|~+", re.DOTALL)
_CLOSING = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}


def complete(text: str) -> str:
    """The last block of a text that goes on, closed or cut so that it looks as it will when it has ended."""
    head, line_end, last = text.rpartition("\n")
    if len(_FENCE.findall(text)) % 2:
        return head + line_end if _SIGNS_ONLY.fullmatch(last) else text
    kept = _without_open_row(text)
    if kept != text or last.lstrip().startswith("|"):
        return kept
    if _SIGNS_ONLY.fullmatch(last):
        text = head + line_end
    starts = [found.end() for found in _BLOCK_START.finditer(text)]
    start = starts[-1] if starts else 0
    return text[:start] + _closed(text[start:])


def _without_open_row(text: str) -> str:
    """Without a row of a table that has not ended, and without its head before the line below it has."""
    *whole, last = text.split("\n")
    if last and not last.lstrip().startswith("|"):
        return text
    start = len(whole)
    while start and whole[start - 1].lstrip().startswith("|"):
        start -= 1
    rows = whole[start:]
    if len(rows) > 1 and not _DELIMITER.fullmatch(rows[1]):
        return text  # lines that begin with a bar, but no table
    kept = whole if len(rows) > 1 or not (rows or last) else whole[:start]
    return "\n".join([*kept, ""]) if len(kept) < len(whole) or last else text


def _closed(text: str) -> str:
    """A paragraph whose open emphasis and code is closed; it is cut before a formula that has not ended."""
    opened: list[tuple[str, int]] = []  # sign and place of what is open
    at = 0
    while found := _TOKEN.search(text, at):
        sign, at = found[0], found.end()
        if sign in _CLOSING or sign == "$":
            formula = FORMULA.match(text, found.start())
            if formula:
                at = formula.end()
            elif _is_awaited(text, found.start(), sign):
                return _ended(text[: found.start()], opened)
        elif sign[0] == "`":
            end = re.compile(rf"(?<!`){sign}(?!`)").search(text, at)
            if end is None:
                code = text[at:]
                return text + sign if code.strip("` ") else _ended(text[: found.start()], opened)
            at = end.end()
        elif sign[0] in "*_~":
            if at == len(text):  # either end of something, or half of it
                text = text[: found.start()]
                break
            if sign != "~":
                _read(text, found, opened)
        elif at == len(text):
            return _ended(text[: found.start()], opened)  # a lone backslash
    return _ended(text, opened)


def _is_awaited(text: str, start: int, sign: str) -> bool:
    """Whether a formula that begins here may still end."""
    rest = text[start:]
    if sign != "$":
        return len(rest) <= 2 * _SPAN
    return len(rest) <= _FORMULA and not _MONEY.match(rest) and not rest[1:2].isspace()


def _read(text: str, found: re.Match[str], opened: list[tuple[str, int]]) -> None:
    """Take these signs as the end of what is open, else as a beginning, if they can be one."""
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    signs = found[0]
    while signs and before and not before.isspace():
        match = next((one for one in reversed(opened) if signs.startswith(one[0])), None)
        if match is None:
            break
        del opened[opened.index(match) :]
        signs = signs[len(match[0]) :]
    if signs and not after.isspace() and not before.isalnum():
        size = min(len(signs), 3)
        opened += [(signs[0] * 2, found.start())] * (size > 1) + [(signs[0], found.start())] * (size % 2)


def _ended(text: str, opened: list[tuple[str, int]]) -> str:
    """The text with the end of everything that is open and not too long ago begun."""
    words = text.rstrip()
    for sign, place in reversed(opened):
        if len(words) <= place + len(sign):
            words = words[:place].rstrip()  # nothing follows the sign
        elif len(words) - place <= _SPAN:
            words += sign
    return words
