"""The lines of lists in Markdown."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,4}[.)]")  # what Markdown numbers a list with


class ListLines:
    """Writes paragraphs and items. An item of a deeper level stands below the text of the item above it."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int, str]] = []  # depth of each open item, where its text begins, and its label

    def write(self, text: str, depth: int | None, label: str | None) -> tuple[str, str]:
        """What joins an item to the text before, and its lines. `label` is its number, "" for a bullet.

        Without a label it is a paragraph of the item, without a depth one that ends the list.
        """
        glue = "\n" if self._open and depth is not None else "\n\n"
        before, mark = "", ""
        while self._open and (depth is None or self._open[-1][0] >= depth + (label is None)):
            before = self._open.pop()[2]
        indent = self._open[-1][1] if self._open else 0
        if label is not None and depth is not None:
            mark = f"{label} " if _follows(label, before) else f"- {label} " if label else "- "
            self._open.append((depth, indent + (len(mark) if mark[0] != "-" else 2), label))
        below = "\n" + " " * (self._open[-1][1] if self._open else 0)
        return glue, " " * indent + mark + text.replace("\n", below)


def _follows(label: str, before: str) -> bool:
    """Whether Markdown shows this number, which counts a list by itself."""
    if not _NUMBER.fullmatch(label):
        return False
    return not _NUMBER.fullmatch(before) or int(before[:-1]) + 1 == int(label[:-1])
