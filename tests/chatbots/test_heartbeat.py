"""Answers live as long as the process that writes them, however long they wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import OperationalError, connection
from psycopg_pool import PoolTimeout

from chatbots.models import Chatbot, Message, MessageQuerySet, MessageStatus
from chatbots.streaming import jobs, ticker
from engines import background
from tests.chatbots.programs import QUESTION
from tests.factories import Cast, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticker, "BEATS", 1)


@pytest.fixture
def rows(people: Cast, chatbot: Chatbot, model: Model) -> MessageQuerySet:
    """Three questions that wait to be answered."""
    model.enqueue(*["It has 0.5 mol/l [1]."] * 3)
    messages = [make_message(people.alice, chatbot, QUESTION, answered=False) for _ in range(3)]
    return Message.objects.filter(pk__in=[message.pk for message in messages])


def all_live(rows: MessageQuerySet) -> bool:
    rows.update(heartbeat_at="2020-01-01T00:00Z")
    wait_for(lambda: not rows.filter(heartbeat_at__year=2020).exists())
    return jobs.interrupt_abandoned() == 0


@contextmanager
def threads_are_taken() -> Iterator[None]:
    """None of the slots and threads for answers is free."""
    go_on = threading.Event()
    for name in ("before", "after"):
        executor = background.get_pool(name)
        for _ in range(executor._max_workers):
            executor.submit(go_on.wait, 60)
    try:
        yield
    finally:
        go_on.set()


@contextmanager
def connections_are_taken(pool: Any) -> Iterator[None]:
    """This thread has the only connection, unless another thread that has one keeps it."""
    connection.ensure_connection()
    held: list[Any] = []
    try:
        with suppress(PoolTimeout):
            while len(held) < pool.max_size - 1:
                held.append(pool.getconn(5))
        yield
    finally:
        for one in held:
            pool.putconn(one)


def test_no_answer_is_interrupted_while_everything_is_full(
    rows: MessageQuerySet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wait for a slot, for a thread and for a connection, also longer than a request would."""
    pool = connection.pool  # type: ignore[attr-defined]
    monkeypatch.setattr(pool, "timeout", 0.1)
    with connections_are_taken(pool):
        with threads_are_taken():
            for message in rows:
                jobs.start(message)
            assert all_live(rows)
        pool.pop_stats()
        wait_for(lambda: pool.get_stats().get("requests_errors", 0) >= 6)
        assert all_live(rows)
        assert set(rows.values_list("status", flat=True)) == {MessageStatus.PENDING}
    finish_answers()
    assert set(rows.values_list("status", flat=True)) == {MessageStatus.DONE}


def test_a_row_that_somebody_holds_and_a_lost_connection_let_nobody_die(rows: MessageQuerySet) -> None:
    held, others = rows[0], rows.exclude(pk=rows[0].pk)
    holder: Any = connection.copy()
    with threads_are_taken():
        for message in rows:
            jobs.start(message)
        holder.set_autocommit(False)
        try:
            with holder.cursor() as cursor:
                cursor.execute("SELECT FROM chatbots_message WHERE id = %s FOR UPDATE", [held.pk])
            assert all_live(others)
        finally:
            holder.rollback()
            holder.close()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE query LIKE 'UPDATE chatbots_message SET heartbeat_at%' AND datname = current_database()"
            )
            assert cursor.fetchone() == (1,)
        assert all_live(rows)
    finish_answers()


def test_readers_get_text_while_the_table_is_locked(people: Cast, chatbot: Chatbot, model: Model) -> None:
    """As an upgrade or a new index does: no row can be saved then."""
    go_on, end = threading.Event(), threading.Event()
    model.enqueue(["It has ", go_on, "0.5 mol/l ", end, "[1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    job = jobs.start(message)
    wait_for(lambda: bool(job.state.text))
    holder: Any = connection.copy()
    holder.set_autocommit(False)
    try:
        with holder.cursor() as cursor:
            cursor.execute("LOCK TABLE chatbots_message IN SHARE MODE")
        time.sleep(1)
        go_on.set()
        wait_for(lambda: "mol" in job.published.text, seconds=5)
    finally:
        holder.rollback()
        holder.close()
        go_on.set()
        end.set()
    finish_answers()
    message.refresh_from_db()
    assert message.status == MessageStatus.DONE


def test_after_a_failure_only_beats_try_again(
    people: Cast, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the database is away a log does not fill up."""
    end, tries = threading.Event(), list[float]()

    def fail(jobs: object) -> None:
        tries.append(time.monotonic())
        raise OperationalError

    model.enqueue(["It has ", end, "0.5 mol/l [1]."])
    job = jobs.start(make_message(people.alice, chatbot, QUESTION, answered=False))
    wait_for(lambda: bool(job.state.text))
    monkeypatch.setattr(ticker, "SAVES", 1)
    monkeypatch.setattr(ticker, "BEATS", 15)
    monkeypatch.setattr(ticker, "_save", fail)
    wait_for(lambda: bool(tries))
    time.sleep(1)
    end.set()
    finish_answers()
    assert len(tries) <= 2


def test_what_another_process_writes_is_not_vouched_for(rows: MessageQuerySet) -> None:
    """Nor what nobody writes: it is interrupted."""
    rows.update(heartbeat_at="2020-01-01T00:00Z", status=MessageStatus.WRITING)
    for message in rows:
        jobs.start(message)
    finish_answers()
    assert jobs.interrupt_abandoned() == 3


def test_a_growing_answer_changes_no_index(rows: MessageQuerySet) -> None:
    """PostgreSQL then keeps the new version of the row on its page (HOT) and touches none of the indexes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_index, pg_attribute WHERE indrelid = 'chatbots_message'::regclass"
            " AND attrelid = indrelid AND attnum = ANY(indkey)"
        )
        indexed = {name for (name,) in cursor.fetchall()}
    assert "created_at" in indexed
    assert not indexed & {"answer", "heartbeat_at"}


def test_abandoned_answers_are_found_by_an_index(rows: MessageQuerySet) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        plan = Message.objects.unfinished().filter(heartbeat_at__lt="2020-01-01T00:00Z").explain()
        cursor.execute("RESET enable_seqscan")
    assert "message_written_once" in plan
