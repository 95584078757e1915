"""The five real kinds of source in the form, the API, and what an answer says of them; the three new ones in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.answering.explanations import build_search_record, explain_filling
from chatbots.answering.retrieval import Retrieval, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot, Message
from corpus.source_kinds import get_kind, register
from references.models import ReferenceSettings
from schools.models import Membership
from tests.factories import (
    Cast,
    finish_answers,
    make_chatbot,
    make_message,
    make_program,
    personal_document,
    school_document,
)
from tests.in_memory import ADDRESSES, in_memory
from tests.scripted import ScriptedLLM

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs("references")]

NEW = ("approved", "wikipedia_offline", "wikipedia_live")
QUESTION = "How strong may hydrochloric acid be?"
JSON = "application/json"


Given = Callable[..., None]


@pytest.fixture
def given() -> Iterator[Given]:
    """Gives these kinds their texts, for one test."""
    before = [get_kind(value) for value in NEW]

    def give(**texts: Sequence[str]) -> None:
        for kind in before:
            found = texts.get(kind.value, [f"{kind.label}: hydrochloric acid has at most 10 mol/l."])
            register(replace(kind, source_for=in_memory(kind, found)))

    yield give
    finish_answers()
    for kind in before:
        register(kind)


def allow(member: Membership, *kinds: str) -> None:
    """Have the school allow exactly these kinds."""
    fields = {f"allows_{kind}": kind in kinds for kind in NEW}
    ReferenceSettings.objects.update_or_create(school=member.school, defaults=fields)


def put(member: Membership, chatbot: Chatbot, **kinds: dict[str, Any]) -> Any:
    url = reverse("api:chatbot-sources", args=[chatbot.pk])
    return make_program(member).put(url, {"kinds": kinds}, content_type=JSON)


def stored(chatbot: Chatbot) -> dict[str, tuple[str, int]]:
    return {row.kind: (row.participation, row.weight) for row in chatbot.sources.all()}


def found_by(chatbot: Chatbot) -> Retrieval:
    return retrieve(QUESTION, select_sources(chatbot), places=chatbot.places)


def signed_in(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def get_text(member: Membership, name: str, *args: Any) -> str:
    response = signed_in(member).get(reverse(name if ":" in name else f"chatbots:{name}", args=args))
    assert response.status_code == 200
    return response.content.decode()


# Permission


def test_the_form_knows_only_the_kinds_that_the_school_allows(people: Cast) -> None:
    text = get_text(people.alice, "create")
    assert text.count('type="range"') == 1
    assert not [kind for kind in NEW if kind in text]
    allow(people.carol, "approved", "wikipedia_live")
    text = get_text(people.alice, "create")
    assert 'name="approved_participation"' in text
    assert 'name="wikipedia_live_weight"' in text
    assert "wikipedia_offline" not in text
    assert "two keywords of a topic" in text


def test_what_the_school_does_not_allow_cannot_be_posted(people: Cast, given: Given) -> None:
    given()
    chatbot = make_chatbot(people.alice)
    form = {"name": "A", "language": "en", "places": 5, "when_unsure": "refuse", "personal_weight": 60}
    form |= {"approved_participation": "fills_in", "approved_weight": 0}
    assert signed_in(people.alice).post(reverse("chatbots:edit", args=[chatbot.pk]), form).status_code == 302
    assert stored(chatbot) == {"personal": ("shares", 60), "school": ("shares", 40)}
    response = put(people.alice, chatbot, approved={"mode": "fill"})
    assert response.status_code == 400
    assert response.json()["errors"] == {"kinds": ["Your school does not allow approved pages."]}
    allow(people.carol, "approved")
    signed_in(people.alice).post(reverse("chatbots:edit", args=[chatbot.pk]), form | {"school_weight": 40})
    assert stored(chatbot)["approved"] == ("fills_in", 0)


def test_what_is_withdrawn_is_not_searched_and_keeps_its_setting(people: Cast, given: Given) -> None:
    given()
    allow(people.carol, *NEW)
    chatbot = make_chatbot(people.alice, school=[school_document(people.carol)])
    put(people.alice, chatbot, approved={"mode": "share", "weight": 30}, wikipedia_live={"mode": "fill"})
    assert {one.source.kind.value for one in select_sources(chatbot)} == {"school", "approved", "wikipedia_live"}
    allow(people.carol, "wikipedia_offline")
    chatbot = Chatbot.objects.get()
    assert {one.source.kind.value for one in select_sources(chatbot)} == {"school"}
    assert {placed.passage.kind.value for placed in found_by(chatbot).placed} == {"school"}
    assert stored(chatbot)["approved"] == ("shares", 30)
    text = get_text(people.alice, "edit", chatbot.pk)
    assert text.count("Your school does not allow this at the moment") == 2
    assert "Its setting is kept: the others share the rest." in text
    assert "30% web" not in get_text(people.alice, "new-chat", chatbot.pk)
    # Saving the form as it is changes nothing; it cannot be given more, only be switched off.
    form = {"name": "A", "language": "en", "places": 5, "when_unsure": "refuse", "personal_weight": 42}
    form |= {"school_weight": 28, "approved_participation": "shares", "approved_weight": 99}
    url, alice = reverse("chatbots:edit", args=[chatbot.pk]), signed_in(people.alice)
    assert alice.post(url, form).status_code == 302
    assert stored(chatbot)["approved"] == ("shares", 30)
    assert alice.post(url, form | {"approved_participation": "fills_in"}).status_code == 422
    off = {"approved_participation": "off", "school_weight": 58}
    assert alice.post(url, form | off).status_code == 302
    assert (stored(chatbot)["approved"], stored(chatbot)["school"]) == (("off", 0), ("shares", 58))
    allow(people.carol, *NEW)
    assert {one.source.kind.value for one in select_sources(Chatbot.objects.get())} == {"wikipedia_live"}


def test_other_schools_are_not_concerned(people: Cast, given: Given) -> None:
    given()
    allow(people.chloe, *NEW)
    chatbot = make_chatbot(people.alice)
    assert put(people.alice, chatbot, approved={"mode": "fill"}).status_code == 400


# Programs


def test_programs_set_the_kinds(people: Cast, given: Given) -> None:
    given()
    allow(people.carol, *NEW)
    own = personal_document(people.alice)
    chatbot = make_chatbot(people.alice, personal=[own])
    url = reverse("api:chatbot-sources", args=[chatbot.pk])
    before = make_program(people.alice).get(url).json()
    assert before["kinds"] == {kind: {"mode": "off", "weight": 0, "allowed": True} for kind in NEW}
    done = put(people.alice, chatbot, approved={"mode": "share", "weight": 20}, wikipedia_offline={"mode": "fill"})
    assert done.status_code == 200
    assert done.json()["personal"] == [str(own.pk)]
    assert stored(chatbot) == {
        "personal": ("shares", 48),
        "school": ("shares", 32),
        "approved": ("shares", 20),
        "wikipedia_offline": ("fills_in", 0),
        "wikipedia_live": ("off", 0),
    }
    again = make_program(people.alice).put(url, done.json(), content_type=JSON)
    assert (again.status_code, again.json()) == (200, done.json())
    put(people.alice, chatbot, approved={"mode": "off", "weight": 20})
    assert stored(chatbot)["personal"] == ("shares", 60)


@pytest.mark.parametrize(
    "kinds",
    [
        {"personal": {"mode": "off"}},
        {"web": {"mode": "off"}},
        {"approved": {"mode": "sometimes"}},
        {"approved": {"mode": "share", "weight": 101}},
        {"approved": {"mode": "share", "weight": 60}, "wikipedia_live": {"mode": "share", "weight": 60}},
        {"approved": "share"},
        "approved",
    ],
)
def test_kinds_that_cannot_be_are_refused_and_change_nothing(people: Cast, given: Given, kinds: Any) -> None:
    given()
    allow(people.carol, *NEW)
    chatbot = make_chatbot(people.alice)
    url = reverse("api:chatbot-sources", args=[chatbot.pk])
    response = make_program(people.alice).put(url, {"personal": [], "school": [], "kinds": kinds}, content_type=JSON)
    assert response.status_code == 400
    assert [name for name in response.json()["errors"] if name.startswith("kinds")]
    assert stored(chatbot) == {"personal": ("shares", 60), "school": ("shares", 40)}


def test_passages_and_sources_say_their_kind_address_and_revision(
    people: Cast, given: Given, model: type[ScriptedLLM]
) -> None:
    given()
    allow(people.carol, *NEW)
    chatbot = make_chatbot(people.alice, school=[library := school_document(people.carol)])
    put(people.alice, chatbot, **{kind: {"mode": "share", "weight": 20} for kind in NEW})
    api = make_program(people.alice)
    found = api.post(reverse("api:search", args=[chatbot.pk]), {"query": QUESTION}, content_type=JSON).json()
    uris = {one["source"]: (one["uri"], one["revision"]) for one in found["passages"]}
    document = reverse("school_library:detail", args=[library.pk])
    assert uris == {kind: (ADDRESSES[kind], "77") for kind in NEW} | {"school": (document, "")}
    model.enqueue("At most 10 mol/l [1].", "At most 10 mol/l [1].")
    answer = api.post(reverse("api:ask", args=[chatbot.pk]), {"question": QUESTION}, content_type=JSON).json()
    assert {one["source"]: (one["uri"], one["revision"]) for one in answer["sources"]} == uris
    assert (answer["filled_in"], answer["not_needed"]) == ([], [])


# What filled in


@pytest.mark.parametrize(
    ("places", "library", "filling", "says"),
    [
        (3, False, ["wikipedia_offline"], "The school’s library had nothing relevant: offline Wikipedia filled in."),
        (3, True, ["wikipedia_offline"], "Offline Wikipedia filled 1 of the 2 places left."),
        (2, True, ["approved"], "Approved pages filled the 1 place left."),
        (1, True, ["approved", "wikipedia_live"], "Not needed: approved pages and live Wikipedia and Wikibooks."),
    ],
)
def test_an_answer_says_what_filled_in(
    people: Cast,
    given: Given,
    model: type[ScriptedLLM],
    places: int,
    library: bool,
    filling: list[str],
    says: str,
) -> None:
    given()
    allow(people.carol, *NEW)
    text = "# Safety\n\nHydrochloric acid may have at most 1 mol/l.\n" if library else "# Zoo\n\nLions roar.\n"
    document = school_document(people.carol, text, "safety.md")
    chatbot = make_chatbot(people.alice, school=[document], places=places)
    put(people.alice, chatbot, **{kind: {"mode": "fill"} for kind in filling})
    assert explain_filling(build_search_record(found_by(chatbot))) == (says,)
    model.enqueue("At most 1 mol/l [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    for page in ("chat", "print-chat", "export-chat"):
        assert says in get_text(people.alice, page, message.chat_id)
    answer = make_program(people.alice).get(reverse("api:message", args=[message.pk])).json()
    assert answer["filled_in" if "filled" in says else "not_needed"] == filling


# Where they open


def test_each_badge_opens_where_its_source_is(people: Cast, given: Given, model: type[ScriptedLLM]) -> None:
    message = citing_all(people, given, model)
    text = get_text(people.alice, "chat", message.chat_id)
    for source in message.sources.all():
        if source.kind == "school":
            assert f'class="badge kind-school" href="{reverse("chatbots:source", args=[source.pk])}#passage"' in text
        elif source.kind == "wikipedia_offline":
            assert f'href="{ADDRESSES[source.kind]}">' in text
        else:
            assert f'href="{ADDRESSES[source.kind]}" target="_blank" rel="noopener noreferrer"' in text
        opened = get_text(people.alice, "source", source.pk)
        assert ("This is the text as it was read" in opened) is (source.kind != "school")
        assert ("(revision 77)" in opened) is (source.kind != "school")


def test_no_link_to_another_site_tells_it_where_the_reader_was(
    people: Cast, given: Given, model: type[ScriptedLLM]
) -> None:
    message = citing_all(people, given, model)
    pages = [get_text(people.alice, name, message.chat_id) for name in ("chat", "print-chat")]
    pages += [get_text(people.alice, "source", source.pk) for source in message.sources.all()]
    pages += [get_text(people.carol, "question-log"), get_text(people.alice, "evaluation:pin", message.pk)]
    for text in pages:
        links = [tag.partition(">")[0] for tag in text.split("<a ")[1:]]
        outside = [link for link in links if 'href="http' in link]
        assert all('target="_blank" rel="noopener noreferrer"' in link for link in outside)
        inside = [link for link in links if 'href="/' in link]
        assert not [link for link in inside if "_blank" in link]


def citing_all(people: Cast, given: Given, model: type[ScriptedLLM]) -> Message:
    """An answer that cites one source of each kind but the personal one."""
    given()
    allow(people.carol, *NEW)
    chatbot = make_chatbot(people.alice, school=[school_document(people.carol)])
    put(people.alice, chatbot, **{kind: {"mode": "share", "weight": 20} for kind in NEW})
    model.enqueue("At most 10 mol/l [1][2][3][4].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert {source.kind for source in message.sources.filter(is_cited=True)} == {"school", *NEW}
    return message
