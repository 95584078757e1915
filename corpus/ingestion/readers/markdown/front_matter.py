"""Front matter: the settings between two lines of dashes at the top of a Markdown file. Pure.

It is not parsed as YAML. Only the title and the position are needed, and a mistake elsewhere must not cost them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.ingestion.readers.structure import one_line

_RULE, _ENDS = "---", ("---", "...")
_MAX_LINES = 200  # lines
_KEY = re.compile(r"[A-Za-z_][\w.-]*\s*:(\s|$)")
_ENTRY = re.compile(r"[\w.-]+\s*:(\s|$)|\s|#|-|[\]}]|$")
_TITLE = re.compile(r"title\s*:\s*(.+)", re.IGNORECASE)
_POSITION = re.compile(r"(?:sidebar_position|nav_order|weight|order)\s*:\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*$")


@dataclass(frozen=True)
class FrontMatter:
    """The settings that are used. `broken` is the first line, from 1, that is not a valid setting."""

    first: int = 0  # first line of the text, from 0
    title: str = ""
    position: float | None = None
    broken: int | None = None


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a file. A rule followed by text is none. Invalid lines are accepted if most are valid."""
    if lines[0].rstrip() != _RULE:
        return FrontMatter()
    end = next((n for n, line in enumerate(lines[1:_MAX_LINES], 1) if line.rstrip() in _ENDS), None)
    if end is None:  # it ends with its last valid setting
        end = next((n for n, line in enumerate(lines[1:], 1) if not _KEY.match(line)), len(lines))
        return _said(lines[1:end], end, 1) if end > 2 else FrontMatter()
    settings = lines[1:end]
    odd = [n for n, line in enumerate(settings, 2) if not _ENTRY.match(line)]
    sound = sum(bool(_KEY.match(line)) for line in settings)
    if odd and (sound < 2 * len(odd) or not _KEY.match(settings[0])):
        return FrontMatter()
    return _said(settings, end + 1, odd[0] if odd else _unbalanced(settings))


def _said(settings: Sequence[str], first: int, broken: int | None) -> FrontMatter:
    titles = (match[1] for line in settings if (match := _TITLE.match(line)))
    positions = (float(match[1]) for line in settings if (match := _POSITION.match(line)))
    title = one_line(next(titles, "").strip().strip("\"'").strip())
    return FrontMatter(first, title, next(positions, None), broken)


def _unbalanced(settings: Sequence[str]) -> int | None:
    """The line, from 1, of a value with an unclosed quote or bracket, or of a key after a tab."""
    for number, line in enumerate(settings, 2):
        if line.startswith("\t"):
            return number
    text = "\n".join(re.sub(r"\s#.*", "", line) for line in settings)
    for signs in ('""', "[]", "{}"):
        one, other = text.count(signs[0]), text.count(signs[1])
        if one % 2 if signs == '""' else one != other:
            return next(n for n, line in enumerate(settings, 2) if signs[0] in line or signs[1] in line)
    return None
