"""An answer as server-sent events of JSON, for programs.

`queued` says how many other questions are prepared `before`, as often as that changes. `sources` has the passages,
`token` text to append, `reasoning` what a model thinks, which is no part of the answer, and `done` the whole answer. If
that is `unverified`, `verified` follows: the whole answer again, with the verdicts on its citations. `text` replaces
all text so far, for example when a draft was dropped. A failed answer ends with `error`. The answer is finished and
kept even if the reader disconnects.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any
from uuid import UUID

from rest_framework.utils.encoders import JSONEncoder

from chatbots.answering.draft import Event, Kind
from chatbots.models import Message
from chatbots.streaming.access import Subscriber
from chatbots.streaming.follow import follow
from chatbots.streaming.outcomes import Failure, load_final_outcome, load_outcome, read_failure
from chatbots.streaming.registry import AnswerJob
from engines import background

Present = Callable[[Message], dict[str, object]]


async def stream_json(
    message_id: UUID, reader: Subscriber, *, present: Present, job: AnswerJob | None = None
) -> AsyncGenerator[bytes]:
    """Encoded events until the answer is finished and verified. A failure becomes the last event."""
    try:
        has_sources, sent, is_done = False, "", False
        async for event in follow(message_id, reader, job):
            match event.kind:
                case Kind.QUEUED:
                    yield _encoded("queued", {"before": event.queued})
                case Kind.SOURCES:
                    so_far: Message | Failure | None = event.message
                    if so_far is None:
                        so_far = await background.run_in_pool("requests", load_outcome, message_id)
                    if not isinstance(so_far, Failure):
                        has_sources = True
                        yield _encoded("sources", _of_sources(present(so_far)))
                case Kind.DROPPED:
                    sent = ""
                    yield _encoded("text", {"text": ""})
                case Kind.TEXT:
                    sent += event.text
                    yield _encoded("token", {"text": event.text})
                case Kind.REASONING:
                    yield _encoded("reasoning", {"text": event.text})
                case Kind.DONE:
                    is_done = True
                    for part in _last(await _ended(message_id, event, present), has_sources, sent):
                        yield part
                case Kind.VERIFIED:
                    verified = await _ended(message_id, event, present)
                    if isinstance(verified, Failure):
                        yield _encoded("error", verified.body)
                    else:
                        yield _encoded("verified", verified)
        if not is_done:  # this process shuts down
            for part in _last(await _ended(message_id, Event(Kind.DONE), present), has_sources, sent):
                yield part
    except Exception as failure:
        yield _encoded("error", read_failure(message_id, failure).body)


async def _ended(message_id: UUID, event: Event, present: Present) -> dict[str, object] | Failure:
    """The whole answer."""
    found: Message | Failure | None = event.message
    if found is None:
        found = await background.run_in_pool("requests", load_final_outcome, message_id)
    return found if isinstance(found, Failure) else present(found)


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


def _of_sources(answer: dict[str, object]) -> dict[str, object]:
    return {name: answer[name] for name in ("message_id", "chat_id", "mode", "sources", "unavailable")}


def _encoded(name: str, data: dict[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, cls=JSONEncoder, ensure_ascii=False)}\n\n".encode()
