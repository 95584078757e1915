"""Questions about one sentence of a source, which explains their answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from learning.material import DraftQuestion, QuestionKind
from learning.reading.statements import Statement

T = TypeVar("T")

TOLERANCE = 0.02
"""Relative tolerance of a number question."""


def ask(
    kind: QuestionKind, statement: Statement, *, prompt: str, answer: Mapping[str, Any], options: tuple[str, ...] = ()
) -> DraftQuestion:
    return DraftQuestion(kind, prompt, answer, cite([statement]), (statement.number,), options)


def cite(statements: Iterable[Statement]) -> str:
    """These sentences, each once, with their numbers: "Sentence. [1] Other sentence. [2]"."""
    return " ".join(dict.fromkeys(f"{one.text} [{one.number}]" for one in statements))


def shuffle(options: Sequence[T], rng: Random) -> tuple[T, ...]:
    mixed = list(options)
    rng.shuffle(mixed)
    return tuple(mixed)


def capitalise(option: str) -> str:
    return option[:1].upper() + option[1:]
