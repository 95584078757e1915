"""Questions about facts: a year or a quantity that a sentence states."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.explanations import explain
from learning.questions.rules.gaps import TOLERANCE
from learning.questions.text.facts import QUANTITY, YEAR, Fact, find_facts, others_like
from learning.questions.text.numbers import quantities
from learning.questions.text.sources import ConceptSources
from learning.questions.text.wording import GAP

WRONG_OPTIONS = 3


def fact_choices(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """What belongs in the gap: the year of every other sentence, among other years."""
    for fact in [one for one in find_facts(sources) if one.type == YEAR][::2]:
        wrong = others_like(fact, sources, rng)
        if len(wrong) == WRONG_OPTIONS:
            options = sorted([fact.written, *wrong])
            yield DraftQuestion(
                kind=QuestionKind.SINGLE,
                prompt=fact.with_other(GAP),
                answer={"correct": options.index(fact.written)},
                explanation=explain(fact.statement, sources.language),
                sources=(fact.statement.number,),
                options=tuple(options),
            )


def fact_clozes(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """The same of the sentences between, without options."""
    for fact in [one for one in find_facts(sources) if one.type == YEAR][1::2]:
        yield DraftQuestion(
            kind=QuestionKind.CLOZE,
            prompt=fact.with_other(GAP),
            answer={"accepted": [fact.written]},
            explanation=explain(fact.statement, sources.language),
            sources=(fact.statement.number,),
        )


def fact_numbers(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """The number of a sentence that states one quantity."""
    for fact in find_facts(sources):
        if fact.type == QUANTITY:
            found = quantities(fact.statement.text)[0]
            yield DraftQuestion(
                kind=QuestionKind.NUMBER,
                prompt=fact.with_other(GAP),
                answer={"value": found.value, "unit": found.unit, "tolerance": TOLERANCE},
                explanation=explain(fact.statement, sources.language),
                sources=(fact.statement.number,),
            )


def fact_truths(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """Sentences that state a fact, as they are or with another year or quantity, in an order that cannot be
    guessed."""
    for fact in find_facts(sources):
        wrong = others_like(fact, sources, rng)
        is_true = rng.random() < 0.5
        if is_true or wrong:
            yield _truth(sources, fact, fact.statement.text if is_true else fact.with_other(wrong[0]), value=is_true)


def _truth(sources: ConceptSources, fact: Fact, prompt: str, *, value: bool) -> DraftQuestion:
    return DraftQuestion(
        kind=QuestionKind.TRUTH,
        prompt=prompt,
        answer={"value": value, "reason": fact.statement.text},
        explanation=explain(fact.statement, sources.language),
        sources=(fact.statement.number,),
    )
