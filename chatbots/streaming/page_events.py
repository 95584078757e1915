"""An answer as server-sent events for the pages.

`queued` says in words how many other questions are prepared first. `sources` has the rendered margin notes and `done`
the rendered exchange. If its claims are still being compared with the passages, `verified` follows, with the exchange
and the verdicts. `text` is JSON: `finished` blocks as HTML to add, the `unfinished` block as HTML in place of the
former one, and `anew` if all that was shown goes, as when a reader connects or a draft was dropped. `reasoning` has the
model's whole reasoning so far, `reasoning-token` what was added, both as plain text. `away` means that the database
does not answer: the page reconnects by itself. `fault` means an error or lost access: it does not.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from http import HTTPStatus
from uuid import UUID

from django.db.models import prefetch_related_objects

from chatbots.citations.markers import strip_markers
from chatbots.citations.rendering import render_unfinished
from chatbots.models import Message, MessageSource
from chatbots.streaming import registry
from chatbots.streaming.access import LOST, AccessLost, Subscriber
from chatbots.streaming.follow import Done, Queued, Reasoning, Sources, Text, Token, VerdictsReady, follow
from chatbots.streaming.growing import GrowingAnswer
from chatbots.streaming.outcomes import read_failure
from engines import background
from engines.llm import get_llm

FAULT = 'Something went wrong on our side. Your question is kept: <a href="">look again</a>.'
AWAY = "The database does not answer just now. Your question is kept, and the answer continues here."

SEARCHING = "Searching your sources…"

TEXTS = 300
"""Rendered texts a second for all readers of a process together. With more readers, each gets fewer and longer ones."""
_CLOSING = re.compile(r"\*[^*\n]+\*")
_REST = 5
"""A reader waits this many times as long as the last rendering took: a long block is rendered less often."""


async def events(
    message_id: UUID,
    reader: Subscriber,
    *,
    render_sources: Callable[[Message], str],
    render_done: Callable[[UUID], str],
    cites: bool = True,
    holds: bool = False,
    lost: str = LOST,
) -> AsyncIterator[bytes]:
    """Encoded events until the answer is finished. The renderers run in a thread.

    `render_sources` gets the message with its sources, `render_done` the id of the message. Without `cites` the text
    has no citations. With `holds` neither sources nor text are sent before the answer is finished. `lost` is said to a
    reader who loses access.
    """
    sources: dict[int, MessageSource] = {}
    answer = _growing(sources, cites=cites)
    try:
        async for event in follow(message_id, reader):
            if holds and not isinstance(event, Queued | Done | VerdictsReady):
                continue
            match event:
                case Queued(before):
                    yield _encoded("queued", _in_line(before))
                case Sources(known):
                    html, found = await background.run_in_pool(
                        "requests", _with_sources, known, message_id, render_sources
                    )
                    yield _encoded("sources", html)
                    sources.update(found)
                case Text(text) | Token(text):
                    anew, began = isinstance(event, Text), time.monotonic()
                    answer = _growing(sources, cites=cites) if anew else answer
                    yield _grown(answer, text, anew=anew)
                    await asyncio.sleep(max(registry.readers() / TEXTS, _REST * (time.monotonic() - began)))
                case Reasoning(text, is_whole):
                    yield _encoded("reasoning" if is_whole else "reasoning-token", text)
                case Done() | VerdictsReady():
                    name = "done" if isinstance(event, Done) else "verified"
                    yield _encoded(name, await background.run_in_pool("requests", render_done, message_id))
    except AccessLost:
        yield _encoded("fault", f'{lost} <a href="">Look again</a>.')
    except Exception as error:
        is_away = read_failure(message_id, error).status == HTTPStatus.SERVICE_UNAVAILABLE
        yield _encoded("away", AWAY) if is_away else _encoded("fault", FAULT)


def _in_line(before: int) -> str:
    if not before:
        return SEARCHING
    return f"{before} question{'s' if before > 1 else ''} of others first, then yours…"


def _with_sources(
    known: Message | None, message_id: UUID, render: Callable[[Message], str]
) -> tuple[str, dict[int, MessageSource]]:
    """Its rendered sources, and the sources by number; nothing if the message was erased meanwhile."""
    message = known or Message.objects.filter(pk=message_id).prefetch_related("sources").first()
    if message is None:
        return "", {}
    sources = list(message.sources.all())
    # Citations in growing text are rendered in the event loop, where nothing may be loaded.
    prefetch_related_objects(sources, "message__chat__chatbot", "message__chat__participant")
    return render(message), {source.number: source for source in sources}


def _growing(sources: Mapping[int, MessageSource], *, cites: bool) -> GrowingAnswer:
    """An answer without a language model ends with a line that says so; the page says it once, elsewhere."""
    closing = None if get_llm().generative else _CLOSING

    def render(text: str) -> str:
        if closing and closing.fullmatch(text):
            return ""
        return render_unfinished(text if cites else strip_markers(text), sources if cites else {})

    return GrowingAnswer(render)


def _grown(answer: GrowingAnswer, text: str, *, anew: bool) -> bytes:
    growth = answer.add(text)
    return _encoded(
        "text",
        json.dumps({"anew": anew, "finished": growth.finished, "unfinished": growth.unfinished}, ensure_ascii=False),
    )


def _encoded(name: str, data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.replace("\r", "").split("\n"))
    return f"event: {name}\n{lines}\n".encode()
