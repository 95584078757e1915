"""The move to another embedding model by a real worker: killed in the middle it goes on, and documents have their turn
(D8)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from pytest_django import Settings

from chatbots.answering.retrieval import retrieve
from chatbots.answering.source_selection import select_sources
from corpus.embedding import next_vectors
from corpus.embedding.active_model import installation
from corpus.models import Installation, NextVector, Status
from corpus.tasks import queue_unfinished
from engines.embedding.models import DEFAULT
from knowledge.models import PersonalChunk, PersonalDocument
from tests.engines.models import static_model
from tests.factories import Cast, cast, make_chatbot, personal_document
from tests.running import wait_for
from tests.workers import Worker

pytestmark = pytest.mark.django_db(transaction=True)

SECTIONS = 9 * next_vectors.CHUNKS_PER_BATCH  # nine spells of `mortal_worker`


@pytest.fixture
def people(settings: Settings, tmp_path: Path) -> Cast:
    settings.MEDIA_ROOT = Path(django_settings.DATA_DIR) / "files"  # where the worker looks for them
    settings.LECTERN_EMBEDDING_MODEL = str(static_model(tmp_path / "small", 24))
    settings.LECTERN_EMBEDDING_RUNTIME = "torch"
    return cast()


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker(app="tests.operations.mortal_worker")
    yield worker
    worker.stop()


def answering() -> str:
    return Installation.objects.get().name


def test_killed_in_the_middle_it_goes_on_and_documents_have_their_turn(
    people: Cast, worker: Worker, settings: Settings
) -> None:
    words = ["acid", "base", "salt", "metal", "burette", "flask", "lamp", "water"]
    parts = (
        f"## Part {n}\n\n" + f"Here {words[n % 8]} and {words[n // 8 % 8]} are told of. " * 4 for n in range(SECTIONS)
    )
    document = personal_document(people.alice, "# Handbook\n\n" + "\n\n".join(parts), "handbook.md")
    sources = select_sources(make_chatbot(people.alice, personal=[document]))
    question = "Where are acid and burette told of?"
    before = retrieve(question, sources, places=5).placed
    assert len(before) > 1
    settings.LECTERN_EMBEDDING_MODEL, settings.LECTERN_EMBEDDING_RUNTIME = DEFAULT, "onnx-int8"
    worker.more["DIES_IN_BATCH"] = "4"
    worker.start()
    call_command("reembed", "--no-wait")
    worker.wait_for_death()
    made = 3 * next_vectors.CHUNKS_PER_BATCH
    assert (Installation.objects.get().progress_done, NextVector.objects.count()) == (made, made)
    assert retrieve(question, sources, places=5).placed == before
    queue_unfinished()  # as the schedule does every 15 seconds; the document comes after it
    new = personal_document(people.alice, "# New\n\nIt is about zinc.", "new.md", indexed=False)
    del worker.more["DIES_IN_BATCH"]
    worker.start()
    wait_for(PersonalDocument.objects.filter(pk=new.pk, status=Status.READY).exists, 180)
    wait_for(lambda: answering() == "multilingual-e5-small/q4i8", 300)
    switched_at, indexed_at = installation().switched_at, new.versions.get().indexed_at
    assert indexed_at and switched_at
    assert indexed_at < switched_at, "the document had to wait for the end of the move"
    assert installation().progress_done == SECTIONS + 1, "what was made before is not made again"
    assert set(PersonalChunk.objects.values_list("embedding_model", flat=True)) == {"multilingual-e5-small/q4i8"}
    assert PersonalChunk.objects.count() == SECTIONS + 1
    assert not NextVector.objects.exists()
    assert retrieve(question, sources, places=5).placed
