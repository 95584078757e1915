"""Store what the model got for an answer, and prepare it for display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.db import transaction

from chatbots.answering.draft import Draft
from chatbots.answering.explanations import build_standing_record
from chatbots.answering.prompts import split_prompt
from chatbots.answering.selected_text import UNTITLED_SELECTION, SelectionPart, get_selection
from chatbots.models import Message, MessageSource, MessageStatus, Mode, PromptRecord, Selection, make_snapshot_fields
from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.answerer import ExtractiveAnswerer
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import SELECTION
from engines.llm import ChatMessage


@transaction.atomic
def store(message: Message, draft: Draft) -> bool:
    """Store the sources and the prompt, so that the answer can be explained later (C5), and set them on `message`.

    False if the answer has been ended meanwhile.
    """
    values = fields(draft)
    if not Message.objects.filter(pk=message.pk, status=MessageStatus.WRITING).update(**values):
        return False
    for name, value in values.items():
        setattr(message, name, value)
    create_sources(message, draft)
    if draft.is_generated and draft.prompt:
        turns, model = _turns(draft.prompt), draft.model[:120]
        PromptRecord.objects.create(school_id=message.school_id, message=message, turns=turns, answerer=model)
    return True


def fields(draft: Draft) -> dict[str, Any]:
    """What a message says of the search."""
    return {
        "mode": draft.mode,
        "model": draft.model,
        "searched_for": draft.searched_for,
        "unavailable": [kind.value for kind in draft.unavailable],
        "chosen": dict(draft.chosen),
        "timings": dict(draft.timings),
    }


def create_sources(message: Message, draft: Draft) -> None:
    """Store the sources, and set them on `message`."""
    sources = _sources(message, draft)
    for source in sources:
        source.is_cited = source.number in draft.cited
    if sources:
        MessageSource.objects.insert(sources)
    keep_sources(message, sources)


def keep_sources(message: Message, sources: Iterable[MessageSource]) -> None:
    """Let `message.sources.all()` return these rows, as if they were prefetched."""
    found: Any = MessageSource.objects.filter(message=message)
    found._result_cache, found._prefetch_done = list(sources), True
    message._prefetched_objects_cache = {"sources": found}  # type: ignore[attr-defined]


def store_second_prompt(message: Message, prompt: AnswerPrompt) -> None:
    """Store that the model was asked twice, and what it was asked last."""
    PromptRecord.objects.filter(message=message).update(times=2, turns=_turns(prompt))


def build_record_context(message: Message) -> dict[str, object]:
    """Template context: the parts of the prompt if a model was asked, else the passages."""
    prompt = PromptRecord.objects.filter(message=message).first()
    sources = list(message.sources.all())
    by_number = {source.number: source for source in sources}
    parts = split_prompt([ChatMessage(**turn) for turn in prompt.turns]) if prompt else []
    return {
        "message": message,
        "prompt": prompt,
        "parts": [(part, by_number.get(part.number)) for part in parts],
        "left_out": [source for source in sources if not source.was_given],
        "quoted_from": sources if message.model == ExtractiveAnswerer.name else [],
        "not_asked": message.mode == Mode.REFUSED and not sources,
        "was_rewritten": bool(message.searched_for and "rewrite_ms" in message.timings),
    }


def _turns(prompt: AnswerPrompt) -> list[dict[str, object]]:
    return [asdict(turn) for turn in prompt.messages]


def _sources(message: Message, draft: Draft) -> list[MessageSource]:
    given = {passage.number: passage for passage in draft.prompt.passages} if draft.prompt else None
    selection = get_selection(message) if message.is_about_selection else None
    return [
        _passage(message, number, source, given)
        if isinstance(source, SelectedPassage)
        else _part(message, source, given or {}, selection)
        for number, source in enumerate(draft.sources, start=1)
    ]


def _passage(
    message: Message, number: int, placed: SelectedPassage, given: Mapping[int, NumberedPassage] | None
) -> MessageSource:
    """A copy of a passage as it is now. If it was cut to fit the prompt, the copy has the cut text."""
    passage, read = placed.passage, (given or {}).get(number)
    return MessageSource(
        school_id=message.school_id,
        message=message,
        number=number,
        also_in=[f"{twin.kind.label}: {twin.document_title}"[:300] for twin in placed.also],
        relevance=passage.relevance,
        certainty=passage.certainty,
        answer_words=passage.answer_words,
        weight=placed.weight,
        standing=build_standing_record(passage),
        was_given=given is None or number in given,
        **make_snapshot_fields(passage) | ({"excerpt": read.excerpt, "text": read.text} if read else {}),
    )


def _part(
    message: Message, part: SelectionPart, given: Mapping[int, NumberedPassage], selection: Selection | None
) -> MessageSource:
    """A part of a selected text as a source, so that it can be opened and checked (C5)."""
    read = given.get(part.number)
    return MessageSource(
        school_id=message.school_id,
        message=message,
        number=part.number,
        kind=SELECTION.value,
        document_id=selection.document_id if selection else None,
        document_title=(selection.document_title if selection else "") or UNTITLED_SELECTION,
        version=selection.version if selection else None,
        position=part.position,
        excerpt=read.excerpt if read else part.excerpt,
        text=read.text if read else part.text,
        relevance=part.relevance,
        weight=100,
        was_given=read is not None,
    )
