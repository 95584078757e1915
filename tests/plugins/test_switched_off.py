"""Without a plug-in the rest works, and nothing leads to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import reload

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.urls import clear_url_caches, reverse
from pytest_django import Settings

from chatbots.answering.source_selection import select_sources
from chatbots.guests import GuestTerms, filter_permitted_guests, get_guest_terms
from chatbots.models import Chatbot, Participant
from chatbots.services import set_shares
from chatbots.sharing.copying import copy_chatbot
from classrooms.forms import ClassLinkForm
from classrooms.links import change_link
from config import api_urls, urls
from config.background_tasks import find_tasks
from corpus import source_kinds
from corpus.source_kinds import Participation, get_kind
from plugins import find_plugins, is_on
from privacy.erasing import erase_old
from tests.classrooms.classes import open_class
from tests.factories import Cast, make_chatbot, make_message, personal_document, signed_in
from tests.workers import environment

pytestmark = pytest.mark.django_db

LINKS = {
    "references": ["/references/"],
    "web_pages": ["/web-pages/"],
    "evaluation": ["/checks/", "/pin/"],
    "learning": ["/plans/"],
    "classrooms": ["/classes/", "/c/"],
    "lti": ["/lti/"],
    "openai_api": ["/openai"],
}
"""Of each plug-in: parts of the addresses that it alone has."""


@pytest.fixture
def switch_off(settings: Settings) -> Iterator[Callable[..., None]]:
    """Switch plug-ins off in this process, which has read its URLs already."""

    def switch(*labels: str) -> None:
        settings.LECTERN_PLUGINS_OFF = labels
        for module in (api_urls, urls):
            reload(module)
        clear_url_caches()

    yield switch
    switch()


def test_every_plugin_is_tested() -> None:
    assert list(LINKS) == django_settings.PLUGINS


@pytest.mark.parametrize("label", LINKS)
def test_without_one_of_them_nothing_leads_to_it(
    label: str, switch_off: Callable[..., None], people: Cast, chatbot: Chatbot
) -> None:
    message = make_message(people.alice, chatbot)
    chatbot.test_questions.create(school=chatbot.school, question="Who?", is_refused=True)
    tutor = make_chatbot(people.alice, name="Tutor", is_tutor=True)
    pages = [
        reverse("home"),
        reverse("chatbots:list"),
        reverse("chatbots:chat", args=[message.chat_id]),
        reverse("chatbots:new-chat", args=[tutor.pk]),
        reverse("chatbots:start"),
        reverse("chatbots:gaps"),
        reverse("knowledge:list"),
    ]
    if label != "classrooms":
        pages.append(reverse("classrooms:desk", args=[open_class(people.alice, chatbot).pk]))
    admins_pages = [reverse("schools:members"), reverse("schools:signing-in"), reverse("school_library:upload")]
    login = reverse("account_login")

    def read_all() -> str:
        alice, carol = signed_in(people.alice), signed_in(people.carol)
        found = [alice.get(page, follow=True) for page in pages] + [carol.get(page) for page in admins_pages]
        found.append(Client().get(login))
        assert {page.status_code for page in found} == {200}
        return "".join(page.content.decode() for page in found)

    leads = LINKS[label]
    if label != "openai_api":  # no page of the core leads to it
        assert any(link in read_all() for link in leads)
    switch_off(label)
    call_command("check")
    off = read_all()
    assert not [link for link in leads if link in off]
    assert label not in {plugin.label for plugin in find_plugins()}


@pytest.mark.django_db(transaction=True)
def test_the_core_works_alone(people: Cast) -> None:
    of_admin = make_chatbot(people.carol, personal=[personal_document(people.carol)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.plugins.core_alone", people.carol.user.email, str(of_admin.pk)],
        cwd=django_settings.BASE_DIR,
        env=environment(LECTERN_PLUGINS_OFF="all"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_plugin_needs_is_off_with_it(settings: Settings) -> None:
    settings.LECTERN_PLUGINS_OFF = ["classrooms", "references"]
    assert [plugin.label for plugin in find_plugins()] == ["evaluation", "learning", "openai_api"]
    assert is_on("learning") and not is_on("lti") and not is_on("schools") and not is_on("nothing")


def test_off_it_has_no_tasks_and_what_it_stored_is_erased_all_the_same(settings: Settings) -> None:
    settings.LECTERN_PLUGINS_OFF = ["all"]
    assert {name.partition(".")[0] for name in find_tasks()} & set(django_settings.PLUGINS) == set()
    assert "classrooms.ClassLink" in erase_old()


def test_guests_may_read_nothing_without_the_plugin_that_let_them_in(settings: Settings, people: Cast) -> None:
    guest = Participant.objects.create(school=people.alice.school)
    for off in ([], ["classrooms"]):
        settings.LECTERN_PLUGINS_OFF = off
        assert get_guest_terms(guest) == GuestTerms(kinds=frozenset()), "a guest of nobody"
        assert not filter_permitted_guests({guest.pk})


def test_a_tutor_reads_nothing_without_its_plugin(settings: Settings, people: Cast) -> None:
    settings.LECTERN_PLUGINS_OFF = ["learning"]
    assert select_sources(make_chatbot(people.alice, is_tutor=True)) == []


@pytest.fixture
def read_kinds_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(source_kinds, "_kinds", dict(source_kinds._kinds))
    source_kinds._register_kinds_of_plugins.cache_clear()
    yield
    source_kinds._register_kinds_of_plugins.cache_clear()


def test_the_kinds_of_a_plugin_that_is_off_are_named_and_neither_searched_nor_opened(
    settings: Settings, people: Cast, read_kinds_anew: None
) -> None:
    settings.LECTERN_PLUGINS_OFF = ["references"]
    kind = get_kind("wikipedia_offline")
    assert (kind.label, kind.is_private, kind.is_on) == ("Wikipedia", False, False)
    assert kind not in source_kinds.list_searchable_kinds() and kind in source_kinds.list_kinds()

    class Stored:
        document_id, address = None, "/references/read/x"

    assert kind.open(people.alice, Stored()) == kind.uri(Stored()) == ""
    Stored.address = "https://de.wikipedia.org/wiki/Fluss"
    assert kind.open(people.alice, Stored()) == Stored.address


def test_a_copy_shares_what_a_kind_that_is_off_had(
    settings: Settings, people: Cast, chatbot: Chatbot, read_kinds_anew: None
) -> None:
    """And the row of that kind stays, without the weight that the others need."""
    chatbot.sources.filter(kind="personal").update(weight=F("weight") - 20)
    off = {"kind": "wikipedia_live", "participation": Participation.SHARES, "weight": 20}
    chatbot.sources.create(school=chatbot.school, **off)
    settings.LECTERN_PLUGINS_OFF = ["references"]
    copy = copy_chatbot(chatbot=chatbot, member=people.alice)
    assert sum(row.weight for row in copy.sources.all()) == 100
    weights, rows = dict(copy.sources.values_list("kind", "weight")), chatbot.all_sources()
    for one in rows:
        one.weight = weights.get(one.kind, 0)
    set_shares(chatbot=chatbot, sources=rows)
    row = chatbot.sources.get(kind="wikipedia_live")
    assert (row.participation, row.weight) == (Participation.OFF, 0)


def test_a_class_keeps_what_is_switched_off(settings: Settings, people: Cast, chatbot: Chatbot) -> None:
    tutor = make_chatbot(people.alice, name="Tutor", is_tutor=True)
    link = open_class(people.alice, chatbot, tutor)
    settings.LECTERN_PLUGINS_OFF = ["learning"]
    change_link(link=link, member=people.alice, chatbots=[chatbot.pk])
    assert set(link.opened.values_list("chatbot", flat=True)) == {chatbot.pk, tutor.pk}
    settings.LECTERN_PLUGINS_OFF = []
    change_link(link=link, member=people.alice, chatbots=[chatbot.pk])
    assert set(link.opened.values_list("chatbot", flat=True)) == {chatbot.pk}


def test_the_kinds_of_a_class_stay_limited(
    settings: Settings, people: Cast, chatbot: Chatbot, read_kinds_anew: None
) -> None:
    link = open_class(people.alice, chatbot, kinds=["personal", "school", "approved"])
    settings.LECTERN_PLUGINS_OFF = ["references"]
    source_kinds._register_kinds_of_plugins.cache_clear()
    form = ClassLinkForm(instance=link, member=people.alice)
    ticked = {**form.initial, "kinds": ["personal", "school"], "chatbots": [chatbot.pk]}
    sent = ClassLinkForm(
        {name: value for name, value in ticked.items() if value is not None}, instance=link, member=people.alice
    )
    assert sent.is_valid(), sent.errors
    assert sent.fields_of_link()["kinds"] == ["approved", "personal", "school"], "not everything, and what is off stays"
