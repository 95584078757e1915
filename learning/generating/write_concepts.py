"""Concepts and questions that a language model writes, a section at a time, with their checks; rules fill the gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from chatbots.passages import NumberedPassage
from corpus.passages import Passage
from engines.embedding import Embedder
from engines.llm import LLM
from learning.concepts.find_concepts import Survey, build_concepts, spread, survey
from learning.concepts.marks import Candidate, Mark, Mentions, is_term
from learning.generating.replies import WrittenConcept
from learning.generating.requests import (
    CONCEPTS_OF_A_SECTION,
    MAX_FAILURES,
    MAX_SECTIONS,
    SECTION_TOKENS,
    ask_about_section,
)
from learning.material import MAX_CONCEPTS, DraftQuestion, FoundConcept
from learning.questions.checking.checks import DropReason
from learning.questions.make import make_questions
from learning.questions.sources import flat
from learning.reading.statements import Statement, find_fault, find_term, plain
from text.names import Key, is_name, make_name_key, strip_article
from text.sections import is_exercise
from text.tokens import estimate_tokens


@dataclass
class _Checked:
    """What stands of the replies, by key; names that do not; and the indexes of passages for which there was a reply.

    The `value` of a candidate is the higher, the earlier it came in its reply.
    """

    candidates: dict[Key, Candidate] = field(default_factory=dict)
    items: dict[Key, WrittenConcept] = field(default_factory=dict)
    refused: set[Key] = field(default_factory=set)
    read: set[int] = field(default_factory=set)


def write_concepts(
    passages: Sequence[Passage],
    *,
    topic: str = "",
    language: str,
    most: int = 30,
    llm: LLM,
    embedder: Embedder | None = None,
    before_request: Callable[[], None] = lambda: None,
) -> tuple[list[FoundConcept], Counter[str]]:
    """Return concepts as `find_concepts` does, written by a language model, with questions; and what was dropped.

    A concept stands if its definition is a sentence of its passage and has its name. Rules fill in what does not stand,
    and stand in for passages that the model did not read: of a long book, and all that are left once it fails. What
    `before_request` raises ends the work.
    """
    dropped = Counter[str]()
    if not passages or most < 1:
        return [], dropped
    seen = survey(passages, topic=topic, language=language, embedder=embedder)
    most, checked = min(most, MAX_CONCEPTS), _Checked()
    for section in _cut(_choose_passages(seen), passages):
        before_request()
        share = min(most, CONCEPTS_OF_A_SECTION)
        items = ask_about_section(llm, section, topic=topic, language=language, most=share)
        if items is not None:
            checked.read |= {passage.number - 1 for passage in section}
            _check(items, section, seen, checked)
            continue
        dropped[DropReason.NO_MODEL] += 1
        if dropped[DropReason.NO_MODEL] == MAX_FAILURES:
            break
    needs = {
        key: {needed for one in item.needs if (needed := make_name_key(one, language))}
        for key, item in checked.items.items()
    }
    concepts = build_concepts(_choose(checked, seen, most), seen, needs)
    return _check_questions([_add_questions(one, checked, seen) for one in concepts], dropped, language)


def _choose_passages(seen: Survey) -> list[int]:
    """Return the indexes of passages for the model, in reading order; of a long text, those that define come first."""
    teaching = [index for index, one in enumerate(seen.passages) if not is_exercise(one.heading_path)]
    if sum(estimate_tokens(seen.passages[index].excerpt) for index in teaching) <= SECTION_TOKENS * MAX_SECTIONS:
        return teaching
    defining = {one.statement.number for one in seen.candidates if one.statement}
    chosen = sorted(teaching, key=lambda index: index not in defining)[: max(len(defining), MAX_SECTIONS)]
    return sorted(chosen)[:: -(-len(chosen) // MAX_SECTIONS)]


def _cut(indexes: Sequence[int], passages: Sequence[Passage]) -> Iterator[list[NumberedPassage]]:
    """Yield the passages of each request; a passage has the number of its index, from 1."""
    sections: list[list[NumberedPassage]] = []
    room = 0
    for index in indexes:
        passage = passages[index]
        room -= (cost := estimate_tokens(passage.excerpt))
        if room < 0 or not sections:
            sections.append([])
            room = SECTION_TOKENS - cost
        given = (passage.document_title, passage.heading_path, passage.excerpt, passage.excerpt)
        sections[-1].append(NumberedPassage(index + 1, *given))
    yield from sections[:MAX_SECTIONS]


def _check(
    items: Sequence[WrittenConcept], section: Sequence[NumberedPassage], seen: Survey, checked: _Checked
) -> None:
    for place, item in enumerate(items):
        name = strip_article(item.name)
        key = make_name_key(name, seen.language)
        if not key or key in checked.candidates:
            continue
        checked.items[key] = item
        source = next((passage for passage in section if passage.number == item.number), None)
        statement = None
        if source and is_name(name, seen.language):
            statement = _find_definition(item.definition, key, source, seen)
        if source is None or statement is None:
            checked.refused.add(key)
            continue
        text = plain(source.excerpt)
        named = [one for one in item.synonyms if is_term(one, seen.language) and find_term(text, one, seen.language)]
        mark = next((one.mark for one in seen.candidates if one.key == key), Mark.NONE)
        order = seen.statements.index(statement)
        checked.candidates[key] = Candidate(
            key, Counter([name]), mark, Counter(named), None, order, statement, statement.text, -place
        )


def _find_definition(definition: str, key: Key, source: NumberedPassage, seen: Survey) -> Statement | None:
    """Return the definition as a sentence of the passage that has the name and stands alone, None if it is none."""
    wanted = flat(plain(definition))
    if not Mentions([key], seen.language).count(wanted):
        return None
    own = (one for one in seen.statements if one.number == source.number - 1 and flat(one.text) == wanted)
    return next((one for one in own if not find_fault(one.text, seen.language)), None)


def _choose(checked: _Checked, seen: Survey, most: int) -> list[Candidate]:
    """Return the model's concepts that stood, the first of each reply before the second ones, then those of the rules
    for what did not stand and for passages that the model did not read."""
    chosen = {one.key: one for one in sorted(checked.candidates.values(), key=lambda one: -one.value)}
    for one in seen.candidates:
        if one.key in checked.refused or (one.statement and one.statement.number not in checked.read):
            chosen.setdefault(one.key, one)
    return list(chosen.values())[:most] or spread(seen, most)


def _add_questions(concept: FoundConcept, checked: _Checked, seen: Survey) -> FoundConcept:
    """Return the concept with the questions of the model, numbered by its passages, and the passages that they cite."""
    item = checked.items.get(make_name_key(concept.name, seen.language))
    if item is None:
        return concept
    numbers = [number for one in item.questions for number in one.sources if 0 < number <= len(seen.passages)]
    cited = {number: seen.passages[number - 1] for number in numbers}
    by_text = {one.excerpt: one for one in (concept.defined_in, *cited.values(), *concept.passages)}
    places = {number: list(by_text).index(one.excerpt) + 1 for number, one in cited.items()}
    questions = tuple(one.renumber(places) for one in item.questions)
    return replace(concept, passages=tuple(by_text.values()), questions=questions)


def _check_questions(
    concepts: Sequence[FoundConcept], dropped: Counter[str], language: str
) -> tuple[list[FoundConcept], Counter[str]]:
    """Return the concepts with those questions that pass the checks, and what was dropped in all."""
    found: list[FoundConcept] = []
    asked: list[DraftQuestion] = []
    for concept in concepts:
        made = make_questions(
            concept.as_text(),
            [one.as_text() for one in concepts if one is not concept],
            language=language,
            drafts=concept.questions,
            count=len(concept.questions),
            seed=0,
            asked=[(one.prompt, one.explanation) for one in asked],
            by_rules=0,
        )
        asked += made.questions
        found.append(replace(concept, questions=made.questions))
        dropped += Counter(made.dropped)
    return found, dropped
