"""Approved pages as a source: which questions they answer, for whom, and how fast."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chatbots.answering.retrieval import WeightedSource, retrieve
from chatbots.models import Chatbot, MessageSource
from corpus.passages import Passage
from corpus.sources import Query
from engines.embedding import get_embedder
from references.approved import cache, source
from references.approved.reading import read_approved_page
from references.approved.source import ApprovedSource
from references.kinds import APPROVED
from references.models import PageState, ReferenceSettings
from tests.factories import Cast, make_chatbot
from tests.references.sites import DEPOSIT, NOTICE, QUESTION, Site, allow, make_topic, only_page
from tests.references.test_keywords import UNRELATED
from tests.references.web import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    allow(people.carol.school)
    return make_chatbot(people.alice)


def found(chatbot: Chatbot, question: str = QUESTION) -> list[Passage]:
    made = APPROVED.source_for(chatbot) if APPROVED.source_for else None
    if made is None or made.is_empty():
        return []
    return list(made.search(Query.of(question, get_embedder()), 5))


def test_a_question_with_two_keywords_brings_the_pages(chatbot: Chatbot, web: Site) -> None:
    web.pages["/notice"] = NOTICE
    topic = make_topic(chatbot.school, web.url(), web.url("/notice"))
    first, second = found(chatbot)
    assert (first.text, first.excerpt, first.document_title) == (DEPOSIT, DEPOSIT, "Deposits – Office for Housing")
    assert (first.address, first.kind, first.document_id) == (web.url(), APPROVED, None)
    assert first.read_at == topic.pages.first().read_at  # type: ignore[union-attr]
    assert len(first.revision) == 16
    assert second.text == NOTICE
    assert first.relevance >= second.relevance >= django_settings.LECTERN_RELEVANCE_THRESHOLD


def test_no_unrelated_question_brings_a_page(chatbot: Chatbot, web: Site) -> None:
    make_topic(chatbot.school, web.url())
    assert [question for question in [*UNRELATED, "What is rent?"] if found(chatbot, question)] == []


def test_a_page_of_several_topics_is_brought_once(chatbot: Chatbot, web: Site) -> None:
    for name in ("Renting", "Homes"):
        make_topic(chatbot.school, web.url(), name=name)
    assert [one.address for one in found(chatbot)] == [web.url()]


def test_a_school_reads_its_own_list_only_and_only_if_it_allows_it(people: Cast, chatbot: Chatbot, web: Site) -> None:
    theirs = people.chloe.school
    allow(theirs)
    make_topic(theirs, web.url())
    assert found(chatbot) == []
    there = make_chatbot(people.charlie)
    assert found(there)
    assert APPROVED.is_allowed_for(theirs)
    ReferenceSettings.objects.filter(school=theirs).update(allows_approved=False)
    assert not APPROVED.is_allowed_for(theirs)
    assert found(there) == []


def test_what_is_removed_or_failed_answers_no_more(chatbot: Chatbot, web: Site) -> None:
    web.pages["/notice"] = NOTICE
    topic = make_topic(chatbot.school, web.url(), web.url("/notice"))
    web.pages["/notice"] = page("", status=404)
    read_approved_page(topic.pages.get(address=web.url("/notice")).pk)
    assert [one.text for one in found(chatbot)] == [DEPOSIT]
    topic.pages.all().delete()
    assert found(chatbot) == []


def test_the_approved_text_answers_until_the_new_one_is_approved(chatbot: Chatbot, web: Site) -> None:
    topic = make_topic(chatbot.school, web.url())
    web.pages["/deposit"] = NOTICE
    read_approved_page(only_page(topic).pk)
    assert [one.text for one in found(chatbot)] == [DEPOSIT]


def test_a_page_with_http_answers_only_while_that_is_allowed(chatbot: Chatbot, web: Site) -> None:
    make_topic(chatbot.school, web.url())
    ReferenceSettings.objects.update(allows_http=False)
    assert found(chatbot) == []


def test_a_page_that_redirects_to_http_answers_only_while_that_is_allowed(chatbot: Chatbot, web: Site) -> None:
    topic = make_topic(chatbot.school, web.url())
    topic.pages.update(address="https://page.example/")  # as if it had redirected to web.url()
    assert found(chatbot)
    ReferenceSettings.objects.update(allows_http=False)
    assert found(chatbot) == []


def test_without_calls_to_the_outside_the_cache_still_answers(chatbot: Chatbot, web: Site) -> None:
    make_topic(chatbot.school, web.url())
    ReferenceSettings.objects.update(allows_outside_calls=False)
    asked = web.peer.connections
    assert [one.text for one in found(chatbot)] == [DEPOSIT]
    assert web.peer.connections == asked


def test_each_question_logs_one_line_without_its_words(
    chatbot: Chatbot, web: Site, caplog: pytest.LogCaptureFixture
) -> None:
    make_topic(chatbot.school, web.url())
    with caplog.at_level(logging.INFO, source.logger.name):
        caplog.clear()
        found(chatbot)
        found(chatbot, "Who painted the Mona Lisa?")
    assert [record.getMessage() for record in caplog.records] == [
        f"approved pages: school=riverside topic=Renting addresses={web.url()} hits=1",
        "approved pages: school=riverside topic=- addresses=- hits=0",
    ]


def test_the_search_needs_one_statement_for_topics(chatbot: Chatbot, web: Site) -> None:
    make_topic(chatbot.school, web.url())
    with CaptureQueriesContext(
        connection,
    ) as asked:
        made = ApprovedSource(ReferenceSettings(school=chatbot.school, allows_http=True), APPROVED)
        assert made.search(Query.of(QUESTION, get_embedder()), 5)
    assert len([one for one in asked.captured_queries if "approvedtopic" in one["sql"]]) == 1
    assert len(asked) == 1


def test_its_place_in_an_answer(chatbot: Chatbot, web: Site) -> None:
    make_topic(chatbot.school, web.url())
    made = APPROVED.source_for(chatbot)  # type: ignore[misc]
    assert made
    result = retrieve(QUESTION, [WeightedSource(made, 0, fills_in=True)], places=3)
    assert [(one.passage.kind, one.passage.address) for one in result.placed] == [(APPROVED, web.url())]
    assert not result.unavailable


def test_its_address_can_be_stored_with_an_answer() -> None:
    (constraint,) = (one for one in MessageSource._meta.constraints if one.name == "source_address")
    for address in ("https://page.example/a?b=c", "http://page.example/"):
        constraint.validate(MessageSource, MessageSource(address=address))  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
class TestMissingPages:
    """Of which the threads that read them must see the rows."""

    def test_a_page_that_the_cache_has_lost_is_read_for_the_question(
        self, chatbot: Chatbot, web: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(source, "WAIT_SECONDS", 30)  # on a busy machine, too
        monkeypatch.setattr(source.ApprovedSource, "deadline_ms", 30_000)
        topic = make_topic(chatbot.school, web.url(), read=False)
        assert [one.text for one in found(chatbot)] == [DEPOSIT]
        assert only_page(topic).state == PageState.FRESH
        assert len(web.peer.paths) == 1
        assert [one.text for one in found(chatbot)] == [DEPOSIT]
        assert len(web.peer.paths) == 1

    def test_a_page_that_cannot_be_read_is_not_tried_with_every_question(self, chatbot: Chatbot, web: Site) -> None:
        make_topic(chatbot.school, web.url("/nowhere"), read=False)
        assert [found(chatbot) for _ in range(3)] == [[], [], []]
        assert len(web.peer.paths) == 1

    def test_a_slow_page_delays_no_answer_and_is_there_for_the_next(
        self, chatbot: Chatbot, web: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(source, "WAIT_SECONDS", 0.2)
        gate = threading.Event()
        head, body = page(f"<p>{DEPOSIT}</p>")
        web.pages["/slow"] = (head, gate, body)  # type: ignore[assignment]
        topic = make_topic(chatbot.school, web.url(), read=True)
        topics_pages = make_topic(chatbot.school, web.url("/slow"), name="Slow", read=False).pages
        assert [one.address for one in found(chatbot)] == [web.url()]
        gate.set()
        deadline = time.monotonic() + 10
        while topics_pages.get().state == PageState.NEW and time.monotonic() < deadline:
            time.sleep(0.02)
        assert {one.address for one in found(chatbot)} == {web.url(), web.url("/slow")}
        assert only_page(topic).state == PageState.FRESH

    def test_questions_at_the_same_time_read_a_page_once(self, chatbot: Chatbot, web: Site) -> None:
        gate = threading.Event()
        head, body = page(f"<p>{DEPOSIT}</p>")
        web.pages["/deposit"] = (head, gate, body)  # type: ignore[assignment]
        topic = make_topic(chatbot.school, web.url(), read=False)
        key = only_page(topic).pk
        futures = [future for _ in range(5) for future in source._read(chatbot.school_id, [key])]
        gate.set()
        assert len(futures) == 5
        for future in futures:
            future.result(120)
        assert len(web.peer.paths) == 1
        assert cache.load([key])[key].text == DEPOSIT

    def test_slow_pages_of_one_school_do_not_delay_another(
        self, people: Cast, chatbot: Chatbot, web: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(source, "WAIT_SECONDS", 2)
        gate = threading.Event()
        slow = [f"/slow{number}" for number in range(30)]
        web.pages |= dict.fromkeys(slow, (gate, *page("")))  # type: ignore[arg-type]
        make_topic(chatbot.school, *map(web.url, slow), read=False)
        theirs = allow(people.chloe.school).school
        make_topic(theirs, web.url(), read=False)
        try:
            assert found(chatbot) == found(chatbot) == []
            assert len(web.peer.paths) == source.READERS
            assert [one.text for one in found(make_chatbot(people.charlie))] == [DEPOSIT]
        finally:
            gate.set()
        deadline = time.monotonic() + 20
        while source._being_read and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not source._being_read
        assert len(web.peer.paths) == source.PAGES + 1
