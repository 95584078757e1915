"""What is shown after an answer: the sentences of the source, each with its number."""

from __future__ import annotations

from collections.abc import Iterable

from learning.questions.text.patterns import patterns_of
from learning.questions.text.sentences import Statement

MAX_WORDS = 70
"""Words of an explanation before its neighbours are left out."""


def explain(statement: Statement, language: str) -> str:
    """The sentence with its neighbours, as far as they are clean and short: "Before. [1] Sentence. [1] After. [1]"."""
    before = "" if patterns_of(language).leans.match(statement.before) else statement.before
    sentences = [statement.text]
    for one in (statement.after, before):
        if one and sum(len(each.split()) for each in (*sentences, one)) <= MAX_WORDS:
            sentences = [one, *sentences] if one == before else [*sentences, one]
    return " ".join(f"{sentence} [{statement.number}]" for sentence in sentences)


def cite_all(statements: Iterable[Statement]) -> str:
    """These sentences alone, each once, with their numbers."""
    return " ".join(dict.fromkeys(f"{one.text} [{one.number}]" for one in statements))
