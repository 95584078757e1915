"""Grade a short answer by its meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engines.embedding import Embedder
from engines.llm import LLM, NumberedPassage
from learning.grading.feedback import judged
from learning.material import Grade, Verdict


class _Question(Protocol):
    @property
    def prompt(self) -> str: ...
    @property
    def answer(self) -> Mapping[str, Any]: ...
    @property
    def explanation(self) -> str: ...


def grade_short(
    question: _Question,
    given: str,
    passages: Sequence[NumberedPassage],
    *,
    language: str,
    llm: LLM | None,
    embedder: Embedder | None,
) -> Grade:
    """Return the verdict."""
    return judged(Verdict.UNSURE, 0.0, [], question.explanation)
