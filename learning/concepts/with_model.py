"""Find the concepts of passages with a language model, each checked against its passage."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from chatbots.citations.claim_verification import Support, verify_claims
from chatbots.passages import NumberedPassage
from corpus.passages import Passage
from engines.embedding import Embedder
from engines.errors import EngineError
from engines.llm import LLM, Prompt, read_reply
from learning.concepts.finding import MIN_PASSAGE_WORDS, Survey, build_concepts, survey
from learning.concepts.marks import Candidate, Mark
from learning.concepts.model_prompt import (
    MAX_REPLY,
    ModelConcept,
    UnreadableAnswer,
    build_concepts_prompt,
    build_repeat_prompt,
    read_concepts,
)
from learning.concepts.names import Mentions
from learning.material import MAX_CONCEPTS, FoundConcept
from learning.reading.sections import is_exercise
from learning.reading.statements import Statement, find_fault, plain
from text.names import Key, is_name, make_name_key, strip_article
from text.sentences import sentence_starts
from text.tokens import estimate_tokens

logger = logging.getLogger(__name__)

BATCH_PASSAGES, BATCH_TOKENS, MAX_BATCHES = 12, 2_500, 10
"""What one request has at most, and how many requests are made for a plan."""


@dataclass
class _CheckedReplies:
    """What is left of the answers: candidates with their places in them, and prerequisites as claimed.

    `dropped` are names whose items did not stand, `read` the indexes of passages for which an answer could be read.
    """

    candidates: dict[Key, Candidate] = field(default_factory=dict)
    places: dict[Key, int] = field(default_factory=dict)
    claimed: dict[Key, set[Key]] = field(default_factory=dict)
    dropped: set[Key] = field(default_factory=set)
    read: set[int] = field(default_factory=set)


def find_concepts_with_model(
    passages: Sequence[Passage],
    *,
    topic: str = "",
    language: str,
    most: int = 30,
    llm: LLM,
    embedder: Embedder | None = None,
) -> list[FoundConcept]:
    """Return concepts as `find_concepts` does, named by a language model and checked against the passages.

    A concept stands if its name is in the passage and its definition is a sentence of it, or is supported by it as
    `verify_claims` has it. One that does not stand is replaced by that of the rules, if they know it. The rules also
    stand in for passages that the model did not read: of a long book, those whose answer could not be read twice, and
    all that are left once the model fails.
    """
    if not passages or most < 1:
        return []
    seen = survey(passages, topic=topic, language=language, embedder=embedder)
    most = min(most, MAX_CONCEPTS)
    checked = _CheckedReplies()
    batches = list(_batches(_worth_reading(seen, most), passages))
    share = min(most, most // max(len(batches), 1) + 5)  # a few more than its share
    for batch in batches:
        try:
            items = _asked(llm, build_concepts_prompt(batch, topic=topic, most=share))
        except UnreadableAnswer:
            continue
        except EngineError as error:
            logger.warning("The language model failed while it looked for concepts: %s", type(error).__name__)
            break
        checked.read |= {passage.number - 1 for passage in batch}
        _check(items, batch, seen, checked)
    return build_concepts(_choose(checked, seen, most), seen, checked.claimed)


def _worth_reading(seen: Survey, most: int) -> list[int]:
    """Return the indexes of passages for the model, in reading order: those that define, then evenly from the rest."""
    room = BATCH_PASSAGES * MAX_BATCHES
    teaching = [index for index, one in enumerate(seen.passages) if not is_exercise(one.heading_path)]
    if len(teaching) <= room:
        return teaching
    teaching = [index for index in teaching if len(seen.passages[index].excerpt.split()) >= MIN_PASSAGE_WORDS]
    defining = {one.statement.number for one in seen.candidates[: 2 * most] if one.statement}
    chosen = sorted(defining)[:room]
    rest = [index for index in teaching if index not in defining]
    step = max(1, len(rest) // max(1, room - len(chosen)))
    return sorted([*chosen, *rest[::step][: room - len(chosen)]])


def _batches(indexes: Sequence[int], passages: Sequence[Passage]) -> Iterator[list[NumberedPassage]]:
    """Yield the passages of each request; a passage has the number of its index, from 1."""
    batch: list[NumberedPassage] = []
    tokens = batches = 0
    for index in indexes:
        passage = passages[index]
        cost = estimate_tokens(passage.excerpt)
        if batch and (len(batch) == BATCH_PASSAGES or tokens + cost > BATCH_TOKENS):
            yield batch
            batches += 1
            batch, tokens = [], 0
            if batches == MAX_BATCHES:
                return
        given = (passage.document_title, passage.heading_path, passage.excerpt, passage.excerpt)
        batch.append(NumberedPassage(index + 1, *given))
        tokens += cost
    if batch:
        yield batch


def _asked(llm: LLM, prompt: Prompt) -> list[ModelConcept]:
    """Return the model's concepts; an answer that cannot be read is asked for once more. Raises UnreadableAnswer."""
    answer = read_reply(llm, prompt, MAX_REPLY)
    try:
        return read_concepts(answer)
    except UnreadableAnswer:
        return read_concepts(read_reply(llm, build_repeat_prompt(prompt, answer), MAX_REPLY))


def _check(
    items: Sequence[ModelConcept],
    batch: Sequence[NumberedPassage],
    seen: Survey,
    checked: _CheckedReplies,
) -> None:
    given = {passage.number: passage for passage in batch}
    for place, item in enumerate(items):
        name = strip_article(item.name)
        key = make_name_key(name, seen.language)
        if not key or key in checked.candidates:
            continue
        statement = None
        if is_name(name, seen.language) and item.number in given:
            statement = _definition(item, key, batch, seen)
        if statement is None:
            checked.dropped.add(key)
            continue
        text = plain(given[item.number].excerpt).casefold()
        synonyms = [one for one in item.synonyms if 1 < len(one) <= 60 and one.casefold() in text]
        known = next((one.mark for one in seen.candidates if one.key == key), Mark.NONE)
        checked.candidates[key] = Candidate(
            key,
            Counter({name: 1}),
            known,
            Counter(synonyms),
            order=_get_order(statement, seen),
            statement=statement,
            definition=statement.text,
        )
        checked.places[key] = place
        checked.claimed[key] = {needed for one in item.needs if (needed := make_name_key(one, seen.language))}


def _get_order(statement: Statement, seen: Survey) -> int:
    """Return the place of a statement, of one in other words that of the first one of its passage."""
    if statement in seen.statements:
        return seen.statements.index(statement)
    return next(place for place, one in enumerate(seen.statements) if one.number == statement.number)


def _definition(item: ModelConcept, key: Key, batch: Sequence[NumberedPassage], seen: Survey) -> Statement | None:
    """Return the definition as a statement of its passage, None if it does not stand.

    Other words than the source's are held against those of its sentences that stand alone: no order, no exercise.
    """
    own = [one for one in seen.statements if one.number == item.number - 1]
    source = next(passage for passage in batch if passage.number == item.number)
    mentions, wanted = Mentions([key], seen.language), plain(item.definition)
    if not mentions.count(plain(source.excerpt)) or not mentions.count(wanted):
        return None
    for statement in own:
        if _flat(statement.text) == _flat(wanted) and not find_fault(statement.text, seen.language):
            return statement
    telling = "\n\n".join(one.text for one in own if not find_fault(one.text, seen.language))
    if not telling or find_fault(wanted, seen.language) or any(sentence_starts(wanted)) or "[" in wanted:
        return None
    claim = f"{wanted.rstrip('.!')} [{item.number}]."
    given = [replace(passage, text=telling) if passage is source else passage for passage in batch]
    verdict = verify_claims(claim, given, language=seen.language).get(0)
    if verdict is None or verdict.state != Support.SUPPORTED:
        return None
    return Statement(wanted, own[0].number, wanted)


def _choose(checked: _CheckedReplies, seen: Survey, most: int) -> list[Candidate]:
    """Return the model's concepts that stood, the first of each answer before the second ones, then those of the rules
    for what did not stand and for passages that the model did not read."""
    chosen = {key: checked.candidates[key] for key in sorted(checked.candidates, key=checked.places.__getitem__)}
    for one in seen.candidates:
        if one.key in checked.dropped or (one.statement and one.statement.number not in checked.read):
            chosen.setdefault(one.key, one)
    return list(chosen.values())[:most]


def _flat(text: str) -> str:
    return " ".join(text.replace("’", "'").casefold().split()).strip(" .")
