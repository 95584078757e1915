"""What an answerer was given for an answer: kept when it is asked, and told to the owner of the answer."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction

from chatbots.answering.explanations import record_of, standing_of
from chatbots.answering.finalize import Ended
from chatbots.answering.prompts import split_prompt
from chatbots.answering.retrieval import Retrieval
from chatbots.models import Message, MessageSource, MessageStatus, Mode, PromptRecord
from corpus.search.fusion import SelectedPassage
from engines.extractive.answerer import ExtractiveAnswerer
from engines.llm import LLM, ChatMessage, NumberedPassage, Prompt


def store(message: Message, found: Retrieval, prompt: Prompt | None, llm: LLM) -> list[MessageSource]:
    """What was found and what the answerer is given, with all that is needed to explain the answer later (C5)."""
    message.unavailable = [kind.value for kind in found.unavailable]
    message.chosen = record_of(found)
    given = {passage.number: passage for passage in prompt.passages} if prompt else None
    sources = [_source(message, number, placed, given) for number, placed in enumerate(found.placed, start=1)]
    fields = ["unavailable", "timings", "searched_for", "chosen", "mode", "model"]
    keep(message, sources, prompt, llm, fields)
    return sources


@transaction.atomic
def keep(
    message: Message,
    sources: Sequence[MessageSource],
    prompt: Prompt | None,
    llm: LLM,
    fields: Sequence[str],
) -> None:
    """Raises Ended where somebody has ended the answer meanwhile."""
    writing = Message.objects.filter(pk=message.pk, status=MessageStatus.WRITING)
    if not writing.update(**{name: getattr(message, name) for name in fields}):
        raise Ended
    MessageSource.objects.bulk_create(sources)
    if prompt:
        keep_prompt(message, prompt, llm)


def as_it_is(message: Message, sources: Sequence[MessageSource]) -> Message:
    """A copy for readers, who look at it while the message is written on."""
    shown = copy.copy(message)
    shown._prefetched_objects_cache = {"sources": list(sources)}  # type: ignore[attr-defined]
    return shown


def keep_prompt(message: Message, prompt: Prompt, llm: LLM) -> None:
    """Keep a prompt as a model gets it; whoever only quotes gets none."""
    if llm.generative:
        PromptRecord.objects.create(
            school_id=message.school_id,
            message=message,
            turns=[asdict(turn) for turn in prompt.messages],
            answerer=llm.name[:120],
        )


def keep_times(message: Message, times: int) -> None:
    """Say how often a model was given its prompt."""
    PromptRecord.objects.filter(message=message).update(times=times)


def what_was_given(message: Message) -> dict[str, Any]:
    """Template context: the parts of the prompt if a model was asked, else the passages that were read."""
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


def _source(
    message: Message, number: int, placed: SelectedPassage, given: Mapping[int, NumberedPassage] | None
) -> MessageSource:
    """A passage as it stands now. Of what the answerer is given, one that was cut to fit is kept as it is given."""
    passage, read = placed.passage, (given or {}).get(number)
    return MessageSource(
        school_id=message.school_id,
        message=message,
        number=number,
        kind=passage.kind,
        also_in=[f"{twin.kind.label}: {twin.document_title}" for twin in placed.also],
        document_id=passage.document_id,
        document_title=passage.document_title,
        version=passage.version,
        media_type=passage.media_type,
        heading_path=list(passage.heading_path),
        page=passage.page,
        line_start=passage.lines[0] if passage.lines else None,
        line_end=passage.lines[1] if passage.lines else None,
        file_path=passage.file_path,
        label=passage.label,
        position=passage.position,
        excerpt=read.excerpt if read else passage.excerpt,
        text=read.text if read else passage.text,
        relevance=passage.relevance,
        weight=placed.weight,
        standing=standing_of(passage),
        was_given=given is None or number in given,
        is_recognised=passage.is_recognised,
    )
