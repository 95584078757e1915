"""Questions with a gap: the term of a definition, or a number with its unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import ask, ask_number
from learning.questions.text.definitions import DefiningSentence
from learning.questions.text.numbers import WrittenQuantity, quantities
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import PassageStatement
from learning.questions.text.sources import ConceptSources
from learning.questions.text.wording import GAP

_ARTICLE = re.compile(r"\b(?:An?|an?)(?=\s+$)")
_DIGITS = re.compile(r"(?<![/a-zA-Z])\d[\d.,]*")
_ABBREVIATION = re.compile(r"\s*\([^)]{1,20}\)")


def clozes(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """Definitions of the concept without their term, then those of other terms that speak of the concept."""
    for definition in filter(sources.identifies, sources.definitions):
        yield _cloze(sources, definition, sources.own_names)
    for definition in filter(sources.identifies, sources.terms_defined):
        if not sources.are_named_in(definition.meaning):
            continue
        names = [(one.name, *one.synonyms) for one in sources.others if one.name == definition.term]
        yield _cloze(sources, definition, names[0] if names else (definition.term,))


def numbers(sources: ConceptSources, _rng: Random) -> Iterator[DraftQuestion]:
    """Sentences that state one quantity of something, without the number."""
    for statement, quantity in stated_quantities(sources):
        yield ask_number(statement, quantity, sources.language)


def stated_quantities(sources: ConceptSources) -> Iterator[tuple[PassageStatement, WrittenQuantity]]:
    """Sentences about the concept or something of it that state one quantity, as a fact and not as a case."""
    for statement in sources.statements:
        found = quantities(statement.text)
        if len(found) == 1 and _states_a_fact(statement.text, sources):
            yield statement, found[0]


def _states_a_fact(text: str, sources: ConceptSources) -> bool:
    """Say whether a sentence without a condition has one number, and begins with the concept or "The … of" it."""
    patterns = get_patterns(sources.language)
    named = sources.are_named_in(text)
    begins = sources.names_at_start(text) or (named and bool(patterns.article.match(text)))
    is_case = bool(patterns.class_of.match(text)) or bool(patterns.hedge.search(text))
    return begins and not is_case and len(_DIGITS.findall(text)) == 1


def _cloze(sources: ConceptSources, definition: DefiningSentence, accepted: tuple[str, ...]) -> DraftQuestion:
    text = definition.statement.text
    rest = text[definition.end :]
    if abbreviation := _ABBREVIATION.match(rest):
        rest = rest[abbreviation.end() :]
    before = _ARTICLE.sub(lambda found: f"{found[0][0]}/an", text[: definition.start])
    written = text[definition.start : definition.end]
    answer = {"accepted": list(dict.fromkeys([written, *accepted]))}
    return ask(QuestionKind.CLOZE, definition.statement, sources.language, prompt=before + GAP + rest, answer=answer)
