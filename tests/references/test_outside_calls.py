"""The switch “no outside calls” of the installation and of a school: 0 connections, and answers all the same."""

from __future__ import annotations

from contextlib import suppress
from io import StringIO

import pytest
from django.apps import apps
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from chatbots.models import Chatbot, Message, MessageSource
from chatbots.services import set_shares
from corpus.source_kinds import Participation
from corpus.sources import PageUnavailable
from references.approved.queue import queue_school
from references.fetching.errors import FetchFailed
from references.live.source import live_page
from references.models import ReferenceSettings
from references.outside_calls import get_permit, may_call_outside
from references.tasks import read_wanted_pages
from tests.factories import Cast, make_message, make_program, signed_in
from tests.references.conftest import Wikis
from tests.references.sites import Site, allow, make_topic
from tests.references.web import page

QUESTION = "What do the light reactions of photosynthesis set free?"


@pytest.fixture
def rules(chatbot: Chatbot) -> ReferenceSettings:
    """Alice's chatbot fills in from live Wikipedia, which her school allows."""
    rows = chatbot.all_sources()
    for row in rows:
        if row.kind == "wikipedia_live":
            row.participation = Participation.FILLS_IN
    set_shares(chatbot=chatbot, sources=rows)
    return ReferenceSettings.objects.create(school=chatbot.school, allows_wikipedia_live=True)


def ask(cast: Cast, chatbot: Chatbot, question: str = QUESTION) -> Message:
    return make_message(cast.alice, chatbot, question)


def test_an_answer_cites_the_revision_that_was_read(
    cast: Cast, chatbot: Chatbot, rules: ReferenceSettings, wikis: Wikis
) -> None:
    message = ask(cast, chatbot)
    cited = MessageSource.objects.get(message=message, is_cited=True)
    assert (cited.kind, cited.document_title, cited.revision) == ("wikipedia_live", "Photosynthesis", "17")
    assert cited.heading_path == ["Light reactions"]
    assert cited.address == f"{wikis.peers[0].url}/w/index.php?title=Photosynthesis&oldid=17#Light_reactions"
    assert "oxygen" in message.answer


def test_what_the_school_has_itself_is_not_mixed_with_it(
    cast: Cast, chatbot: Chatbot, rules: ReferenceSettings, wikis: Wikis
) -> None:
    """An unrelated page is below the threshold, whatever the wiki finds."""
    message = ask(cast, chatbot, "How strong may hydrochloric acid be?")
    assert not message.sources.filter(kind="wikipedia_live").exists()


def test_a_wiki_that_fails_is_named_with_the_answer(
    cast: Cast, chatbot: Chatbot, rules: ReferenceSettings, wikis: Wikis
) -> None:
    for wiki in (wikis.wikipedia, wikis.wikibooks):
        wiki.trouble = [page("{}", status=503, media_type="application/json", Retry_After=99)]
    message = ask(cast, chatbot, "How strong may hydrochloric acid be?")
    assert message.unavailable == ["wikipedia_live"] and message.sources.exists()


@pytest.mark.parametrize("is_on", [True, False])
def test_a_start_with_this_machine_allowed_says_so(
    is_on: bool, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LECTERN_FETCH_LOOPBACK = is_on
    apps.get_app_config("operations").ready()
    assert ("LECTERN_FETCH_LOOPBACK is on" in caplog.text) is is_on


@pytest.mark.parametrize("switch", ["installation", "school"])
def test_no_connection_is_made_where_outside_calls_are_off(
    switch: str, cast: Cast, chatbot: Chatbot, rules: ReferenceSettings, wikis: Wikis, settings: Settings
) -> None:
    assert may_call_outside(chatbot.school) and get_permit(chatbot.school)
    if switch == "installation":
        settings.LECTERN_OFFLINE = True
    else:
        rules.allows_outside_calls = False
        rules.save()
    assert not may_call_outside(chatbot.school)
    refused = ask(cast, chatbot)
    answered = ask(cast, chatbot, "How strong may hydrochloric acid be?")
    assert refused.unavailable == [] and answered.sources.filter(is_cited=True).exists()
    with pytest.raises(FetchFailed, match="calls to the outside"):
        get_permit(chatbot.school)
    with pytest.raises(PageUnavailable, match="calls to the outside"):
        live_page(chatbot, "wikipedia:en:Photosynthesis")
    assert wikis.connections == 0


@pytest.mark.parametrize("switch", ["installation", "school", "none"])
def test_the_whole_product_makes_no_connection_where_outside_calls_are_off(
    switch: str, cast: Cast, chatbot: Chatbot, wikis: Wikis, web: Site, settings: Settings
) -> None:
    """Every page, route, command and task that could lead outside is used. With the switches on, they all do."""
    topic = make_topic(chatbot.school, read=False)
    allow(chatbot.school, allows_wikipedia_live=True, allows_outside_calls=switch != "school")
    settings.LECTERN_OFFLINE = switch == "installation"
    rows = chatbot.all_sources()
    for row in rows:
        if row.kind in ("approved", "wikipedia_live"):
            row.participation = Participation.FILLS_IN
    set_shares(chatbot=chatbot, sources=rows)
    admin, api = signed_in(cast.carol), make_program(cast.alice)
    made: dict[str, int] = {}
    before = 0

    def used(what: str) -> None:
        nonlocal before
        now = wikis.connections + web.peer.connections
        made[what], before = now - before, now

    admin.post(reverse("references:topic", args=[topic.pk]), {"addresses": web.url()})
    page = topic.pages.get()
    read_wanted_pages(str(chatbot.school_id))
    used("adding a page")
    admin.post(reverse("references:read-page", args=[page.pk]))
    used("reading it again")
    with suppress(CommandError):
        call_command("warm_approved_pages", stdout=StringIO(), stderr=StringIO())
    used("the command")
    queue_school(chatbot.school)
    read_wanted_pages(str(chatbot.school_id))
    used("the schedule")
    cache.clear()
    ask(cast, chatbot, "Does the landlord keep the deposit of a tenant?")
    used("a question with keywords")
    ask(cast, chatbot)
    used("a question for Wikipedia")
    body = {"question": "What is a volcano?", "title": "Volcano", "project": "wikipedia"}
    api.post(reverse("api:ask-page", args=[chatbot.pk]), body, "application/json")
    used("a question about one page")
    api.post(
        reverse("api:search", args=[chatbot.pk]), {"query": "Which enzyme takes carbon dioxide?"}, "application/json"
    )
    used("a search by the API")
    signed_in(cast.alice).get(reverse("chatbots:edit", args=[chatbot.pk]))
    admin.get(reverse("references:index"))
    assert {what for what, count in made.items() if count} == (set(made) if switch == "none" else set())
