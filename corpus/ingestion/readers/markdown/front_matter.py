"""The settings between two lines of dashes at the top of a Markdown file, as far as they matter here. Pure.

They are not read as YAML: a title and a place in the order are all that is wanted, and a mistake elsewhere in them
should cost neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.ingestion.readers.structure import one_line

_RULE, _ENDS = "---", ("---", "...")
_MOST = 200  # lines
_KEY = re.compile(r"[A-Za-z_][\w.-]*\s*:(\s|$)")
_ENTRY = re.compile(r"[\w.-]+\s*:(\s|$)|\s|#|-|[\]}]|$")
_TITLE = re.compile(r"title\s*:\s*(.+)", re.IGNORECASE)
_POSITION = re.compile(r"(?:sidebar_position|nav_order|weight|order)\s*:\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*$")


@dataclass(frozen=True)
class FrontMatter:
    """Where the text begins, and what is said before. `broken` is a line, from 1, that is no setting."""

    first: int = 0  # line of the text, from 0
    title: str = ""
    position: float | None = None
    broken: int | None = None


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """The settings at the top of a file. A rule with text below it is none; broken ones are, if most of it is sound."""
    if lines[0].rstrip() != _RULE:
        return FrontMatter()
    end = next((n for n, line in enumerate(lines[1:_MOST], 1) if line.rstrip() in _ENDS), None)
    if end is None:
        return _unclosed(lines)
    settings = lines[1:end]
    odd = [n for n, line in enumerate(settings, 2) if not _ENTRY.match(line)]
    sound = sum(bool(_KEY.match(line)) for line in settings)
    if odd and (sound < 2 * len(odd) or not _KEY.match(settings[0])):
        return FrontMatter()
    return _said(settings, end + 1, odd[0] if odd else _unbalanced(settings))


def _unclosed(lines: Sequence[str]) -> FrontMatter:
    """Settings that nothing closes end with the last line of their kind."""
    end = 1
    while end < len(lines) and _KEY.match(lines[end]):
        end += 1
    return _said(lines[1:end], end, 1) if end > 2 else FrontMatter()


def _said(settings: Sequence[str], first: int, broken: int | None) -> FrontMatter:
    titles = (match[1] for line in settings if (match := _TITLE.match(line)))
    positions = (float(match[1]) for line in settings if (match := _POSITION.match(line)))
    title = one_line(next(titles, "").strip().strip("\"'").strip())
    return FrontMatter(first, title, next(positions, None), broken)


def _unbalanced(settings: Sequence[str]) -> int | None:
    """The line, in the file, of a value that is opened and never closed; a tab before a key is as bad."""
    for number, line in enumerate(settings, 2):
        if line.startswith("\t"):
            return number
    text = "\n".join(re.sub(r"\s#.*", "", line) for line in settings)
    for signs in ('""', "[]", "{}"):
        one, other = text.count(signs[0]), text.count(signs[1])
        if one % 2 if signs == '""' else one != other:
            return next(n for n, line in enumerate(settings, 2) if signs[0] in line or signs[1] in line)
    return None
