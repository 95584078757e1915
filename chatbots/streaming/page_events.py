"""An answer as server-sent events for the pages.

`sources` has the rendered margin notes and `done` the rendered exchange. `text` has the whole text so far, when a
reader connects or a draft was dropped, and `token` the text that was added; `reasoning` and `reasoning-token` are the
same for the model's reasoning. All four are plain text. `away` means that the database does not answer: the page
reconnects by itself. `fault` means an error or lost access: it does not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from uuid import UUID

from chatbots.streaming.access import LOST, AccessLost, Reader
from chatbots.streaming.follow import Done, Reasoning, Sources, Text, Token, follow
from chatbots.streaming.outcomes import read_failure
from chatbots.streaming.responses import in_thread, release_connection

FAULT = 'Something went wrong on our side. Your question is kept: <a href="">look again</a>.'
AWAY = "The database does not answer just now. Your question is kept, and the answer continues here."

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
                case Reasoning(text, is_whole):
                    yield _encoded("reasoning" if is_whole else "reasoning-token", text)
                case Done():
                    yield _encoded("done", await in_thread(render_done, message_id))
    except AccessLost:
        yield _encoded("fault", f'{LOST} <a href="">Look again</a>.')
    except Exception as error:
        is_away = read_failure(message_id, error).status == HTTPStatus.SERVICE_UNAVAILABLE
        yield _encoded("away", AWAY) if is_away else _encoded("fault", FAULT)


def _encoded(name: str, data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.replace("\r", "").split("\n"))
    return f"event: {name}\n{lines}\n".encode()
