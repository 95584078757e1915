"""How questions are put: the words of those that rules make, in the languages of the site, and their citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from learning.material import WORDS, DraftQuestion, QuestionKind
from learning.reading.statements import Statement
from text.words import read_words

GAP = "____"
"""Stands for the missing words of a cloze or a number question."""


def get_wording(language: str) -> dict[str, str]:
    """Return the templates of a language, and the few words that a file adds: "place" is what a step has."""
    found: dict[str, str] = read_words(language, WORDS)["wording"]
    return found


_OPEN_ARTICLE = re.compile(r"\b([Aa])(?:/an\b|\(n\))")


def use_one_article(text: str) -> str:
    """The text with "a" for the open articles "a/an" and "a(n)" before a gap."""
    return _OPEN_ARTICLE.sub(r"\1", text)


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
