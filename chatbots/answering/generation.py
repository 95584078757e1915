"""The text of an answer: streamed from the model into the message, its citations put in order and checked."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import cast

from django.db import connection

from chatbots.answering.finalize import Ended, check_support
from chatbots.answering.prompt_record import keep_times
from chatbots.answering.refusals import is_partial_refusal, is_refusal
from chatbots.answering.sanitize import escape_copied_numbers
from chatbots.citations.markers import CheckedAnswer, CitationFilter, check_citations, strip_partial_marker
from chatbots.models import Message, Mode
from chatbots.streaming.heartbeat import Life
from engines.errors import EngineError
from engines.llm import LLM, Prompt

LONGEST = 32_000
"""Characters of an answer at most, some ten pages. A model that repeats itself without end would otherwise write until
its server gives up, and each piece of it would be sent, saved, checked and put into the next prompts."""

LONGEST_WORD = 100
"""Characters for which the end of a word is waited for when an answer is cut."""


@dataclass(frozen=True)
class TextAdded:
    """Text for readers, its citations as they stay."""

    text: str


@dataclass(frozen=True)
class TextDropped:
    """The text so far is void: the model is asked once more."""


def write_grounded(
    message: Message, prompt: Prompt, llm: LLM, life: Life, *, refuses_with: str
) -> Generator[TextAdded | TextDropped, None, tuple[int, ...]]:
    """Write from passages and return the numbers cited; wrong or no citations are asked for once more (C3)."""
    checked = CheckedAnswer("", (), ())
    for attempt in (1, 2):
        try:
            written = yield from write(message, prompt, llm, life)
        except EngineError:
            if attempt == 1:
                raise
            break  # the first draft stands, with its faults said
        if llm.generative:
            texts = [passage.text for passage in prompt.passages]
            written = escape_copied_numbers(strip_partial_marker(written), texts)
        checked = check_citations(written, len(prompt.passages), verbatim=not llm.generative)
        if is_refusal(checked.text) if llm.generative else not checked.text.strip():
            message.mode, message.answer = Mode.REFUSED, refuses_with
            return ()
        if not llm.generative or message.notice or (checked.cited and not checked.unknown):
            break
        if attempt == 1:
            message.answer = life.text = ""
            yield TextDropped()
            keep_times(message, 2)
    if checked.unknown:
        add_notice(message, "The model cited sources that do not exist; those marks were removed.")
    elif not checked.cited:
        add_notice(
            message, "The model named no source for this answer. Check it against the passages beside it."
        )
    elif llm.generative and is_partial_refusal(checked.text):
        add_notice(message, "The model says that the sources answer only a part of the question.")
    message.answer = checked.text
    check_support(message, prompt.passages, prompt.language)
    return checked.cited


def write(
    message: Message, prompt: Prompt, llm: LLM, life: Life
) -> Generator[TextAdded | TextDropped, None, str]:
    """Stream the model's text, its citations put in order, into `message.answer`; return it as the model wrote it.

    The pulse saves it meanwhile; no connection is held in between. What the model writes without end is cut.
    """
    connection.close()
    if life.is_over:
        raise Ended
    shown = CitationFilter(len(prompt.passages), verbatim=not llm.generative)
    written, cut = "", None
    with closing(cast("Generator[str, None, None]", llm.stream(prompt))) as pieces:
        for piece in pieces:
            text = piece.replace("\x00", "")
            cut = _cut(text, LONGEST - len(written))
            written += text if cut is None else cut
            if life.is_over:
                raise Ended
            if added := shown.feed(text if cut is None else cut):
                message.answer = life.text = message.answer + added
                yield TextAdded(added)
            if cut is not None:
                add_notice(message, "The answer became too long and was ended here.")
                break
    if added := shown.finish():
        message.answer = life.text = message.answer + added
        yield TextAdded(added)
    return written


def _cut(text: str, room: int) -> str | None:
    """What is kept, to the end of a word, of a piece that takes an answer beyond its length; None while it fits."""
    if len(text) <= room:
        return None
    end = _SPACE.search(text, max(room, 0))
    if end and end.start() <= room + LONGEST_WORD:
        return text[: end.start()]
    return text[: room + LONGEST_WORD] if len(text) >= room + LONGEST_WORD else None


_SPACE = re.compile(r"\s")


def add_notice(message: Message, words: str) -> None:
    """Say one more thing to the reader beside the answer."""
    message.notice = f"{message.notice} {words}".strip()
