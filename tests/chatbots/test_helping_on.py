"""What helps on from a refusal: documents that would answer, a document to add, and asking once more."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.answering import execution
from chatbots.insights.suggestions import suggest_documents
from chatbots.models import Chatbot, Message
from chatbots.services import set_kinds
from chatbots.streaming import jobs
from corpus.source_kinds import Participation
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership
from tests.factories import (
    Cast,
    index_all,
    make_chatbot,
    make_file,
    make_message,
    personal_document,
    school_document,
)

QUESTION = "When is the school canteen open?"
CANTEEN = "# Canteen\n\nThe school canteen is open from 11:30 to 13:45 on every school day.\n"
HTMX: dict[str, Any] = {"headers": {"HX-Request": "true"}}
ClientOf = Callable[[Membership], Client]


@pytest.fixture
def canteen(people: Cast) -> SchoolDocument:
    return school_document(people.carol, CANTEEN, "canteen.md")


@pytest.fixture
def refused(people: Cast, chatbot: Chatbot) -> Message:
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.mode == "refused"
    return message


def withdrawn(people: Cast) -> SchoolDocument:
    document = school_document(people.carol, CANTEEN.replace("every", "each"), "withdrawn.md")
    SchoolDocument.objects.filter(pk=document.pk).update(is_published=False)
    return document


def help_url(message: Message, **query: object) -> str:
    return reverse("chatbots:refusal-help", args=[message.pk], query=query or None)


def ask_anew(client: Client, message: Message, htmx: bool = False, **data: object) -> Any:
    return client.post(reverse("chatbots:ask-anew", args=[message.pk]), data, **(HTMX if htmx else {}))


def titles(message: Message, member: Membership) -> list[str]:
    return [one.title for one in suggest_documents(message, member)]


# Documents that would answer


def test_a_library_document_that_answers_is_suggested_and_no_other(
    people: Cast, chatbot: Chatbot, canteen: SchoolDocument, refused: Message
) -> None:
    school_document(people.carol, "# Zoo\n\nThe zoo is open on every day. Lions roar.\n", "zoo.md")
    (found,) = suggest_documents(refused, people.alice)
    assert (found.document_id, found.kind.value, found.title) == (canteen.pk, "school", "canteen")
    assert "11:30" in found.excerpt


def test_ones_own_document_is_suggested_and_nobody_elses(people: Cast, chatbot: Chatbot, refused: Message) -> None:
    personal_document(people.bob, CANTEEN, "bob.md")
    school_document(people.chloe, CANTEEN, "chloe.md")
    withdrawn(people)
    assert titles(refused, people.alice) == []
    personal_document(people.alice, CANTEEN, "mine.md")
    assert titles(refused, people.alice) == ["mine"]


def test_a_kind_that_the_chatbot_does_not_use_is_not_suggested(
    people: Cast, chatbot: Chatbot, canteen: SchoolDocument, refused: Message
) -> None:
    set_kinds(chatbot, {"school": (Participation.OFF, 0), "personal": (Participation.SHARES, 100)})
    assert titles(Message.objects.get(pk=refused.pk), people.alice) == []


def test_one_press_links_it_and_asks_again(
    people: Cast, chatbot: Chatbot, canteen: SchoolDocument, refused: Message, sign_in: ClientOf
) -> None:
    alice = sign_in(people.alice)
    shown = alice.get(help_url(refused)).content.decode()
    assert f'name="document" value="{canteen.pk}"' in shown
    response = ask_anew(alice, refused, htmx=True, kind="school", document=canteen.pk)
    assert response.status_code == 200
    assert f'id="turn-{refused.pk}"' in response.content.decode()
    assert chatbot.school_links.filter(document=canteen).exists()
    newest = Message.objects.get(version_of=refused)
    assert (newest.mode, "11:30" in newest.answer) == ("grounded", True)
    assert alice.get(help_url(newest)).status_code == 404, "it is no refusal"
    page = ask_anew(alice, refused, kind="school", document=canteen.pk)
    assert page.headers["Location"].endswith(f"#turn-{refused.pk}")
    assert chatbot.school_links.filter(document=canteen).count() == 1


def test_an_earlier_question_is_asked_at_the_end(
    people: Cast, chatbot: Chatbot, canteen: SchoolDocument, refused: Message, sign_in: ClientOf
) -> None:
    make_message(people.alice, chatbot, "How strong is the acid?", chat=refused.chat)
    response = ask_anew(sign_in(people.alice), refused, htmx=True, kind="school", document=canteen.pk)
    newest = refused.chat.messages.order_by("created_at").last()
    assert newest
    assert (newest.question, newest.version_of, newest.mode) == (QUESTION, None, "grounded")
    assert response.headers["HX-Redirect"].endswith(f"/chats/{refused.chat_id}/#turn-{newest.pk}")


def test_while_too_many_wait_nothing_is_linked_or_asked(
    chatbot: Chatbot,
    people: Cast,
    canteen: SchoolDocument,
    refused: Message,
    sign_in: ClientOf,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(execution.queue, "count", lambda: settings.LECTERN_MAX_WAITING)
    response = ask_anew(sign_in(people.alice), refused, htmx=True, kind="school", document=canteen.pk)
    assert (response.status_code, response.content.decode()) == (503, jobs.BUSY)
    assert int(response["Retry-After"]) > 0 and response["Content-Type"].startswith("text/plain")
    assert not chatbot.school_links.filter(document=canteen).exists()
    assert Message.objects.get() == refused


@pytest.mark.needs("references")
def test_only_what_one_may_read_can_be_linked(people: Cast, refused: Message, sign_in: ClientOf) -> None:
    alice = sign_in(people.alice)
    hidden = withdrawn(people)
    for kind, document in (
        ("school", hidden.pk),
        ("school", school_document(people.chloe, CANTEEN, "chloe.md").pk),
        ("personal", personal_document(people.bob, CANTEEN, "bob.md").pk),
        ("school", uuid4()),
        ("school", "nothing"),
        ("wikipedia_live", uuid4()),
        ("nothing", uuid4()),
    ):
        assert ask_anew(alice, refused, kind=kind, document=document).status_code == 404, kind
    assert not Message.objects.filter(version_of=refused).exists()


def test_nobody_else_is_helped(people: Cast, canteen: SchoolDocument, refused: Message, sign_in: ClientOf) -> None:
    for member in (people.bob, people.carol, people.charlie):
        client = sign_in(member)
        assert client.get(help_url(refused)).status_code == 404
        assert client.post(help_url(refused), {"file": make_file()}).status_code == 404
        assert ask_anew(client, refused, kind="school", document=canteen.pk).status_code == 404
    assert Client().get(help_url(refused)).headers["Location"].startswith("/accounts/login/")
    assert not PersonalDocument.objects.exclude(owner=people.alice.user).exists()


def test_a_tutor_reads_its_plan_only(people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf) -> None:
    Chatbot.objects.filter(pk=chatbot.pk).update(is_tutor=True)
    assert sign_in(people.alice).get(help_url(refused)).status_code == 404


# A document to add


def add(client: Client, message: Message, content: str | bytes = CANTEEN, htmx: bool = True) -> Any:
    return client.post(help_url(message), {"file": make_file(content, "hours.md")}, **(HTMX if htmx else {}))


def test_a_file_is_added_linked_read_and_asked(
    people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf
) -> None:
    alice = sign_in(people.alice)
    shown = add(alice, refused).content.decode()
    document = PersonalDocument.objects.get(title="hours")
    assert (document.owner, chatbot.personal_links.filter(document=document).count()) == (people.alice.user, 1)
    state = help_url(refused, added=document.pk)
    assert f'hx-get="{state}" hx-trigger="every 1s"' in shown
    assert "is being read" in alice.get(state).content.decode()
    index_all()
    ready = alice.get(state).content.decode()
    assert "Ask again" in ready
    assert "every 1s" not in ready
    ask_anew(alice, refused, htmx=True)
    assert "11:30" in Message.objects.get(version_of=refused).answer


def test_without_scripts_it_is_said_on_the_page(
    people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf
) -> None:
    alice = sign_in(people.alice)
    response = add(alice, refused, htmx=False)
    assert response.headers["Location"].endswith(f"#turn-{refused.pk}")
    assert "“hours” was added" in alice.get(reverse("chatbots:chat", args=[refused.chat_id])).content.decode()
    assert add(alice, refused, b"", htmx=False).status_code == 302
    assert "“hours.md” is empty" in alice.get(reverse("chatbots:chat", args=[refused.chat_id])).content.decode()


def test_a_file_that_one_has_already_is_linked(
    people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf
) -> None:
    known = personal_document(people.alice, CANTEEN, "mine.md")
    shown = add(sign_in(people.alice), refused).content.decode()
    assert "You had this file already" in shown
    assert "Ask again" in shown
    assert chatbot.personal_links.filter(document=known).exists()
    assert not PersonalDocument.objects.filter(title="hours").exists()


@pytest.mark.parametrize(("files", "told"), [({}, "Choose a file first."), ({"file": b""}, "“hours.md” is empty.")])
def test_what_is_refused_is_said_in_its_place(
    people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf, files: dict[str, bytes], told: str
) -> None:
    data = {name: make_file(content, "hours.md") for name, content in files.items()}
    response = sign_in(people.alice).post(help_url(refused), data, **HTMX)
    assert response.status_code == 422
    assert told in response.content.decode()


def test_a_file_that_cannot_be_read_is_told(
    people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf
) -> None:
    alice = sign_in(people.alice)
    add(alice, refused, b"%PDF-1.7 nothing")
    index_all()
    document = PersonalDocument.objects.get(title="hours")
    shown = alice.get(help_url(refused, added=document.pk)).content.decode()
    assert "could not be read" in shown
    assert "every 1s" not in shown


def test_only_a_document_of_this_chatbot_is_followed(people: Cast, refused: Message, sign_in: ClientOf) -> None:
    other = personal_document(people.alice, CANTEEN, "mine.md")
    make_chatbot(people.alice, personal=[other], name="Other")
    alice = sign_in(people.alice)
    assert alice.get(help_url(refused, added=other.pk)).status_code == 404
    assert alice.get(help_url(refused, added="nothing")).status_code == 404


# On the page


def test_a_refusal_shows_what_came_closest_and_asks_for_help(
    people: Cast, chatbot: Chatbot, refused: Message, sign_in: ClientOf
) -> None:
    text = sign_in(people.alice).get(reverse("chatbots:chat", args=[refused.chat_id])).content.decode()
    assert "Your sources may not answer this. The closest:" in text.partition('<div class="notes')[0]
    assert f'hx-get="{help_url(refused)}"' in text
