"""Questions about one sentence of a source, which explains their answer with its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from learning.material import DraftQuestion, QuestionKind
from learning.questions.text.numbers import WrittenQuantity
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import PassageStatement
from learning.questions.text.wording import GAP

MAX_WORDS = 70
"""Words of an explanation before its neighbours are left out."""

TOLERANCE = 0.02
"""Relative tolerance of a number question."""


def ask(
    kind: QuestionKind,
    statement: PassageStatement,
    language: str,
    *,
    prompt: str,
    answer: Mapping[str, Any],
    options: tuple[str, ...] = (),
) -> DraftQuestion:
    """Return a question that this sentence answers."""
    return DraftQuestion(kind, prompt, answer, explain(statement, language), (statement.number,), options)


def ask_truth(prompt: str, statement: PassageStatement, language: str, *, value: bool) -> DraftQuestion:
    """Return the question whether the prompt is true, of which the sentence is the reason."""
    answer = {"value": value, "reason": statement.text}
    return ask(QuestionKind.TRUTH, statement, language, prompt=prompt, answer=answer)


def ask_number(statement: PassageStatement, quantity: WrittenQuantity, language: str) -> DraftQuestion:
    """Return the sentence with a gap for its number."""
    prompt = statement.text[: quantity.start] + GAP + statement.text[quantity.end :]
    answer = {"value": quantity.value, "unit": quantity.unit, "tolerance": TOLERANCE}
    return ask(QuestionKind.NUMBER, statement, language, prompt=prompt, answer=answer)


def explain(statement: PassageStatement, language: str) -> str:
    """The sentence with its neighbours, as far as they are clean and short: "Before. [1] Sentence. [1] After. [1]"."""
    before = "" if get_patterns(language).leans.match(statement.before) else statement.before
    sentences = [statement.text]
    for one in (statement.after, before):
        if one and sum(len(each.split()) for each in (*sentences, one)) <= MAX_WORDS:
            sentences = [one, *sentences] if one == before else [*sentences, one]
    return " ".join(f"{sentence} [{statement.number}]" for sentence in sentences)


def cite_all(statements: Iterable[PassageStatement]) -> str:
    """These sentences alone, each once, with their numbers."""
    return " ".join(dict.fromkeys(f"{one.text} [{one.number}]" for one in statements))
