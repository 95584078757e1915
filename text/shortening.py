"""Shorten a text between two words."""

from __future__ import annotations

import re

_CUT = re.compile(r"\s+\S*$")
_WEAK_END = " ,;:.–—-("


def shorten(text: str, most: int) -> str:
    """Return the text if it has at most so many characters, else its beginning up to a word’s end, and “…”.

    A single word that is longer is cut.
    """
    if len(text) <= most:
        return text
    room = max(most - 1, 0)
    start = text[:room]
    if room and not text[room].isspace() and (cut := _CUT.search(start)) and cut.start():
        start = start[: cut.start()]
    return start.rstrip().rstrip(_WEAK_END).rstrip() + "…"
