"""An answer's states as server-sent events.

`sources` carries the rendered margin notes, `text` the whole text so far (when a reader arrives or a draft was
dropped) and `token` what has been added since, both plain, `done` the finished turn as the server renders it. `away`
says that the database does not answer: the page connects again by itself, and gets `text` when there is more to say.
`fault` says that something went wrong here, and how to look again: the page does not connect any more.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection

from chatbots.models import Message
from chatbots.streaming.jobs import follow
from rest.problems import status_of

logger = logging.getLogger(__name__)

FAULT = 'Something went wrong on our side. Your question is kept: <a href="">look again</a>.'
AWAY = "The database does not answer just now. Your question is kept, and the answer goes on here as soon as it does."


async def events(
    message_id: UUID,
    *,
    render_sources: Callable[[UUID, Message | None], str],
    render_done: Callable[[UUID], str],
) -> AsyncIterator[bytes]:
    """Encoded events until the answer is finished. The renderers run in a thread and get the message's id.

    That of the sources gets the message with its sources as well, where the answer is written in this process.
    """
    try:
        async for event in _events(message_id, render_sources, render_done):
            yield event
    except Exception as error:
        logger.exception("Answer %s could not be followed", message_id)
        is_away = status_of(error) == HTTPStatus.SERVICE_UNAVAILABLE
        yield _event("away", AWAY) if is_away else _event("fault", FAULT)


async def _events(
    message_id: UUID,
    render_sources: Callable[[UUID, Message | None], str],
    render_done: Callable[[UUID], str],
) -> AsyncIterator[bytes]:
    shown_sources, sent, draft = False, "", 0
    async for state in follow(message_id):
        if state.is_finished:
            yield _event("done", await _render(render_done, message_id))
            return
        if state.has_sources and not shown_sources:
            yield _event("sources", await _render(render_sources, message_id, state.found))
            shown_sources = True
        if state.drafts != draft or not state.text.startswith(sent):
            yield _event("text", state.text)
        elif len(state.text) > len(sent):
            yield _event("token", state.text[len(sent) :])
        draft, sent = state.drafts, state.text


async def _render(renderer: Callable[..., str], *of: Any) -> str:
    def render() -> str:
        try:
            return renderer(*of)
        finally:
            connection.close()

    return await sync_to_async(render, thread_sensitive=False)()


def _event(name: str, data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.replace("\r", "").split("\n"))
    return f"event: {name}\n{lines}\n".encode()
