"""Short answers: explain a term, or give the reason that the source gives."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import ask
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import PassageStatement
from learning.questions.text.sources import ConceptSources
from learning.questions.text.wording import get_wording

MIN_FACT, MIN_REASON = 5, 4
"""Words of a fact and of its reason."""


def short_answers(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """The reason of a sentence with "because", and the meaning of the concept in the words of the learner."""
    wording = get_wording(sources.language)
    for statement in sources.about:
        if fact := _explained_fact(statement, sources.language):
            yield _short(sources, wording.why.format(fact), statement)
    for definition in sources.definitions:
        if sources.is_proper_name(definition):
            continue
        yield _short(sources, wording.short.format(wording.quote(definition.written)), definition.statement)


def _explained_fact(statement: PassageStatement, language: str) -> str:
    """The fact of a sentence that says why it is so, as a sentence; "" if it does not."""
    found = get_patterns(language).because.fullmatch(statement.text)
    if (
        not found
        or "—" in found["fact"]
        or min(len(found["fact"].split()) - MIN_FACT, len(found["reason"].split()) - MIN_REASON) < 0
    ):
        return ""
    return f"{found['fact']}."


def _short(sources: ConceptSources, prompt: str, statement: PassageStatement) -> DraftQuestion:
    answer = {"reference": statement.text}
    return ask(QuestionKind.SHORT, statement, sources.language, prompt=prompt, answer=answer)
