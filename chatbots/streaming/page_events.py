"""An answer as server-sent events for the pages.

`queued` says in words how many other questions are prepared first. `sources` has the rendered margin notes and `done`
the rendered exchange, alone where nothing was shown before. `text` is JSON: `finished` blocks as HTML to add, the
`unfinished` block as HTML in place of the former one, and `anew` if all that was shown goes, as when a reader connects
or a draft was dropped. `reasoning` has the model's whole reasoning so far, `reasoning-token` what was added, both as
plain text. `away` means that the database does not answer: the page reconnects by itself. `fault` means an error or
lost access: it does not.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from http import HTTPStatus
from uuid import UUID

from chatbots.answering.draft import Event, Kind
from chatbots.citations.markers import strip_markers
from chatbots.citations.rendering import render_plain_citations, render_unfinished
from chatbots.models import Message
from chatbots.streaming import access
from chatbots.streaming.access import LOST, AccessLost, Subscriber
from chatbots.streaming.follow import compare_states, follow
from chatbots.streaming.outcomes import read_failure
from chatbots.streaming.registry import AnswerState
from chatbots.streaming.responses import encode_event, encode_json
from corpus.reading.rendering import last_block_start
from corpus.reading.unfinished import complete
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


async def stream_page_events(
    message_id: UUID,
    reader: Subscriber,
    *,
    render_sources: Callable[[Message], str],
    render_done: Callable[[], str],
    cites: bool = True,
    holds: bool = False,
    lost: str = LOST,
) -> AsyncGenerator[bytes]:
    """Encoded events until the answer is finished. The renderers run in a thread. `cites` and `holds` are those of an
    audience policy; `lost` is said to a reader who loses access."""
    citations: dict[int, str] = {}
    text, is_anew = _TextAsHTML(citations, cites=cites), True
    try:
        async for event in _follow_shown(message_id, reader, holds=holds):
            match event.kind:
                case Kind.QUEUED:
                    yield encode_event("queued", _in_line(event.queued))
                case Kind.SOURCES:
                    shown = event.message, message_id, render_sources
                    html, found = await background.run_in_pool("requests", _with_sources, *shown)
                    yield encode_event("sources", html)
                    citations.update(found)
                case Kind.DROPPED:
                    text, is_anew = _TextAsHTML(citations, cites=cites), True
                case Kind.TEXT:
                    began = time.monotonic()
                    yield encode_event("text", encode_json({"anew": is_anew, **text.add(event.text)}))
                    is_anew = False
                    await asyncio.sleep(max(len(access.watches) / TEXTS, _REST * (time.monotonic() - began)))
                case Kind.REASONING:
                    yield encode_event("reasoning-token" if event.offset else "reasoning", event.text)
                case Kind.DONE:
                    yield encode_event("done", await background.run_in_pool("requests", render_done))
    except AccessLost:
        yield encode_event("fault", f'{lost} <a href="">Look again</a>.')
    except Exception as error:
        is_away = read_failure(message_id, error).status == HTTPStatus.SERVICE_UNAVAILABLE
        yield encode_event("away", AWAY) if is_away else encode_event("fault", FAULT)


async def _follow_shown(message_id: UUID, reader: Subscriber, *, holds: bool) -> AsyncGenerator[Event]:
    """What is shown: the end alone where nothing was shown before."""
    known = AnswerState()
    with access.watch_access(reader) as watch:
        async for state in follow(message_id, watch):
            is_end_alone = holds or (state.is_done and not known.has_sources)
            for event in compare_states(known, state):
                if not is_end_alone or event.kind in (Kind.QUEUED, Kind.DONE):
                    yield event
            known = state


def _in_line(before: int) -> str:
    if not before:
        return SEARCHING
    return f"{before} question{'s' if before > 1 else ''} of others first, then yours…"


def _with_sources(
    known: Message | None, message_id: UUID, render: Callable[[Message], str]
) -> tuple[str, dict[int, str]]:
    """Its rendered sources, and the citations of each by number; nothing if the message was erased meanwhile."""
    message = known
    if message is None:
        rows = Message.objects.select_related("chat__chatbot", "chat__participant").prefetch_related("sources")
        message = rows.filter(pk=message_id).first()
    return (render(message), render_plain_citations(message.sources.all())) if message else ("", {})


class _TextAsHTML:
    """A growing text as HTML: finished blocks, which stay, and the unfinished one after them."""

    def __init__(self, citations: Mapping[int, str], *, cites: bool) -> None:
        self._citations, self._cites, self.open = citations, cites, ""
        # An answer without a language model ends with a line that says so; the page says it once, elsewhere.
        self._closing = None if get_llm().generative else _CLOSING

    def add(self, piece: str) -> dict[str, str]:
        """Return the blocks that are finished now, and the unfinished one, which replaces the former one."""
        self.open += piece
        end = last_block_start(self.open) if "\n" in self.open else 0
        finished = self.render(self.open[:end]) if end else ""
        self.open = self.open[end:]
        return {"finished": finished, "unfinished": self.render(complete(self.open))}

    def render(self, text: str) -> str:
        if self._closing and self._closing.fullmatch(text):
            return ""
        return render_unfinished(text if self._cites else strip_markers(text), self._citations if self._cites else {})
