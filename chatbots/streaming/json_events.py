"""An answer as server-sent events of JSON, for programs.

`queued` says how many other questions are prepared `before`, as often as that changes. `sources` has the passages,
`token` text to append, `reasoning` what a model thinks, which is no part of the answer, and `done` the whole answer
with the verdicts on its citations. `text` replaces all text so far, for example when a draft was dropped. A failed
answer ends with `error`. The answer is finished and kept even if the reader disconnects.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from uuid import UUID

from chatbots.answering.draft import Kind
from chatbots.models import Message
from chatbots.streaming.access import Subscriber
from chatbots.streaming.outcomes import Failure, follow_whole, read_failure
from chatbots.streaming.registry import AnswerJob
from chatbots.streaming.responses import encode_event, encode_json
from rest.problems import describe_problem

Present = Callable[[Message], dict[str, object]]


async def stream_json(
    message_id: UUID, reader: Subscriber, *, present_sources: Present, present: Present, job: AnswerJob | None = None
) -> AsyncGenerator[bytes]:
    """Encoded events until the answer is finished. A failure becomes the last event."""
    try:
        async for event in follow_whole(message_id, reader, job):
            if isinstance(event, Failure):
                yield _failed(event)
                return
            match event.kind:
                case Kind.QUEUED:
                    yield _encoded("queued", {"before": event.queued})
                case Kind.SOURCES if event.message:
                    yield _encoded("sources", present_sources(event.message))
                case Kind.DROPPED:
                    yield _encoded("text", {"text": ""})
                case Kind.TEXT:
                    yield _encoded("token", {"text": event.text})
                case Kind.REASONING:
                    yield _encoded("reasoning", {"text": event.text})
                case Kind.DONE if event.message:
                    yield _encoded("done", present(event.message))
    except Exception as failure:
        yield _failed(read_failure(message_id, failure))


def _failed(failure: Failure) -> bytes:
    return _encoded("error", describe_problem(failure.status, failure.detail, **failure.ids))


def _encoded(name: str, data: dict[str, object]) -> bytes:
    return encode_event(name, encode_json(data))
