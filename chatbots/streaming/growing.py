"""An answer that is being written as HTML: finished blocks, which stay, and the unfinished one after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from corpus.reading.rendering import last_block_start
from corpus.reading.unfinished import complete


@dataclass(frozen=True)
class Growth:
    """What is new: blocks to add to those that a reader has, and the unfinished block in place of the former one."""

    finished: str
    unfinished: str


class GrowingAnswer:
    """Turns the pieces of a text into HTML, each finished block once. `render` makes HTML of whole blocks."""

    def __init__(self, render: Callable[[str], str]) -> None:
        self._render, self.open = render, ""

    def add(self, piece: str) -> Growth:
        """The growth by this piece."""
        self.open += piece
        end = last_block_start(self.open) if "\n" in self.open else 0
        finished = self._render(self.open[:end]) if end else ""
        self.open = self.open[end:]
        return Growth(finished, self._render(complete(self.open)))
