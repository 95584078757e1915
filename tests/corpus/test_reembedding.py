"""Moving to another embedding model (D8): the old one answers until all at once the new one does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from numpy.typing import NDArray
from pytest_django import Settings

from chatbots.models import Chatbot
from chatbots.retrieval import Retrieval, WeightedSource, retrieve, sources_for
from corpus import next_vectors, uploads
from corpus.embedding import Spec, installation
from corpus.models import Installation, NextVector, Status
from corpus.passages import Passage, Query, Source, SourceKind
from corpus.reembedding import CannotMove, move_to, next_step, work
from corpus.tasks import index_documents, queue_other_models
from engines.embedding import embedder_of, get_embedder
from engines.errors import EmbeddingUnavailable
from knowledge.models import PersonalChunk, PersonalDocument
from school_library.models import SchoolChunk
from tests.corpus.test_indexing_races import somebody_waits, tasks
from tests.engines.models import static_model
from tests.factories import (
    Cast,
    cast,
    index_all,
    make_chatbot,
    make_file,
    make_school,
    personal_document,
    school_document,
)
from tests.running import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "How strong may hydrochloric acid be?"
PACKAGED = "all-MiniLM-L6-v2/int8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def small(folder: Path) -> Path:
    return static_model(folder / "small", 24)


@pytest.fixture(scope="module")
def large(folder: Path) -> Path:
    return static_model(folder / "large", 512)


@pytest.fixture
def people() -> Cast:
    return cast()


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    return make_chatbot(
        people.alice, personal=[personal_document(people.alice)], school=[school_document(people.carol)]
    )


def name(model: str | Path, settings: Settings) -> None:
    settings.LECTERN_EMBEDDING_MODEL = str(model)
    settings.LECTERN_EMBEDDING_RUNTIME = "torch" if model else "onnx-int8"


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
        assert work(step)
        assert not installation().problem


@contextmanager
def worker() -> Iterator[None]:
    """A thread works on the move beside what the test does; it is done at the end."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while (step := next_step()) is not None:
                work(step)
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join(60)
    assert errors == []


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


def test_the_old_model_answers_until_the_new_one_has_every_passage(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    before = seen(ask(sources_for(chatbot)))
    assert len(before) > 1
    said = start(small, settings)
    assert f"{installation().progress_total} passages move to small/fp32; {PACKAGED} answers until" in said
    assert seen(ask(sources_for(chatbot))) == before
    assert models() == {PACKAGED}
    finish()
    assert (models(), dimensions()) == ({"small/fp32"}, {24})
    assert not NextVector.objects.exists()
    after = seen(ask(sources_for(chatbot)))
    assert after != before
    assert {document for (_, document, _), _ in after} == {document for (_, document, _), _ in before}
    assert get_embedder().name == "small/fp32"


def test_there_and_back_again(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    before = seen(ask(sources_for(chatbot)))
    for model in (small, ""):
        start(model, settings)
        finish()
    assert (models(), dimensions()) == ({PACKAGED}, {384})
    assert [key for key, _ in seen(ask(sources_for(chatbot)))] == [key for key, _ in before]
    assert "there is nothing to do" in start("", settings)


def test_a_stream_of_searches_sees_all_of_the_old_or_all_of_the_new(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    """Four readers search all the time while the installation switches to and fro; each sees one model alone."""
    sources, expected = sources_for(chatbot), set[Seen]()
    for model in (small, ""):
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
        for model in (small, "", small, "", small, ""):
            until = len(found) + 8
            start(model, settings)
            finish()
            wait_for(lambda until=until: len(found) >= until or bool(errors))  # type: ignore[misc]
    finally:
        enough.set()
        for reader in readers:
            reader.join(30)
    assert errors == []
    assert {seen(one) for one in found} == expected
    assert not any(one.unavailable for one in found)


class Between:
    """A source before whose first search something happens, after the other source has been searched."""

    def __init__(self, source: Source, happens: Callable[[], None]) -> None:
        self.source, self.happens, self.happened = source, happens, False
        self.kind: SourceKind = source.kind

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
    sources, expected = sources_for(chatbot), set[Seen]()
    for model in (small, ""):
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


def test_what_comes_and_goes_during_the_move_is_right_after_it(
    people: Cast, settings: Settings, small: Path
) -> None:
    name(small, settings)
    kept, replaced, deleted = (
        personal_document(people.alice, handbook(200, edition), f"{edition}.md") for edition in "ABC"
    )
    start("", settings)
    with worker():
        wait_for(in_the_middle)
        new = personal_document(people.alice, handbook(40, "D"), "D.md")
        uploads.replace(replaced, make_file(handbook(150, "E"), "B.md"), by=people.alice.user)
        index_all()
        uploads.delete(deleted)
        assert in_the_middle(), "too quick: make the documents longer"
        assert models() == {"small/fp32"}
    assert models() == {PACKAGED}
    assert not NextVector.objects.exists()
    counts = {document.title: document.chunks.count() for document in PersonalDocument.objects.all()}
    assert counts == {"A": 200, "B": 150, "D": 40}
    for document, edition in ((kept, "A"), (replaced, "E"), (new, "D")):
        chunk = document.chunks.get(position=7)
        assert f"Edition {edition} of part 7" in chunk.text
        text = next_vectors.vectors_of([(chunk.heading_path, chunk.text)], embedder_of("", "onnx-int8"))[0]
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
        wait_for(somebody_waits)
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
                wait_for(somebody_waits)
                then()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert started.wait(10)
    yield
    thread.join(20)
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
    with writing(
        lambda: SchoolChunk.objects.update(tokens=1), lambda: PersonalChunk.objects.update(tokens=1)
    ):
        finish()
    assert models() == {"small/fp32"}
    assert set(PersonalChunk.objects.values_list("tokens", flat=True)) == {1}


def test_a_move_given_up_in_the_middle_leaves_everything_as_it_was(
    people: Cast, settings: Settings, small: Path
) -> None:
    name(small, settings)
    personal_document(people.alice, handbook(400))
    start("", settings)
    with worker():
        wait_for(in_the_middle)
        assert "The move is given up" in reembed("--cancel")
    assert (models(), dimensions()) == ({"small/fp32"}, {24})
    assert not NextVector.objects.exists()
    assert "small/fp32 answers; nothing is on the move" in reembed("--status")
    assert "Nothing is on the move" in reembed("--cancel")
    start("", settings)
    finish()
    assert models() == {PACKAGED}


def test_another_target_in_the_middle_takes_the_place_of_the_first(
    people: Cast, settings: Settings, small: Path, large: Path
) -> None:
    name(small, settings)
    personal_document(people.alice, handbook(400))
    start("", settings)
    with worker():
        wait_for(in_the_middle)
        start(large, settings)
    assert (models(), dimensions()) == ({"large/fp32"}, {512})
    assert installation().name == "large/fp32"


def test_naming_the_answering_model_again_gives_the_move_up(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    start(small, settings)
    assert "The move to small/fp32 is given up" in start("", settings)
    assert next_step() is None


def test_of_several_rings_for_one_step_one_works(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    start(small, settings)
    step = next_step()
    assert step is not None
    outcomes: list[bool] = []

    def run() -> None:
        outcomes.append(work(step))
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == [False, False, False, True]
    start("", settings)
    assert not work(step), "it was done long ago"
    assert models() == {"small/fp32"}


def test_passages_of_a_third_model_are_healed_by_a_move_to_the_answering_one(
    chatbot: Chatbot, settings: Settings
) -> None:
    before = seen(ask(sources_for(chatbot)))
    SchoolChunk.objects.update(embedding_model="forgotten", embedding=[1.0, 0.0])
    assert "passages move to all-MiniLM" in start("", settings)
    finish()
    assert models() == {PACKAGED}
    assert [key for key, _ in seen(ask(sources_for(chatbot)))] == [key for key, _ in before]


def test_at_a_worker_s_start_passages_of_the_target_are_left_alone(
    people: Cast, small: Path, settings: Settings
) -> None:
    document = personal_document(people.alice)
    start(small, settings)
    document.chunks.update(embedding_model="small/fp32")
    queue_other_models()
    document.refresh_from_db()
    assert document.status == Status.READY
    document.chunks.update(embedding_model="forgotten")
    queue_other_models()
    document.refresh_from_db()
    assert document.status == Status.QUEUED


def test_a_cancelled_update_does_not_make_passages_of_another_model_ready(people: Cast) -> None:
    document = personal_document(people.alice)
    uploads.replace(document, make_file("Another text."), by=people.alice.user)
    document.chunks.update(embedding_model="forgotten")
    assert uploads.cancel(document)
    document.refresh_from_db()
    assert (document.status, document.version) == (Status.QUEUED, 1)
    index_all()
    assert models() == {PACKAGED}


def test_a_model_that_is_not_here_is_refused_in_words(chatbot: Chatbot, settings: Settings) -> None:
    name("no-such-model", settings)
    with pytest.raises(CommandError, match="no-such-model” is not on this machine"):
        reembed("--no-wait")
    assert next_step() is None
    assert ask(sources_for(chatbot)).placed


def test_from_a_model_that_is_gone_one_can_move_away(
    people: Cast, tmp_path: Path, settings: Settings
) -> None:
    gone = static_model(tmp_path / "gone", 16)
    name(gone, settings)
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice)])
    sources = sources_for(chatbot)
    gone.rename(tmp_path / "moved away")
    settings.LECTERN_EMBEDDING_THREADS = 2  # a process that has not loaded it yet
    with pytest.raises(EmbeddingUnavailable, match=r"manage.py reembed` moves"):
        ask(sources)
    queue_other_models()
    start("", settings)
    finish()
    assert ask(sources).placed


def test_a_worker_that_cannot_load_the_model_says_so(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    start(small, settings)
    Installation.objects.update(target_model="/elsewhere/small")
    step = next_step()
    assert step is not None
    assert not work(step)
    assert "does not get on: The embedding model “/elsewhere/small” is not on this machine" in reembed(
        "--status"
    )
    Installation.objects.update(target_model=str(small))
    finish()
    assert models() == {"small/fp32"}


def test_two_models_of_one_name_are_told_apart(
    people: Cast, folder: Path, small: Path, settings: Settings
) -> None:
    name(small, settings)
    personal_document(people.alice)
    with pytest.raises(CommandError, match="another model that is called small/fp32, too"):
        start(static_model(folder / "elsewhere" / "small", 48), settings)
    twin = static_model(folder / "moved" / "small", 24)
    assert "there is nothing to do" in start(twin, settings)
    assert installation().model == str(twin)


class Short:
    """An embedder that reads eight words and keeps what it was given."""

    name, dimensions, max_tokens, languages = "short/fp32", 4, 8, frozenset({"en"})

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_passages([text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read += texts
        lengths = [[len(text.split()), 1.0, 0.0, float("Rules" in text)] for text in texts]
        vectors = np.array(lengths, dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_of_a_passage_too_long_for_the_new_model_nothing_is_left_out() -> None:
    embedder, words = Short(), [f"word{n}" for n in range(40)]
    long, short = ((("Rules",), " ".join(words)), ((), "Just four small words"))
    vectors = next_vectors.vectors_of([short, long, short], embedder)
    assert vectors.shape == (3, 4)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert np.array_equal(vectors[0], vectors[2])
    assert max(map(embedder.count_tokens, embedder.read)) <= 8
    parts = embedder.read[1:-1]
    assert [word for part in parts for word in part.split() if word.startswith("word")] == words
    mean = Short().embed_passages(parts).mean(axis=0)
    assert vectors[1] == pytest.approx(mean / np.linalg.norm(mean))


def test_a_model_with_too_many_dimensions_is_refused(people: Cast) -> None:
    embedder: Any = Short()
    embedder.dimensions = 4096
    with pytest.raises(CannotMove, match="4,096 dimensions; at most 3,500"):
        move_to(Spec("x", "torch", embedder.name), embedder)


def test_who_watches_sees_it_move_and_end(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    name(small, settings)
    done = threading.Event()

    def work_later() -> None:
        try:
            wait_for(lambda: next_step() is not None, 60)
            finish()
        finally:
            connection.close()
            done.set()

    thread = threading.Thread(target=work_later)
    thread.start()
    said = reembed()
    thread.join(30)
    assert "Ctrl-C ends this display, not the work." in said
    assert "Done. small/fp32 answers since" in said
    assert "small/fp32 answers since" in reembed("--status")


def test_ctrl_c_while_the_model_is_loaded_changes_nothing(
    chatbot: Chatbot, small: Path, settings: Settings
) -> None:
    class Interrupted(StringIO):
        def write(self, words: str) -> int:
            if words.startswith("Loading"):
                raise KeyboardInterrupt
            return super().write(words)

    name(small, settings)
    with pytest.raises(CommandError, match="nothing has been changed"):
        call_command("reembed", stdout=Interrupted())
    assert not installation().target_name


def test_the_status_says_when_nobody_works(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    start(small, settings)
    total = installation().progress_total
    assert total == PersonalChunk.objects.count() + SchoolChunk.objects.count()
    assert reembed("--status").strip() == f"0 of {total} passages (0 %) to small/fp32"
    Installation.objects.update(started_at="2026-01-01T00:00Z", worked_at="2026-01-01T00:00Z")
    assert "is the worker running?" in reembed("--status")


def test_a_school_that_goes_takes_its_new_vectors_along(people: Cast) -> None:
    school = make_school("Gone")
    NextVector.objects.create(school=school, chunks="x", chunk_id=1, embedding=[1.0])
    school.delete()
    assert not NextVector.objects.exists()
