"""What tests of the move to another embedding model do it with."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import Settings

from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from corpus.embedding.active_model import installation
from corpus.embedding.migrate_model import next_step, run_step
from corpus.embedding.next_vectors import block_switch
from corpus.models import Installation
from engines.embedding.models import DEFAULT
from knowledge.models import PersonalChunk
from school_library.models import SchoolChunk

QUESTION = "How strong may hydrochloric acid be?"
PACKAGED = "multilingual-e5-small/q4i8"


def name(model: str | Path, settings: Settings) -> None:
    settings.LECTERN_EMBEDDING_MODEL = str(model)
    settings.LECTERN_EMBEDDING_RUNTIME = "onnx-int8" if model == DEFAULT else "torch"


def reembed(*options: str) -> str:
    output = StringIO()
    call_command("reembed", *options, stdout=output)
    return output.getvalue()


def start(model: str | Path, settings: Settings) -> str:
    name(model, settings)
    return reembed("--no-wait")


def finish() -> None:
    """What the worker does, in this process."""
    while (step := next_step()) is not None:
        assert run_step(step)
        assert not installation().problem


@contextmanager
def worker() -> Iterator[None]:
    """A thread works on the move beside what the test does; it is done at the end."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while (step := next_step()) is not None:
                run_step(step)
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join(120)
    assert errors == []


@contextmanager
def unfinished() -> Iterator[None]:
    """The move does not end while this lasts: somebody writes library passages all the time."""
    begun, over = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            block_switch(SchoolChunk)
            begun.set()
            over.wait(120)
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert begun.wait(120)
    try:
        yield
    finally:
        over.set()
        thread.join(120)


def in_the_middle() -> bool:
    return Installation.objects.filter(progress_done__gt=0).exclude(target_name="").exists()


def models() -> set[str]:
    return {
        model
        for chunks in (PersonalChunk, SchoolChunk)
        for model in chunks.objects.values_list("embedding_model", flat=True)
    }


def dimensions() -> set[int]:
    return {len(chunk.embedding) for chunks in (PersonalChunk, SchoolChunk) for chunk in chunks.objects.all()}


def ask(sources: Sequence[WeightedSource]) -> Retrieval:
    return retrieve(QUESTION, sources, places=5)


Seen = tuple[tuple[Any, ...], ...]


def seen(found: Retrieval) -> Seen:
    return tuple((placed.passage.key, placed.passage.score) for placed in found.placed)


def handbook(sections: int, edition: str = "A") -> str:
    parts = (f"## Part {n}\n\nEdition {edition} of part {n} tells of burettes." for n in range(sections))
    return "# Handbook\n\n" + "\n\n".join(parts)
