"""The lines of lists in Markdown."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,4}[.)]")  # what Markdown numbers a list with


class ListLines:
    """Writes paragraphs and items. An item of a deeper level stands below the text of the item above it."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int]] = []  # depth of each open item, and where its text begins

    def write(self, text: str, depth: int | None, label: str = "") -> tuple[str, str]:
        """What joins an item to the text before, and its line. `label` is its number, "" for a bullet.

        Without a depth it is a paragraph, which ends the list.
        """
        glue = "\n" if self._open and depth is not None else "\n\n"
        while self._open and (depth is None or self._open[-1][0] >= depth):
            self._open.pop()
        if depth is None:
            return glue, text
        indent = self._open[-1][1] if self._open else 0
        mark = label if _NUMBER.fullmatch(label) else f"- {label}".rstrip()
        self._open.append((depth, indent + (len(label) + 1 if mark == label else 2)))
        return glue, " " * indent + f"{mark} " + text.replace("\n", "\n" + " " * self._open[-1][1])
