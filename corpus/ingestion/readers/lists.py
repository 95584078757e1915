"""The lines of lists in Markdown."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,4}[.)]")  # what Markdown numbers a list with


class ListLines:
    """Writes paragraphs and items. An item of a deeper level stands below the text of the item above it."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int, str]] = []  # depth of each open item, where its text begins, and its label

    def write(self, text: str, depth: int | None, label: str = "") -> tuple[str, str]:
        """What joins an item to the text before, and its line. `label` is its number, "" for a bullet.

        Without a depth it is a paragraph, which ends the list.
        """
        glue = "\n" if self._open and depth is not None else "\n\n"
        before = ""
        while self._open and (depth is None or self._open[-1][0] >= depth):
            before = self._open.pop()[2]
        if depth is None:
            return glue, text
        indent = self._open[-1][1] if self._open else 0
        mark = label if _follows(label, before) else f"- {label}".rstrip()
        self._open.append((depth, indent + (len(label) + 1 if mark == label else 2), label))
        return glue, " " * indent + f"{mark} " + text.replace("\n", "\n" + " " * self._open[-1][1])


def _follows(label: str, before: str) -> bool:
    """Whether Markdown shows this number, which counts a list by itself."""
    if not _NUMBER.fullmatch(label):
        return False
    return not _NUMBER.fullmatch(before) or int(before[:-1]) + 1 == int(label[:-1])
