"""What a chatbot may read, and the parallel search of it (H1 to H4, H7)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, connections
from psycopg_pool import PoolTimeout
from pytest_django import Settings

from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot, ChatbotPersonalDocLink
from chatbots.services import link_school_document, set_weights
from corpus.ingestion import uploads
from corpus.passages import Passage
from corpus.search import pool
from corpus.search.runners import Outcome, run_in_series, run_in_threads, wait_for
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source
from engines.embedding import get_embedder
from knowledge.sources import PERSONAL
from school_library.models import SchoolDocument
from school_library.services import set_published
from school_library.sources import SCHOOL
from schools.models import School
from tests.factories import (
    Cast,
    index_all,
    make_chatbot,
    make_file,
    personal_document,
    school_document,
)

pytestmark = pytest.mark.django_db

QUESTION = "How strong may hydrochloric acid be?"


def ask(chatbot: Chatbot, question: str = QUESTION, **options: Any) -> Retrieval:
    return retrieve(question, select_sources(chatbot), places=chatbot.places, **options)


def kinds(found: Retrieval) -> set[SourceKind]:
    return {placed.passage.kind for placed in found.placed}


def test_both_sides_are_searched(chatbot: Chatbot) -> None:
    found = ask(chatbot)
    assert kinds(found) == {PERSONAL, SCHOOL}
    assert {"0.5 mol/l", "1 mol/l"} <= {
        amount for amount in ("0.5 mol/l", "1 mol/l") if any(amount in p.passage.excerpt for p in found.placed)
    }
    assert not found.unavailable
    assert set(found.timings) == {"embed_ms", "read_ms", "search_ms"}


@pytest.mark.parametrize("weight", [100, 0])
def test_a_side_of_weight_0_is_not_searched(chatbot: Chatbot, weight: int) -> None:
    set_weights(chatbot, {"personal": weight})
    assert kinds(ask(chatbot)) == {PERSONAL if weight else SCHOOL}


def test_only_one_side_with_documents_gets_all_places(people: Cast) -> None:
    text = "# Acids\n\n" + "\n\n".join(f"## Rule {n}\n\nHydrochloric acid rule number {n}." for n in range(9))
    only_personal = make_chatbot(people.alice, personal=[personal_document(people.alice, text)])
    found = ask(only_personal, "hydrochloric acid rule")
    assert (len(found.placed), kinds(found)) == (5, {PERSONAL})
    only_school = make_chatbot(people.alice, school=[school_document(people.carol, text, "r.md")])
    found = ask(only_school, "hydrochloric acid rule")
    assert (len(found.placed), kinds(found)) == (5, {SCHOOL})


def test_without_documents_nothing_is_found(people: Cast) -> None:
    assert ask(make_chatbot(people.alice)) == Retrieval(placed=())


def test_copies_of_one_text_do_not_keep_others_out(people: Cast) -> None:
    text = f"# Acids\n\n{QUESTION} As strong as 1 mol/l.\n\n# Cupboard\n\nThe key has the number"
    copies = [personal_document(people.alice, f"{text} {n}.\n", f"copy {n}.md") for n in range(12)]
    others = "\n\n".join(f"## Rule {n}\n\nRule {n}: how strong hydrochloric acid may be." for n in range(3))
    found = ask(make_chatbot(people.alice, personal=[*copies, personal_document(people.alice, others, "o.md")]))
    assert (len(found.placed), max(len(placed.also) for placed in found.placed)) == (5, 11)


def test_a_document_that_has_just_changed_its_language_still_answers(people: Cast) -> None:
    document = school_document(people.carol, "# Acids\n\nHydrochloric acid may have at most 1 mol/l in our school.\n")
    sources = select_sources(make_chatbot(people.alice, school=[document]))
    german = "# Säuren\n\nSalzsäure darf ohne die Lehrkraft höchstens 1 mol/l haben, sagt die Regel unserer Schule.\n"
    uploads.replace(document, make_file(german), by=people.carol.user)
    index_all()
    document.refresh_from_db()
    assert document.language == "german"
    (placed,) = retrieve("Wie stark darf Salzsäure sein?", sources, places=5).placed
    assert placed.passage.relevance > 0.75, "its words count, not only its vector"


def test_before_a_refusal_passages_that_say_it_close_together_are_looked_for(people: Cast, settings: Settings) -> None:
    gap = "and then there is for the whole of the year in every room a"
    scattered = "\n\n".join(f"## Part {n}\n\nA zorvel {gap} blimm {gap} quenk {n}." for n in range(14))
    other = "The school lies on a hill above the old harbour, and there is a room for the whole of the year. "
    document = personal_document(
        people.alice,
        f"# House\n\n{scattered}\n\n## Part X\n\n{other}A zorvel, a blimm and a quenk.\n",
        "house.md",
    )
    sources = select_sources(make_chatbot(people.alice, personal=[document]))
    query = Query.of("zorvel blimm quenk", get_embedder())
    best, second, *_ = sources[0].source.search(query, 50)
    assert best.heading_path[-1] == "Part X"
    assert best.key not in {found.key for found in sources[0].source.search(query, 10)}, "it stands below without it"
    settings.LECTERN_RELEVANCE_THRESHOLD = (best.relevance + second.relevance) / 2
    for places in (1, 5):
        (placed,) = retrieve(query.text, sources, places=places).placed
        assert placed.passage.key == best.key


@pytest.mark.django_db(transaction=True)
def test_a_broken_connection_costs_no_question(chatbot: Chatbot) -> None:
    for _ in range(3):
        break_search_connections()
        found = ask(chatbot)
        assert not found.unavailable
        assert found.placed


def break_search_connections() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND state = 'idle' AND query LIKE '%%language AS MATERIALIZED%%'"
        )


def test_nothing_relevant_gets_no_place(chatbot: Chatbot) -> None:
    assert not ask(chatbot, "Who won the football world cup in 1954?").placed


def test_a_link_takes_effect_with_the_next_question(people: Cast, chatbot: Chatbot) -> None:
    document = SchoolDocument.objects.get()
    link_school_document(chatbot=chatbot, document=document, linked=False)
    assert kinds(ask(chatbot)) == {PERSONAL}
    link_school_document(chatbot=chatbot, document=document, linked=True)
    assert SCHOOL in kinds(ask(chatbot))
    set_published(document=document, published=False)
    assert kinds(ask(chatbot)) == {PERSONAL}


def test_a_link_to_a_colleagues_document_gives_nothing(people: Cast) -> None:
    """No service makes such a link; if one stood in the database all the same, it would not be read."""
    chatbot = make_chatbot(people.alice)
    theirs = personal_document(people.bob)
    ChatbotPersonalDocLink.objects.create(school=people.alice.school, chatbot=chatbot, document=theirs)
    assert not select_sources(chatbot)


@pytest.mark.django_db(transaction=True)
def test_a_failing_source_is_left_out_and_named(chatbot: Chatbot) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE school_library_schoolchunk RENAME TO away")
    try:
        found = ask(chatbot)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE away RENAME TO school_library_schoolchunk")
    assert kinds(found) == {PERSONAL}
    assert found.unavailable == (SCHOOL,)


@pytest.mark.django_db(transaction=True)
def test_a_source_that_is_too_slow_is_left_out_and_named(chatbot: Chatbot) -> None:
    with locked("knowledge_personalchunk"):
        found = ask(chatbot, deadline_ms=2000)
    assert kinds(found) == {SCHOOL}
    assert found.unavailable == (PERSONAL,)
    assert kinds(ask(chatbot)) == {PERSONAL, SCHOOL}


class SlowAtFirst(Source):
    """A source that answers in time from the second search on."""

    kind, is_indexed = SCHOOL, False

    def __init__(self) -> None:
        self.times, self.is_over = 0, threading.Event()

    def is_empty(self) -> bool:
        return False

    def search(self, query: Query, limit: int) -> list[Passage]:
        self.times += 1
        if self.times == 1:
            self.is_over.wait(60)
        return [Passage(SCHOOL, "Acids", (), "At most 1 mol/l.", "At most 1 mol/l.", relevance=0.9)]


def test_a_late_source_is_asked_once_more() -> None:
    source = SlowAtFirst()
    found = retrieve(QUESTION, [WeightedSource(source, 100)], places=1, deadline_ms=3000, runner=run_in_threads)
    source.is_over.set()
    assert found.placed and not found.unavailable


class Ready(Source):
    """A source that answers at once, with a deadline of its own."""

    kind, is_indexed = SCHOOL, False

    def __init__(self, deadline_ms: int) -> None:
        self.deadline_ms = deadline_ms

    def is_empty(self) -> bool:
        return False

    def search(self, query: Query, limit: int) -> list[Passage]:
        return [Passage(SCHOOL, "Acids", (), "At most 1 mol/l.", "At most 1 mol/l.", relevance=0.9)]


def test_the_earliest_deadline_is_waited_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches in flight stand still while others are waited for."""
    waits: list[float] = []

    def wait(outcome: Outcome, timeout: float) -> None:
        waits.append(timeout)
        wait_for(outcome, timeout)

    monkeypatch.setattr("chatbots.answering.retrieval.wait_for", wait)
    sources = [WeightedSource(Ready(deadline), 50) for deadline in (60_000, 30_000)]
    retrieve(QUESTION, sources, places=1, runner=run_in_threads)
    assert len(waits) == 2 and waits[0] < waits[1]


@pytest.mark.django_db(transaction=True)
def test_a_source_does_not_wait_for_a_slow_one_where_no_connection_is_free(
    chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, busy = pool.search_connection, iter([True, True])

    def none_is_free_at_first(patience: float | None = None) -> Any:
        if patience and next(busy, False):
            raise PoolTimeout
        return opened(patience)

    monkeypatch.setattr(pool, "search_connection", none_is_free_at_first)
    with locked("knowledge_personalchunk"):
        found = ask(chatbot, deadline_ms=2000)
    assert kinds(found) == {SCHOOL}
    assert found.unavailable == (PERSONAL,)
    assert next(busy, None) is None


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Another connection holds the table, so that whoever reads it waits."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
    finally:
        other.rollback()
        other.close()


def test_searches_have_threads_of_their_own_unless_the_caller_runs_them(chatbot: Chatbot) -> None:
    """What the caller has not committed is found in series, and on its connection alone."""
    in_the_caller = retrieve(QUESTION, select_sources(chatbot), places=5, runner=run_in_series)
    assert kinds(in_the_caller) == {PERSONAL, SCHOOL}
    elsewhere = retrieve(QUESTION, select_sources(chatbot), places=5, runner=run_in_threads)
    assert not elsewhere.placed
    assert not elsewhere.unavailable


def test_a_search_that_fails_leaves_the_callers_transaction_usable(chatbot: Chatbot) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE school_library_schoolchunk RENAME TO away")
    found = ask(chatbot)
    assert (kinds(found), found.unavailable) == ({PERSONAL}, (SCHOOL,))
    assert Chatbot.objects.filter(pk=chatbot.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_source_that_reads_rows_in_a_thread_keeps_no_connection() -> None:
    def search() -> Any:
        School.objects.exists()
        return connections["default"]

    assert run_in_threads(search).result().connection is None
