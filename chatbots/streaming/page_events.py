"""An answer as server-sent events for the pages.

`sources` carries the rendered margin notes, `text` the whole text so far (when a reader arrives or a draft was
dropped) and `token` what has been added since, both plain, `done` the finished turn as the server renders it. `away`
says that the database does not answer: the page connects again by itself, and gets `text` when there is more to say.
`fault` says that something went wrong here, or that the reader may not read on, and how to look again: the page does
not connect any more.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from uuid import UUID

from chatbots.streaming.access import LOST, AccessLost, Reader
from chatbots.streaming.follow import Done, Sources, Text, Token, follow
from chatbots.streaming.responses import in_thread, release_connection
from rest.problems import status_of

logger = logging.getLogger(__name__)

FAULT = 'Something went wrong on our side. Your question is kept: <a href="">look again</a>.'
AWAY = "The database does not answer just now. Your question is kept, and the answer goes on here as soon as it does."

Renderer = Callable[[UUID], str]


async def events(
    message_id: UUID, reader: Reader, *, render_sources: Renderer, render_done: Renderer
) -> AsyncIterator[bytes]:
    """Encoded events until the answer is finished. The renderers run in a thread and get the message's id."""
    await release_connection()
    try:
        async for event in follow(message_id, reader):
            match event:
                case Sources():
                    yield _encoded("sources", await in_thread(render_sources, message_id))
                case Text(text):
                    yield _encoded("text", text)
                case Token(text):
                    yield _encoded("token", text)
                case Done():
                    yield _encoded("done", await in_thread(render_done, message_id))
    except AccessLost:
        yield _encoded("fault", f'{LOST} <a href="">Look again</a>.')
    except Exception as error:
        logger.exception("Answer %s could not be followed", message_id)
        is_away = status_of(error) == HTTPStatus.SERVICE_UNAVAILABLE
        yield _encoded("away", AWAY) if is_away else _encoded("fault", FAULT)


def _encoded(name: str, data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.replace("\r", "").split("\n"))
    return f"event: {name}\n{lines}\n".encode()
