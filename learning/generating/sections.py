"""Concepts and questions that a language model wrote as one JSON, a section at a time, and their checks."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from chatbots.answering.sanitize import delimit_source, sanitize, sanitize_attribute
from chatbots.citations.markers import list_cited_numbers
from chatbots.passages import NumberedPassage
from corpus.passages import Passage
from engines.embedding import Embedder
from engines.errors import EngineError
from engines.llm import LLM, ChatMessage, Prompt, read_reply
from learning.concepts.finding import Survey, build_concepts, spread, survey
from learning.concepts.marks import Candidate, Mark, Mentions, is_term
from learning.material import MAX_CONCEPTS, ConceptText, DraftQuestion, FoundConcept, QuestionKind
from learning.questions.checking.checks import DropReason
from learning.questions.make import make_questions
from learning.questions.sources import flat
from learning.questions.wording import TOLERANCE, shuffle
from learning.reading.statements import Statement, find_fault, find_term, plain
from text.names import Key, is_name, make_name_key, strip_article
from text.sections import is_exercise
from text.tokens import estimate_tokens
from text.words import read_words

_FORBIDDEN = re.compile(r"https?:|<[a-z/!]|[\x00-\x08\x0e-\x1f\ud800-\udfff]", re.IGNORECASE)


@dataclass(frozen=True)
class WrittenConcept:
    """A concept as a model gave it: `number` is that of the passage that defines it."""

    name: str
    number: int
    definition: str
    synonyms: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    questions: tuple[DraftQuestion, ...] = ()


def read_concepts(reply: str, made_by: str) -> list[WrittenConcept] | None:
    """Return the concepts of a reply, with questions made by the model of this name; None if it is no such JSON."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        items = json.loads(reply[start : end + 1])["concepts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(items, list):
        return None
    return [concept for item in items if isinstance(item, dict) and (concept := _read_concept(item, made_by))]


def _read_concept(item: Mapping[str, Any], made_by: str) -> WrittenConcept | None:
    name, definition, number = item.get("name"), item.get("definition"), item.get("source")
    if isinstance(number, str) and re.fullmatch(r"\[?\d{1,6}\]?", number):
        number = int(number.strip("[]"))
    if not (isinstance(name, str) and isinstance(definition, str) and isinstance(number, int)):
        return None
    if _FORBIDDEN.search(name):
        return None
    synonyms, needs = ([one for one in _list(item, part) if isinstance(one, str)] for part in ("synonyms", "needs"))
    questions = [question for one in _list(item, "questions") if (question := read_question(one, made_by))]
    name, definition = " ".join(name.split()), " ".join(definition.split())
    return WrittenConcept(name, number, definition, tuple(synonyms), tuple(needs), tuple(questions))


def read_question(item: object, made_by: str = "") -> DraftQuestion | None:
    """Return a question, None if it has not the parts of its kind. `find_faults` says whether it can be asked."""
    try:
        found = _clean(item)
        kind = QuestionKind(found["kind"])
        options, targets, answer = _read_parts(kind, found)
        texts = [found["prompt"], found["explanation"], *options, *targets]
        if not all(isinstance(one, str) for one in texts):
            return None
        numbers = tuple(sorted(list_cited_numbers(found["explanation"])))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return None
    return DraftQuestion(kind, found["prompt"], answer, found["explanation"], numbers, options, targets, made_by)


_Parts = tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]]


def _read_parts(kind: QuestionKind, found: Mapping[str, Any]) -> _Parts:
    match kind:
        case QuestionKind.SINGLE | QuestionKind.SEVERAL:
            return tuple(_list(found, "options")), (), {"correct": found["correct"]}
        case QuestionKind.CLOZE:
            return (), (), {"accepted": found["accepted"]}
        case QuestionKind.TRUTH:
            return (), (), {"value": found["value"], "reason": found["reason"]}
        case QuestionKind.NUMBER:
            return (), (), {"value": found["value"], "unit": found.get("unit", ""), "tolerance": TOLERANCE}
        case QuestionKind.ORDER:
            options = _mix(found["steps"])
            return options, (), {"order": [options.index(step) for step in found["steps"]]}
        case QuestionKind.MATCH:
            targets = _mix([meaning for _, meaning in found["pairs"]])
            pairs = [targets.index(meaning) for _, meaning in found["pairs"]]
            return tuple(term for term, _ in found["pairs"]), targets, {"pairs": pairs}
        case QuestionKind.SHORT:
            return (), (), {"reference": found["reference"]}


def _list(found: Mapping[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    return value[:30] if isinstance(value, list) else []


def _clean(value: Any) -> Any:
    """Return a value of JSON with single spaces in its texts. Raises ValueError for texts that are long or no text."""
    match value:
        case str():
            if len(value) > 800 or _FORBIDDEN.search(value):
                raise ValueError
            return " ".join(value.split())
        case list():
            return [_clean(one) for one in value]
        case dict():
            return {key: _clean(one) for key, one in value.items()}
    return value


def _mix(texts: list[str]) -> tuple[str, ...]:
    """Return these texts in another order, the same each time."""
    mixed = shuffle(texts, Random("\n".join(texts)))  # noqa: S311 - no secret
    return mixed if list(mixed) != texts else (*mixed[1:], *mixed[:1])


logger = logging.getLogger(__name__)

MAX_TOKENS = 5_000
"""Tokens of the passages of one concept, about."""

_RULES = Path(__file__).with_name("rules.txt").read_text(encoding="utf-8").strip()
RULES_TOKENS = estimate_tokens(_RULES)
"""About how many tokens each request has beside its passages."""

_SECTION = "Name at most {most} concepts, in teaching order, each with two questions of different kinds."
_CONCEPT = "Name one concept, “{name}”, with {count} questions of different kinds. Others, for wrong options: {others}."


def ask_about_section(
    llm: LLM, passages: Sequence[NumberedPassage], *, topic: str, language: str, most: int
) -> list[WrittenConcept] | None:
    """Ask for the concepts of these passages. None for a reply that cannot be read, or none."""
    about = f"<topic>\n{sanitize(topic)}\n</topic>\n\n" if topic else ""
    return _ask(llm, passages, about + _SECTION.format(most=most), language)


def ask_about_concept(
    llm: LLM, concept: ConceptText, others: Sequence[ConceptText], *, language: str, count: int
) -> list[DraftQuestion] | None:
    """Ask for questions about one concept, by its numbered passages. None for a reply that cannot be read, or
    none."""
    room, passages = MAX_TOKENS, list[NumberedPassage]()
    for passage in concept.passages:
        room -= estimate_tokens(passage.text)
        if passages and room < 0:
            break
        passages.append(passage)
    names = ", ".join(sanitize_attribute(one.name) for one in others[:20]) or "none"
    task = _CONCEPT.format(count=count, name=sanitize_attribute(concept.name), others=names)
    found = _ask(llm, passages, task, language)
    return None if found is None else [question for one in found for question in one.questions]


def _ask(llm: LLM, passages: Sequence[NumberedPassage], task: str, language: str) -> list[WrittenConcept] | None:
    sources = "\n\n".join(map(delimit_source, passages))
    messages = (
        ChatMessage("system", _RULES.format(language=read_words(language)["name"])),
        ChatMessage("user", f"<sources>\n{sources}\n</sources>\n\n{task}"),
    )
    try:
        return read_concepts(read_reply(llm, Prompt(messages), 60_000), made_by=llm.name)
    except EngineError as error:
        logger.warning("The language model failed while it wrote a study plan: %s", type(error).__name__)
        return None


SECTION_TOKENS, MAX_SECTIONS, CONCEPTS_OF_A_SECTION = 600, 30, 6
"""About how much one request has, so that its reply fits a usual limit, and how many requests are made for a plan."""

MAX_FAILURES = 2
"""Replies that fail or cannot be read, after which the model is asked nothing more about a plan."""


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


def describe_cost(llm: LLM, concepts: int) -> str:
    """Say what a plan with so many concepts costs at most, before it is asked for; "" without a language model."""
    if not llm.generative:
        return ""
    tokens = MAX_SECTIONS * (SECTION_TOKENS + RULES_TOKENS) + concepts * (MAX_TOKENS + RULES_TOKENS)
    return (
        f"The language model “{llm.name}” is asked at most {MAX_SECTIONS + concepts} times, with {tokens:,} tokens in "
        f"all: once for each section of some {SECTION_TOKENS} tokens, and for each concept that has no questions then."
    )


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
