"""Choice questions from definitions: which term, which meaning, which statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import ask, cite_all
from learning.questions.rules.distractors import wrong_meanings, wrong_terms
from learning.questions.text.definitions import DefiningSentence
from learning.questions.text.sources import WRONG_OPTIONS, ConceptSources
from learning.questions.text.wording import get_wording

T = TypeVar("T")

MAX_STATEMENT = 25
"""Words of a statement that is one of several options."""

TRIES = 2


def single_choice(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """The term of a meaning, and the meaning of a term, each twice with other wrong options."""
    wording = get_wording(sources.language)
    for definition in sources.definitions:
        for _ in range(TRIES):
            wrong = wrong_terms(sources, definition, rng)
            if len(wrong) == WRONG_OPTIONS and sources.identifies(definition):
                prompt = wording.which_term.format(wording.quote(definition.meaning))
                yield _single(sources, prompt, definition.written, wrong, definition, rng)
            wrong = wrong_meanings(sources, definition, rng)
            if len(wrong) == WRONG_OPTIONS and definition.is_first and not sources.is_proper_name(definition):
                prompt = wording.what_is.format(wording.quote(definition.written))
                yield _single(sources, prompt, definition.meaning, wrong, definition, rng)


def several_choices(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """Which statements about the concept are true: two or three of its sentences among meanings of other concepts."""
    wording = get_wording(sources.language)
    true = [one for one in sources.about if len(one.text.split()) <= MAX_STATEMENT]
    for definition in [one for one in sources.definitions if one.is_first]:
        for _ in range(TRIES):
            wrong = [exchange_meaning(definition, meaning) for meaning in wrong_meanings(sources, definition, rng)][:2]
            right = rng.sample(true, min(len(true), rng.choice((2, 3))))
            if len(wrong) < 2 or len(right) < 2:
                continue
            options = shuffle([*(one.text for one in right), *wrong], rng)
            yield DraftQuestion(
                kind=QuestionKind.SEVERAL,
                prompt=wording.statements.format(wording.quote(definition.written)),
                answer={"correct": sorted(options.index(one.text) for one in right)},
                explanation=cite_all(right),
                sources=tuple(sorted({one.number for one in right})),
                options=options,
            )


def exchange_meaning(definition: DefiningSentence, meaning: str) -> str:
    """The sentence of a definition with the meaning of another term, which makes it false."""
    return f"{definition.statement.text[: definition.end]} {definition.verb} {meaning}."


def shuffle(options: Sequence[T], rng: Random) -> tuple[T, ...]:
    """These in random order."""
    mixed = list(options)
    rng.shuffle(mixed)
    return tuple(mixed)


def capitalise(option: str) -> str:
    """An option with a capital letter at its start, so that none stands out."""
    return option[:1].upper() + option[1:]


def _single(
    sources: ConceptSources, prompt: str, right: str, wrong: Sequence[str], definition: DefiningSentence, rng: Random
) -> DraftQuestion:
    options = shuffle([capitalise(one) for one in (right, *wrong)], rng)
    answer = {"correct": options.index(capitalise(right))}
    return ask(
        QuestionKind.SINGLE, definition.statement, sources.language, prompt=prompt, answer=answer, options=options
    )
