"""Questions about facts: a year or a quantity that a sentence states."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import ask, ask_number, ask_truth
from learning.questions.text.facts import QUANTITY, YEAR, find_facts, make_similar_facts
from learning.questions.text.numbers import quantities
from learning.questions.text.sources import WRONG_OPTIONS, ConceptSources
from learning.questions.text.wording import GAP


def fact_choices(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """What belongs in the gap: the year of every other sentence, among other years."""
    for fact in [one for one in find_facts(sources) if one.type == YEAR][::2]:
        wrong = make_similar_facts(fact, sources, rng)
        if len(wrong) == WRONG_OPTIONS:
            options = sorted([fact.written, *wrong])
            prompt, answer = fact.with_other(GAP), {"correct": options.index(fact.written)}
            yield ask(
                QuestionKind.SINGLE,
                fact.statement,
                sources.language,
                prompt=prompt,
                answer=answer,
                options=tuple(options),
            )


def fact_clozes(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """The same of the sentences between, without options."""
    for fact in [one for one in find_facts(sources) if one.type == YEAR][1::2]:
        prompt, answer = fact.with_other(GAP), {"accepted": [fact.written]}
        yield ask(QuestionKind.CLOZE, fact.statement, sources.language, prompt=prompt, answer=answer)


def fact_numbers(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """The number of a sentence that states one quantity."""
    for fact in find_facts(sources):
        if fact.type == QUANTITY:
            yield ask_number(fact.statement, quantities(fact.statement.text)[0], sources.language)


def fact_truths(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """Sentences that state a fact, as they are or with another year or quantity, in an order that cannot be
    guessed."""
    for fact in find_facts(sources):
        wrong = make_similar_facts(fact, sources, rng)
        is_true = rng.random() < 0.5
        if is_true or wrong:
            prompt = fact.statement.text if is_true else fact.with_other(wrong[0])
            yield ask_truth(prompt, fact.statement, sources.language, value=is_true)
