"""True or false: a sentence of the source, or one in which the meaning, a number or a word was exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from learning.material import DraftQuestion
from learning.questions.rules.asking import ask_truth
from learning.questions.rules.choice import exchange_meaning
from learning.questions.rules.distractors import wrong_meanings
from learning.questions.rules.gaps import stated_quantities
from learning.questions.text.numbers import changed_number
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import PassageStatement
from learning.questions.text.sources import ConceptSources


def truths(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """True and false statements in turn, in an order that cannot be guessed."""
    true, false = _true(sources), _false(sources, rng)
    while True:
        turn = [true, false] if rng.random() < 0.5 else [false, true]
        made = [one for each in turn if (one := next(each, None))]
        if not made:
            return
        yield from made


def _true(sources: ConceptSources) -> Iterator[DraftQuestion]:
    defining = [one.statement for one in sources.definitions]
    for statement in sorted(sources.about, key=lambda one: one in defining):
        yield ask_truth(statement.text, statement, sources.language, value=True)


def _false(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    for statement in sources.about:
        if changed := _opposite(statement, sources.language):
            yield ask_truth(changed, statement, sources.language, value=False)
    for statement, quantity in stated_quantities(sources):
        factor = rng.choice((2.0, 3.0, 10.0))
        number = changed_number(quantity, statement.text[quantity.start : quantity.end], factor)
        changed = statement.text[: quantity.start] + number + statement.text[quantity.end :]
        yield ask_truth(changed, statement, sources.language, value=False)
    for definition in sources.definitions:
        if definition.is_first:
            for meaning in wrong_meanings(sources, definition, rng):
                yield ask_truth(
                    exchange_meaning(definition, meaning), definition.statement, sources.language, value=False
                )


def _opposite(statement: PassageStatement, language: str) -> str:
    """The sentence with one word exchanged for its opposite; "" where it has none, or the opposite may be true too."""
    patterns = get_patterns(language)
    if patterns.hedge.search(statement.text):
        return ""
    swaps = {word: other for one, two in patterns.opposites for word, other in ((one, two), (two, one))}
    words = "|".join(map(re.escape, sorted(swaps, key=len, reverse=True)))
    found = list(re.finditer(rf"(?<![\w-])(?:{words})(?![\w-])", statement.text))
    if len(found) != 1:
        return ""
    return statement.text[: found[0].start()] + swaps[found[0][0]] + statement.text[found[0].end() :]
