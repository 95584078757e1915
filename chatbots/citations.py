"""Citations in an answer: which numbers it names, which of them exist (C3). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_MARKER = re.compile(r"(\s?)(?<!\\)[\[【]\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*[\]】](?!\()")


@dataclass(frozen=True)
class Checked:
    """An answer with its markers as [1][2] and the unknown ones removed; `cited` in order of first appearance."""

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]


def check(text: str, sources: int) -> Checked:
    """Normalise the citation markers of an answer outside code and drop those beyond the `sources` that exist."""
    cited: dict[int, None] = {}
    unknown: dict[int, None] = {}

    def normal(match: re.Match[str]) -> str:
        kept = []
        for number in map(int, re.findall(r"\d+", match[2])):
            known = 1 <= number <= sources
            (cited if known else unknown)[number] = None
            if known:
                kept.append(f"[{number}]")
        return match[1] + "".join(kept) if kept else ""

    parts = _CODE.split(text)
    parts[::2] = [_MARKER.sub(normal, part) for part in parts[::2]]
    return Checked(text="".join(parts), cited=tuple(cited), unknown=tuple(unknown))
