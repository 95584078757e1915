"""Answer with all steps in the thread of a test, one event at a time, also in a transaction that nobody else sees."""

from __future__ import annotations

from collections.abc import Generator

from django.db import connection

from chatbots.answering import execution, finalize
from chatbots.answering.draft import Event
from chatbots.answering.pipeline import Answer
from chatbots.answering.recorder import Recorder
from engines import background


def answer_here(steps: Answer | Recorder) -> Generator[Event]:
    """Yield the events of an answer. Raises what its steps raise."""
    yield from steps.prepare()
    connection.close()  # none is held while a model is waited for
    if steps.must_rewrite:
        background.run(steps.rewrite()).result()
        yield from steps.search()
        connection.close()
    if steps.must_write:
        yield from execution.run_here(steps.write(execution.read_here))
        yield from steps.finish()


def count_lent_connections() -> int:
    """How many connections of the pool other threads have."""
    connection.close()
    stats = connection.pool.get_stats()  # type: ignore[attr-defined]
    return int(stats["pool_size"] - stats["pool_available"])


def record_here(steps: Recorder) -> Generator[Event]:
    """Answer and store it. If closed early, the answer is interrupted, as at the end of a process."""
    text = ""
    try:
        for event in answer_here(steps):
            text += event.text
            yield event
    except GeneratorExit:
        if finalize.interrupt(steps.message, text=text):
            finalize.verify_stored(steps.message)
        raise
