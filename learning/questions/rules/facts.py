"""Questions about sentences that speak of a concept: why it is so, how much, and which of two statements is true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from learning.grading.numbers import find_quantities
from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import TOLERANCE, ask
from learning.questions.sources import ConceptSources
from learning.questions.wording import GAP, get_wording
from learning.reading.patterns import get_patterns

_DIGITS = re.compile(r"(?<![/a-zA-Z])\d[\d.,]*")


def ask_why(sources: ConceptSources, _rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """The reason that a sentence gives with "because": of sentences about the concept, then of others beside it."""
    wording, patterns = get_wording(sources.language), get_patterns(sources.language)
    near = [one for one in sources.statements if sources.is_in_reach(one)]
    for statement in (*near, *(one for one in sources.statements if one not in near and sources.is_at_home(one))):
        found = patterns.because.fullmatch(statement.text)
        if not found or len(found["fact"].split()) < 3 or len(found["reason"].split()) < 3:
            continue
        prompt = wording.why.format(f"{found['fact'].rstrip(',')}.")
        yield (ask(QuestionKind.SHORT, statement, prompt=prompt, answer={"reference": statement.text}),)


def ask_for_numbers(sources: ConceptSources, _rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """Sentences that state one quantity of something as a fact, not as a case, without the number."""
    for statement in filter(sources.is_in_reach, sources.statements):
        found = find_quantities(statement.text, sources.language)
        is_case = get_patterns(sources.language).hedge.search(statement.text) is not None
        if len(found) != 1 or is_case or len(_DIGITS.findall(statement.text)) != 1:
            continue
        [(start, end, quantity)] = found
        prompt = statement.text[:start] + GAP + statement.text[end:]
        answer = {"value": quantity.readings[0], "unit": quantity.unit, "tolerance": TOLERANCE}
        yield (ask(QuestionKind.NUMBER, statement, prompt=prompt, answer=answer),)


def ask_which_is_true(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """A sentence, and the same with one word exchanged for its opposite: both, so that neither is the likelier."""
    patterns = get_patterns(sources.language)
    swaps = {word: other for one, two in patterns.opposites for word, other in ((one, two), (two, one))}
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(swaps, key=len, reverse=True)))})(?![\w-])")
    for statement in filter(sources.is_in_reach, sources.statements):
        found = words.search(statement.text)
        if found is None or patterns.hedge.search(statement.text):
            continue
        changed = statement.text[: found.start()] + swaps[found[0]] + statement.text[found.end() :]
        pair = [
            ask(QuestionKind.TRUTH, statement, prompt=prompt, answer={"value": value, "reason": statement.text})
            for prompt, value in ((statement.text, True), (changed, False))
        ]
        rng.shuffle(pair)
        yield tuple(pair)
