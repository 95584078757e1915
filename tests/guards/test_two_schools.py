"""A person in two schools acts in one at a time: what is theirs in the other is not there (S1, S2)."""

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.conversations import deletion
from chatbots.models import Chat, Chatbot, Feedback, Message, MessageSource, Participant, QuestionLogEntry
from chatbots.services import set_personal_documents
from evaluation.models import EvaluationRun, TestQuestion
from evaluation.test_questions import run_evaluation
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from schools.models import Membership
from tests.factories import (
    Cast,
    finish_answers,
    make_chatbot,
    make_message,
    personal_document,
    school_document,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def elsewhere(people: Cast) -> Membership:
    """Alice's membership of the other school."""
    return Membership.objects.create(school=people.charlie.school, user=people.alice.user)


@pytest.fixture
def message(people: Cast, elsewhere: Membership) -> Message:
    document = personal_document(people.alice)
    library = school_document(people.carol)
    chatbot = make_chatbot(people.alice, personal=[document], school=[library])
    TestQuestion.objects.create(school=people.alice.school, chatbot=chatbot, question="Who won?", is_refused=True)
    run_evaluation(chatbot)
    return make_message(people.alice, chatbot, "How strong may hydrochloric acid be?")


def test_no_door_of_the_other_school_leads_here(message: Message, people: Cast, elsewhere: Membership) -> None:
    assert QuestionLogEntry.objects.for_school(people.alice.school).exists()
    assert not QuestionLogEntry.objects.for_school(elsewhere.school).exists()
    for rows in (
        Chatbot.objects,
        Chat.objects,
        Message.objects,
        MessageSource.objects,
        PersonalDocument.objects,
        TestQuestion.objects,
        EvaluationRun.objects,
    ):
        assert rows.for_member(people.alice).exists()
        assert not rows.for_member(elsewhere).exists()


def test_pages_of_the_other_school_do_not_show_it(message: Message, people: Cast, elsewhere: Membership) -> None:
    client = Client()
    client.force_login(people.alice.user)
    client.post(reverse("schools:switch"), {"school": elsewhere.school_id})
    source, chatbot = message.sources.first(), message.chat.chatbot
    assert source and chatbot
    for name, row in (
        ("chatbots:chat", message.chat),
        ("chatbots:export-chat", message.chat),
        ("chatbots:print-chat", message.chat),
        ("chatbots:new-chat", chatbot),
        ("chatbots:turn", message),
        ("chatbots:stream", message),
        ("chatbots:given-prompt", message),
        ("chatbots:source", source),
        ("evaluation:pin", message),
        ("evaluation:list", chatbot),
        ("evaluation:edit", TestQuestion.objects.get()),
        ("knowledge:detail", PersonalDocument.objects.get()),
        ("knowledge:file", PersonalDocument.objects.get()),
    ):
        assert client.get(reverse(name, args=[row.pk])).status_code == 404, name


def test_lists_of_the_other_school_do_not_have_it(message: Message, people: Cast, elsewhere: Membership) -> None:
    other, mine = make_chatbot(elsewhere, name="Elsewhere"), message.chat.chatbot
    assert mine
    refused = make_message(people.alice, mine, "Who won, zephyrquartz?")
    gone = make_message(people.alice, mine, "Where did it go, zephyrquartz?")
    deletion.delete_chat(gone.chat)
    Feedback.objects.create(school=people.alice.school, message=refused, verdict="down", words="zephyrquartz")
    client = Client()
    client.force_login(people.alice.user)
    lists = [
        reverse("chatbots:gaps"),
        reverse("chatbots:what-is-kept"),
        reverse("chatbots:deleted-chats"),
        reverse("chatbots:chats"),
        reverse("chatbots:chats") + "?feedback=down",
        reverse("chatbots:chats") + f"?words=won&chatbot={message.chat.chatbot_id}",
    ]
    for url in lists:
        assert "zephyrquartz" in client.get(url).content.decode(), url
    client.post(reverse("schools:switch"), {"school": elsewhere.school_id})
    for url in lists:
        text = client.get(url).content.decode()
        assert "zephyrquartz" not in text, url
        assert message.question not in text, url
    for form in ({"chatbot": message.chat.chatbot_id}, {}):
        client.post(reverse("chatbots:try-gaps"), form)
    refused.refresh_from_db()
    assert refused.tried == {}
    chat = Chat.objects.create(
        school=elsewhere.school, chatbot=other, participant=Participant.objects.of(elsewhere), title="Here"
    )
    own = client.get(reverse("chatbots:chat", args=[chat.pk]), {"answer": str(message.pk)})
    assert own.status_code == 200
    assert message.question not in own.content.decode()
    url = reverse("chatbots:ask", args=[chat.pk])
    asked = client.post(url, {"question": message.question, "message_id": str(message.pk)})
    assert asked.status_code == 302
    assert Message.objects.get(pk=message.pk).chat == message.chat
    assert chat.messages.count() == 1, "an id that is taken elsewhere is not told but replaced"
    finish_answers()


def test_documents_of_the_other_school_or_a_colleague_are_not_linked(
    message: Message, people: Cast, elsewhere: Membership
) -> None:
    theirs = personal_document(people.bob, "# Bob\n\nBob's own notes.\n", "bob.md")
    own = PersonalDocument.objects.get(owner=people.alice.user)
    chatbot = make_chatbot(elsewhere)
    set_personal_documents(chatbot=chatbot, member=elsewhere, documents=[own.pk, theirs.pk])
    assert not chatbot.personal_links.exists()
    mine = message.chat.chatbot
    assert mine
    set_personal_documents(chatbot=mine, member=people.alice, documents=[own.pk, theirs.pk])
    assert [link.document for link in mine.personal_links.all()] == [own]


def test_a_source_of_the_other_school_is_empty(message: Message, elsewhere: Membership) -> None:
    assert PersonalSource(elsewhere.school, PersonalDocument.objects.all()).is_empty()
