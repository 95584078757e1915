"""Moving to another embedding model (D8): the old one answers until all at once the new one does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from django.db import connection, transaction
from pytest_django import Settings

from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot
from corpus.embedding.active_model import installation
from corpus.embedding.chunk_text import chunk_vectors
from corpus.ingestion import uploads
from corpus.models import NextVector, Status
from corpus.passages import Passage
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source
from corpus.tasks import index_documents
from engines.embedding import get_embedder, load_embedder
from engines.embedding.models import DEFAULT
from knowledge.models import PersonalChunk, PersonalDocument
from school_library.models import SchoolChunk
from tests.corpus.moves import (
    PACKAGED,
    QUESTION,
    Seen,
    ask,
    dimensions,
    finish,
    handbook,
    in_the_middle,
    models,
    name,
    seen,
    start,
    unfinished,
    worker,
)
from tests.corpus.test_indexing_races import tasks
from tests.factories import (
    Cast,
    index_all,
    make_file,
    personal_document,
)
from tests.locks import waiting
from tests.running import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_old_model_answers_until_the_new_one_has_every_passage(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    before = seen(ask(select_sources(chatbot)))
    assert len(before) > 1
    said = start(small, settings)
    assert f"{installation().progress_total} passages move to small/fp32; {PACKAGED} answers until" in said
    assert seen(ask(select_sources(chatbot))) == before
    assert models() == {PACKAGED}
    finish()
    assert (models(), dimensions()) == ({"small/fp32"}, {24})
    assert not NextVector.objects.exists()
    after = seen(ask(select_sources(chatbot)))
    assert after != before
    assert {document for (_, document, _), _ in after} == {document for (_, document, _), _ in before}
    assert get_embedder().name == "small/fp32"


def test_there_and_back_again(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    before = seen(ask(select_sources(chatbot)))
    for model in (small, DEFAULT):
        start(model, settings)
        finish()
    assert (models(), dimensions()) == ({PACKAGED}, {384})
    assert [key for key, _ in seen(ask(select_sources(chatbot)))] == [key for key, _ in before]
    assert "there is nothing to do" in start(DEFAULT, settings)


def test_a_stream_of_searches_sees_all_of_the_old_or_all_of_the_new(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    """Four readers search all the time while the installation switches to and fro; each sees one model alone."""
    sources, expected = select_sources(chatbot), set[Seen]()
    for model in (small, DEFAULT):
        start(model, settings)
        finish()
        expected.add(seen(ask(sources)))
    assert len(expected) == 2
    found: list[Retrieval] = []
    errors: list[BaseException] = []
    enough = threading.Event()

    def search() -> None:
        try:
            while not enough.is_set():
                found.append(ask(sources))
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    readers = [threading.Thread(target=search) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for model in (small, DEFAULT, small, DEFAULT, small, DEFAULT):
            until = len(found) + 8
            start(model, settings)
            finish()
            wait_for(lambda until=until: len(found) >= until or bool(errors))  # type: ignore[misc]
    finally:
        enough.set()
        for reader in readers:
            reader.join(120)
    assert errors == []
    assert {seen(one) for one in found} == expected
    assert not any(one.unavailable for one in found)


class Between(Source):
    """A source before whose first search something happens, after the other source has been searched."""

    def __init__(self, source: Source, happens: Callable[[], None]) -> None:
        self.source, self.happens, self.happened = source, happens, False

    @property
    def kind(self) -> SourceKind:
        return self.source.kind

    def is_empty(self) -> bool:
        return self.source.is_empty()

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        if not self.happened:
            self.happened = True
            threading.Event().wait(0.3)
            self.happens()
        return self.source.search(query, limit)


def test_a_switch_between_two_searches_of_one_question_brings_no_mixture(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    sources, expected = select_sources(chatbot), set[Seen]()
    for model in (small, DEFAULT):
        start(model, settings)
        finish()
        expected.add(seen(ask(sources)))
    start(small, settings)

    def switch() -> None:
        try:
            finish()
        finally:
            connection.close()

    personal, school = sources
    between = Between(school.source, switch)
    found = retrieve(QUESTION, [personal, WeightedSource(between, school.weight)], places=5)
    assert models() == {"small/fp32"}
    assert seen(found) in expected
    assert not found.unavailable


def test_what_comes_and_goes_during_the_move_is_right_after_it(people: Cast, settings: Settings, small: Path) -> None:
    name(small, settings)
    kept, replaced, deleted = (
        personal_document(people.alice, handbook(200, edition), f"{edition}.md") for edition in "ABC"
    )
    start(DEFAULT, settings)
    with worker(), unfinished():
        wait_for(in_the_middle)
        new = personal_document(people.alice, handbook(40, "D"), "D.md")
        uploads.replace(replaced, make_file(handbook(150, "E"), "B.md"), by=people.alice.user)
        index_all()
        uploads.delete(deleted)
        assert in_the_middle()
        assert models() == {"small/fp32"}
    assert models() == {PACKAGED}
    assert not NextVector.objects.exists()
    counts = {document.title: document.chunks.count() for document in PersonalDocument.objects.all()}
    assert counts == {"A": 200, "B": 150, "D": 40}
    for document, edition in ((kept, "A"), (replaced, "E"), (new, "D")):
        chunk = document.chunks.get(position=7)
        assert f"Edition {edition} of part 7" in chunk.text
        text = chunk_vectors([(chunk.heading_path, chunk.text)], load_embedder(DEFAULT, "onnx-int8"))[0]
        assert float(np.asarray(chunk.embedding, dtype=np.float32) @ text) > 0.99


def test_a_document_that_is_indexed_while_the_model_switches_is_indexed_by_the_new_one(
    people: Cast, settings: Settings, small: Path
) -> None:
    """The old model has embedded it, and its chunks are about to be put in place."""
    personal_document(people.alice)
    document = personal_document(people.alice, handbook(5), indexed=False)
    start(small, settings)
    with tasks(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("LOCK TABLE knowledge_personalchunk IN SHARE MODE")  # it may read, not write
        wait_for(waiting)
        finish()
    document.refresh_from_db()
    assert (document.status, document.attempts, document.chunks.count()) == (Status.QUEUED, 0, 0)
    assert models() == {"small/fp32"}
    index_documents()
    document.refresh_from_db()
    assert (document.status, document.chunks.count()) == (Status.READY, 5)
    assert models() == {"small/fp32"}


@contextmanager
def writing(first: Callable[[], object], then: Callable[[], object]) -> Iterator[None]:
    """A transaction beside what the test does: it writes the first thing, waits for who waits for it, and goes on."""
    started, errors = threading.Event(), list[BaseException]()

    def write() -> None:
        try:
            with transaction.atomic():
                first()
                started.set()
                wait_for(waiting)
                then()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert started.wait(120)
    yield
    thread.join(120)
    assert errors == []


def test_a_passage_that_comes_at_the_very_end_is_not_left_behind(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    """After the last look for passages without a vector, and before the switch."""
    start(small, settings)
    late = PersonalChunk.objects.earliest("pk")
    late.pk, late.position = None, 99
    with writing(late.save, lambda: None):
        finish()
    assert (models(), dimensions()) == ({"small/fp32"}, {24})
    assert PersonalChunk.objects.filter(position=99).exists()


def test_the_switch_gives_way_in_a_deadlock(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    """With who writes in the order opposite to that of the switch, as deleting a school might."""
    start(small, settings)
    with writing(lambda: SchoolChunk.objects.update(tokens=1), lambda: PersonalChunk.objects.update(tokens=1)):
        finish()
    assert models() == {"small/fp32"}
    assert set(PersonalChunk.objects.values_list("tokens", flat=True)) == {1}
