"""An answer as server-sent events of JSON, for programs.

`queued` says how many other questions are prepared `before`, as often as that changes. `sources` has the passages,
`token` text to append, `reasoning` what a model thinks, which is no part of the answer, and `done` the whole answer. If
that is `unverified`, `verified` follows: the whole answer again, with the verdicts on its citations. `text` replaces
all text so far, for example when a draft was dropped. A failed answer ends with `error`. The answer is finished and
kept even if the reader disconnects.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from uuid import UUID

from rest_framework.utils.encoders import JSONEncoder

from chatbots.models import Message
from chatbots.streaming.access import Subscriber
from chatbots.streaming.follow import Done, Queued, Reasoning, Sources, Text, Token, VerdictsReady, follow
from chatbots.streaming.outcomes import Failure, final_outcome, outcome, read_failure
from engines import background

Present = Callable[[Message], dict[str, object]]


async def stream_json(message_id: UUID, reader: Subscriber, *, present: Present) -> AsyncIterator[bytes]:
    """Encoded events until the answer is finished and verified. A failure becomes the last event."""
    try:
        has_sources, sent, is_done = False, "", False
        async for event in follow(message_id, reader):
            match event:
                case Queued(before):
                    yield _encoded("queued", {"before": before})
                case Sources(known):
                    so_far = await background.run_in_pool("requests", _presented, known or message_id, present)
                    if not isinstance(so_far, Failure):
                        has_sources = True
                        yield _encoded("sources", _of_sources(so_far))
                case Text(text):
                    if sent or text:
                        yield _encoded("text" if sent else "token", {"text": text})
                    sent = text
                case Token(text):
                    sent += text
                    yield _encoded("token", {"text": text})
                case Reasoning(text):
                    yield _encoded("reasoning", {"text": text})
                case Done(known):
                    is_done = True
                    for part in _last(
                        await background.run_in_pool("requests", _ended, message_id, known, present), has_sources, sent
                    ):
                        yield part
                case VerdictsReady():
                    verified = await background.run_in_pool("requests", _ended, message_id, None, present)
                    if isinstance(verified, Failure):
                        yield _encoded("error", verified.body)
                    else:
                        yield _encoded("verified", verified)
        if not is_done:  # this process shuts down
            for part in _last(
                await background.run_in_pool("requests", _ended, message_id, None, present), has_sources, sent
            ):
                yield part
    except Exception as failure:
        yield _encoded("error", read_failure(message_id, failure).body)


def _last(ended: dict[str, Any] | Failure, has_sources: bool, sent: str) -> Iterator[bytes]:
    """The end of an answer, and before it whatever the client lacks."""
    if isinstance(ended, Failure):
        yield _encoded("error", ended.body)
        return
    if not has_sources:
        yield _encoded("sources", _of_sources(ended))
    whole = ended["answer"]
    if whole.startswith(sent) and whole != sent:
        yield _encoded("token", {"text": whole[len(sent) :]})
    elif whole != sent:
        yield _encoded("text", {"text": whole})
    yield _encoded("done", ended)


def _presented(message: Message | UUID, present: Present) -> dict[str, object] | Failure:
    found = message if isinstance(message, Message) else outcome(message)
    return found if isinstance(found, Failure) else present(found)


def _ended(message_id: UUID, known: Message | None, present: Present) -> dict[str, object] | Failure:
    found = final_outcome(message_id, known)
    return found if isinstance(found, Failure) else present(found)


def _of_sources(answer: dict[str, object]) -> dict[str, object]:
    return {name: answer[name] for name in ("message_id", "chat_id", "mode", "sources", "unavailable")}


def _encoded(name: str, data: dict[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, cls=JSONEncoder, ensure_ascii=False)}\n\n".encode()
