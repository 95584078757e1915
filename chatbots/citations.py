"""Citations in an answer: which numbers it names, which of them exist (C3). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count

_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``.+?``|`[^`\n]*`)", re.DOTALL)
_CODE_OR_QUOTATION = re.compile(_CODE.pattern[:-1] + r"|“[^”]*”)", re.DOTALL)
MARKER = re.compile(r"(?<!\\)\[(\d{1,3})\]")
"""As `check` leaves them."""

_WITH_SPACE = re.compile(rf"\s?{MARKER.pattern}")
_MARKER = re.compile(r"(\s?)(?<!\\)[\[【]\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*[\]】]")


@dataclass(frozen=True)
class Checked:
    """An answer with its markers as [1][2] and the unknown ones removed; `cited` in order of first appearance."""

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]


def linked(text: str, sign: tuple[str, str]) -> str:
    """The markers of a checked answer between two signs that mean nothing in Markdown, ready to become links.

    Each is its number and how many markers stand before it, as in 2:0 for the first, which cites source 2.
    """
    place = count()
    parts = _CODE.split(text)
    parts[::2] = [
        MARKER.sub(lambda match: f"{sign[0]}{match[1]}:{next(place)}{sign[1]}", part) for part in parts[::2]
    ]
    return "".join(parts)


def outside_code(text: str) -> str:
    """The text with every character of code a space, so that what is found in it stands at the same place."""
    parts = _CODE.split(text)
    parts[1::2] = [" " * len(part) for part in parts[1::2]]
    return "".join(parts)


def uncited(text: str) -> str:
    """A checked answer without its markers."""
    parts = _CODE.split(text)
    parts[::2] = [_WITH_SPACE.sub("", part) for part in parts[::2]]
    return "".join(parts)


def check(text: str, sources: int, *, verbatim: bool = False) -> Checked:
    """Normalise the citation markers of an answer outside code and drop those beyond the `sources` that exist.

    With `verbatim`, for an answer that only quotes, what stands between “ and ” is the source's and left alone.
    """
    cited: dict[int, None] = {}
    unknown: dict[int, None] = {}

    def normal(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[2])]
        if 0 in numbers:  # an interval such as [0, 1], not a citation
            return match[0]
        kept = []
        for number in numbers:
            known = 1 <= number <= sources
            (cited if known else unknown)[number] = None
            if known:
                kept.append(f"[{number}]")
        return match[1] + "".join(kept) if kept else ""

    parts = (_CODE_OR_QUOTATION if verbatim else _CODE).split(text)
    parts[::2] = [_MARKER.sub(normal, part) for part in parts[::2]]
    return Checked(text="".join(parts), cited=tuple(cited), unknown=tuple(unknown))
