"""What an answerer was given for an answer: kept when it is asked, and told to the owner of the answer."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction

from chatbots.answering.explanations import record_of
from chatbots.answering.finalize import Ended
from chatbots.answering.prompts import split_prompt
from chatbots.answering.retrieval import Retrieval
from chatbots.answering.snapshots import snapshot_of
from chatbots.models import Message, MessageSource, MessageStatus, Mode, PromptRecord
from engines.extractive.answerer import ExtractiveAnswerer
from engines.llm import LLM, ChatMessage, Prompt


def store(message: Message, found: Retrieval, prompt: Prompt | None, llm: LLM) -> list[MessageSource]:
    """What was found and what the answerer is given, with all that is needed to explain the answer later (C5)."""
    message.unavailable = [kind.value for kind in found.unavailable]
    message.chosen = record_of(found)
    given = {passage.number: passage for passage in prompt.passages} if prompt else None
    sources = [
        snapshot_of(message, number, placed, given) for number, placed in enumerate(found.placed, start=1)
    ]
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
