"""What a language model thinks before it answers, which is no part of the answer."""

from __future__ import annotations

from typing import Self

_BEGIN, _END = "<think>", "</think>"


class ReasoningPiece(str):
    """A piece of a stream that has no text of the answer, but text of the model's reasoning."""

    reasoning: str

    def __new__(cls, reasoning: str) -> Self:
        piece = super().__new__(cls, "")
        piece.reasoning = reasoning
        return piece


class ThinkTags:
    """Separates reasoning that a model writes between <think> and </think> at the beginning of its text."""

    def __init__(self) -> None:
        self._held, self._tag = "", _BEGIN

    def feed(self, text: str) -> tuple[str, str]:
        """The reasoning and the answer in the text so far that were not returned yet."""
        if not self._tag:
            return "", text
        self._held += text
        if self._tag == _BEGIN:
            begun = self._held.lstrip()
            if not begun.startswith(_BEGIN):
                return "", "" if _BEGIN.startswith(begun) else self.finish()
            self._held, self._tag = begun.removeprefix(_BEGIN), _END
        reasoning, end, rest = self._held.partition(_END)
        if end:
            self._held, self._tag = "", ""
            return reasoning, rest.lstrip()
        kept = next((n for n in range(len(_END) - 1, 0, -1) if reasoning.endswith(_END[:n])), 0)
        self._held = reasoning[len(reasoning) - kept :]
        return reasoning[: len(reasoning) - kept], ""

    def finish(self) -> str:
        """The answer that is still held, at the end of the text."""
        held, is_answer = self._held, self._tag == _BEGIN
        self._held, self._tag = "", ""
        return held if is_answer else ""
