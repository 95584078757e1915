"""Searches of one thread whose statements are in flight side by side, and the stems that they need."""

import json
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from django.db import connection

from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot
from corpus.search import question_stems
from corpus.search.in_flight import _flights
from corpus.search.pool import close_search_connections
from corpus.search.runners import run_in_flight, wait_for
from corpus.search.steps import SearchInSteps, SqlStatement, Steps
from knowledge.sources import PersonalSource, find_documents
from school_library import sources as library
from tests.factories import Cast, make_chatbot, personal_document, school_document
from text.lexemes import full_text_input

TEXTS = [
    "What's the rule LS-05, e.g. for foo@bar.de and http://x.y/z?a=1&b=2?",
    "a - b -c d- pre- and post-war",
    "3,5 % von 1 000 €, 10.1.1.1 und 2020-01-01",
    "don’t l’eau d'abord",
    "x < y and z > w",
    "<a href='x y'>z</a> b",
    "你好 世界 test",
    "a\u2003b\u00a0c\x1cd",
    "",
]


def asking(*statements: SqlStatement) -> SearchInSteps[list[Any]]:
    def begin() -> Steps[list[Any]]:
        rows: list[Any] = []
        for statement in statements:
            rows += yield statement
        return rows

    return SearchInSteps(begin)


def number(value: int) -> SqlStatement:
    return SqlStatement("SELECT $1::int AS value", [value])


@pytest.fixture
def searching(transactional_db: None) -> Iterator[None]:
    close_search_connections()
    yield
    close_search_connections()
    assert not _flights()


@pytest.mark.usefixtures("searching")
def test_each_gets_its_own_rows_whoever_is_waited_for_first() -> None:
    flights = [run_in_flight(asking(number(place), number(10 * place))) for place in (1, 2, 3)]
    for flight in reversed(flights):
        wait_for(flight, 5)
    assert [[row.value for row in flight.result(0)] for flight in flights] == [[1, 10], [2, 20], [3, 30]]


@pytest.mark.usefixtures("searching")
def test_they_are_in_the_database_at_the_same_time() -> None:
    waiting = SqlStatement("SELECT pg_advisory_lock_shared(4711), pg_advisory_unlock_shared(4711)", [])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(4711)")
        flights = [run_in_flight(asking(waiting)) for _ in range(2)]
        both = "SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted"
        assert eventually(cursor, both)
        cursor.execute("SELECT pg_advisory_unlock(4711)")
    for flight in flights:
        wait_for(flight, 5)
    assert all(flight.result(0) for flight in flights)


def eventually(cursor: Any, condition: str) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        cursor.execute(condition)
        if cursor.fetchone()[0]:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.usefixtures("searching")
def test_one_that_fails_leaves_the_other_alone() -> None:
    broken, whole = run_in_flight(asking(SqlStatement("SELECT 1 / 0 AS value", []))), run_in_flight(asking(number(7)))
    for flight in (broken, whole):
        wait_for(flight, 5)
    assert "division by zero" in str(broken.exception(0))
    assert whole.result(0)[0].value == 7
    again = run_in_flight(asking(number(8)))
    wait_for(again, 5)
    assert again.result(0)[0].value == 8


@pytest.mark.usefixtures("searching")
def test_one_that_is_late_gives_its_connection_up() -> None:
    slow, quick = run_in_flight(asking(SqlStatement("SELECT pg_sleep(60)", []))), run_in_flight(asking(number(7)))
    wait_for(slow, 0.05)
    assert not slow.done()
    assert slow.cancel()
    wait_for(quick, 5)
    assert quick.result(0)[0].value == 7


@pytest.mark.usefixtures("searching")
def test_one_whose_connection_was_broken_goes_on_beside_the_other() -> None:
    before = run_in_flight(asking(number(1)))
    wait_for(before, 5)
    waiting = SqlStatement("SELECT pg_advisory_lock_shared(4711), pg_advisory_unlock_shared(4711)", [])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(4711)")
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE 'SELECT $1::int AS value%'"
        )
        assert cursor.rowcount == 1
        slow, quick = run_in_flight(asking(waiting)), run_in_flight(asking(number(7)))
        wait_for(quick, 5)
        assert quick.result(0)[0].value == 7
        assert not slow.done()
        cursor.execute("SELECT pg_advisory_unlock(4711)")
    wait_for(slow, 5)
    assert slow.result(0)


@pytest.mark.usefixtures("searching")
def test_threads_with_more_searches_than_connections_all_end() -> None:
    found: list[int] = []

    def ask() -> None:
        flights = [run_in_flight(asking(number(place))) for place in range(4)]
        for flight in flights:
            wait_for(flight, 10)
        found.extend(flight.result(0)[0].value for flight in flights)

    threads = [Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([*range(4)] * 6)


@pytest.mark.usefixtures("searching")
def test_a_search_without_steps_has_a_thread() -> None:
    outcome = run_in_flight(lambda: 7)
    wait_for(outcome, 5)
    assert outcome.result(0) == 7


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["english", "german", "french", "simple", "arabic"])
def test_the_stems_of_words_are_those_of_the_text(language: str) -> None:
    for text in TEXTS:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT to_json(tsvector_to_array(to_tsvector(%s::regconfig, %s)))", [language, full_text_input(text)]
            )
            (told,) = cursor.fetchone()
        expected = json.loads(told) if isinstance(told, str) else told
        for _ in range(2):  # of words that are not known yet, and of known ones
            stems = SearchInSteps(lambda text=text: question_stems.question_stems(text, [language]))()  # type: ignore[misc]
            assert stems == {language: sorted(expected)}, text


@pytest.mark.django_db
def test_known_words_need_no_statement() -> None:
    SearchInSteps(lambda: question_stems.question_stems("Acids are kept here", ["english"]))()
    steps = question_stems.question_stems("here Acids kept", ["english"])
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == {"english": ["acid", "kept"]}


@pytest.mark.django_db
def test_the_documents_of_a_chatbot_are_those_of_its_querysets(people: Cast) -> None:
    bots: list[Chatbot] = [
        make_chatbot(people.alice, personal=[personal_document(people.alice)], school=[school_document(people.carol)]),
        make_chatbot(people.bob),
    ]
    for bot in bots:
        assert PersonalSource.of_chatbot(bot).documents == PersonalSource(bot.school, find_documents(bot)).documents
        school = library.SchoolSource(bot.school, library.find_school_documents(bot))
        assert library.SchoolSource.of_chatbot(bot).documents == school.documents
    assert [len(select_sources(bot)) for bot in bots] == [2, 0]
