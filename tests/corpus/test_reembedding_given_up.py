"""Moves to another embedding model that are given up, refused, or go wrong (D8), and what is said of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from numpy.typing import NDArray
from pytest_django import Settings

from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot
from corpus.embedding import active_model
from corpus.embedding.active_model import ModelSpec, installation
from corpus.embedding.chunk_text import chunk_vectors
from corpus.embedding.migrate_model import CannotMove, move_to, next_step, run_step
from corpus.ingestion import uploads
from corpus.models import Installation, NextVector, Status
from corpus.tasks import queue_other_models
from engines.embedding.models import DEFAULT, SMALL
from engines.errors import EmbeddingUnavailable
from knowledge.models import PersonalChunk
from school_library.models import SchoolChunk
from tests.corpus.moves import (
    PACKAGED,
    ask,
    dimensions,
    finish,
    handbook,
    in_the_middle,
    models,
    name,
    reembed,
    seen,
    start,
    unfinished,
    worker,
)
from tests.engines.models import static_model
from tests.factories import (
    Cast,
    index_all,
    make_chatbot,
    make_file,
    make_school,
    personal_document,
)
from tests.running import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_move_given_up_in_the_middle_leaves_everything_as_it_was(
    people: Cast, settings: Settings, small: Path
) -> None:
    name(small, settings)
    personal_document(people.alice, handbook(400))
    start(DEFAULT, settings)
    with worker(), unfinished():
        wait_for(in_the_middle)
        assert "The move is cancelled" in reembed("--cancel")
    assert (models(), dimensions()) == ({"small/fp32"}, {24})
    assert not NextVector.objects.exists()
    assert "small/fp32 answers; no move is under way" in reembed("--status")
    assert "No move is under way" in reembed("--cancel")
    start(DEFAULT, settings)
    finish()
    assert models() == {PACKAGED}


def test_another_target_in_the_middle_takes_the_place_of_the_first(
    people: Cast, settings: Settings, small: Path, large: Path
) -> None:
    name(small, settings)
    personal_document(people.alice, handbook(400))
    start(DEFAULT, settings)
    with worker(), unfinished():
        wait_for(in_the_middle)
        start(large, settings)
    assert (models(), dimensions()) == ({"large/fp32"}, {512})
    assert installation().name == "large/fp32"


def test_naming_the_answering_model_again_gives_the_move_up(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    start(small, settings)
    assert "The move to small/fp32 is cancelled" in start(DEFAULT, settings)
    assert next_step() is None


def test_of_several_rings_for_one_step_one_works(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    start(small, settings)
    step = next_step()
    assert step is not None
    outcomes: list[bool] = []

    def run() -> None:
        outcomes.append(run_step(step))
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(outcomes) == [False, False, False, True]
    start(DEFAULT, settings)
    assert not run_step(step), "it was done long ago"
    assert models() == {"small/fp32"}


def test_passages_of_a_third_model_are_healed_by_a_move_to_the_answering_one(
    chatbot: Chatbot, settings: Settings
) -> None:
    before = seen(ask(select_sources(chatbot)))
    SchoolChunk.objects.update(embedding_model="forgotten", embedding=[1.0, 0.0])
    assert "passages move to multilingual-e5-small" in start(DEFAULT, settings)
    finish()
    assert models() == {PACKAGED}
    assert [key for key, _ in seen(ask(select_sources(chatbot)))] == [key for key, _ in before]


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
    assert ask(select_sources(chatbot)).placed


def test_from_a_model_that_is_gone_one_can_move_away(people: Cast, tmp_path: Path, settings: Settings) -> None:
    gone = static_model(tmp_path / "gone", 16)
    name(gone, settings)
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice)])
    sources = select_sources(chatbot)
    gone.rename(tmp_path / "moved away")
    settings.LECTERN_EMBEDDING_THREADS = 2  # a process that has not loaded it yet
    with pytest.raises(EmbeddingUnavailable, match=r"manage.py reembed` moves"):
        ask(sources)
    queue_other_models()
    start(DEFAULT, settings)
    finish()
    assert ask(sources).placed


def test_a_worker_that_cannot_load_the_model_says_so(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    start(small, settings)
    Installation.objects.update(target_model="/elsewhere/small")
    step = next_step()
    assert step is not None
    assert not run_step(step)
    assert "makes no progress: The embedding model “/elsewhere/small” is not on this machine" in reembed("--status")
    Installation.objects.update(target_model=str(small))
    finish()
    assert models() == {"small/fp32"}


def test_an_installation_from_before_models_had_names_keeps_its_model(
    chatbot: Chatbot, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    installation()
    Installation.objects.update(model="", runtime="onnx-int8", name="all-MiniLM-L6-v2/int8")
    activated: list[tuple[str, str]] = []
    monkeypatch.setattr(active_model, "activate_model", lambda *model: activated.append(model))
    active_model.refresh_active_model()
    assert activated == [(SMALL, "onnx-int8")]
    active_model.warn_if_settings_differ()
    assert "all-MiniLM-L6-v2/int8" in caplog.text
    caplog.clear()
    settings.LECTERN_EMBEDDING_MODEL = SMALL
    active_model.warn_if_settings_differ()
    assert not caplog.text


def test_a_move_to_a_model_from_before_it_had_a_name_goes_on(chatbot: Chatbot, settings: Settings) -> None:
    settings.LECTERN_EMBEDDING_MODEL, settings.LECTERN_EMBEDDING_RUNTIME = SMALL, "onnx-int8"
    reembed("--no-wait")
    Installation.objects.update(target_model="")
    finish()
    assert models() == {"all-MiniLM-L6-v2/int8"}
    assert installation().model == SMALL


def test_two_models_of_one_name_are_told_apart(people: Cast, folder: Path, small: Path, settings: Settings) -> None:
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


def test_of_a_passage_too_long_for_the_new_model_nothing_is_left_out(settings: Settings) -> None:
    settings.LECTERN_INDEXING_THREADS = 1  # which reads in order
    embedder, words = Short(), [f"word{n}" for n in range(40)]
    long, short = ((("Rules",), " ".join(words)), ((), "Just four small words"))
    vectors = chunk_vectors([short, long, short], embedder)
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
        move_to(ModelSpec("x", "torch", embedder.name), embedder)


def test_who_watches_sees_it_move_and_end(chatbot: Chatbot, small: Path, settings: Settings) -> None:
    shown = threading.Event()

    class Screen(StringIO):
        def write(self, words: str) -> int:
            if "Ctrl-C" in words:
                shown.set()
            return super().write(words)

    def work_later() -> None:
        try:
            assert shown.wait(120)
            finish()
        finally:
            connection.close()

    name(small, settings)
    thread, screen = threading.Thread(target=work_later), Screen()
    thread.start()
    call_command("reembed", stdout=screen)
    thread.join(120)
    said = screen.getvalue()
    assert "Ctrl-C ends this display, not the work." in said
    assert "Done. small/fp32 answers since" in said
    assert "small/fp32 answers since" in reembed("--status")


def test_ctrl_c_while_the_model_is_loaded_changes_nothing(chatbot: Chatbot, small: Path, settings: Settings) -> None:
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
    assert reembed("--status").strip() == f"0 of {total} passages (0%) to small/fp32"
    Installation.objects.update(started_at="2026-01-01T00:00Z", worked_at="2026-01-01T00:00Z")
    assert "is the worker running?" in reembed("--status")


def test_a_school_that_goes_takes_its_new_vectors_along(people: Cast) -> None:
    school = make_school("Gone")
    NextVector.objects.create(school=school, chunks="x", chunk_id=1, embedding=[1.0])
    school.delete()
    assert not NextVector.objects.exists()
