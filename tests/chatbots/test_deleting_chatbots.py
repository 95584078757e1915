"""A deleted chatbot is hidden at once with its conversations, can be taken back, and is erased after some days."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.conversations import asking, deletion
from chatbots.conversations.audience import MemberPolicy
from chatbots.insights.usage import compute_document_usage, compute_school_usage, compute_usage_by_chatbot
from chatbots.models import Chat, Chatbot, Message, MessageSource, MessageStatus
from chatbots.sharing import revocation
from evaluation.models import TestQuestion
from knowledge.models import PersonalDocument
from privacy.erasing import erase_old
from tests.factories import Cast, answer, make_message, make_program, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def alice(people: Cast) -> Client:
    return signed_in(people.alice)


@pytest.fixture
def message(people: Cast, chatbot: Chatbot) -> Message:
    return make_message(people.alice, chatbot, QUESTION)


def post(client: Client, name: str, chatbot: Chatbot) -> Any:
    return client.post(reverse(f"chatbots:{name}", args=[chatbot.pk]))


def page(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.needs("evaluation")
def test_no_door_opens_to_it_or_to_its_conversations(
    alice: Client, people: Cast, chatbot: Chatbot, message: Message
) -> None:
    pinned = TestQuestion.objects.create(
        school=people.alice.school, chatbot=chatbot, question=QUESTION, is_refused=True
    )
    source = message.sources.get(number=1)
    doors = [
        *(("chatbots:" + name, chatbot.pk) for name in ("new-chat", "edit")),
        ("evaluation:list", chatbot.pk),
        *(("chatbots:" + name, message.chat_id) for name in ("chat", "rename-chat", "export-chat", "print-chat")),
        *(("chatbots:" + name, message.pk) for name in ("turn", "stream", "given-prompt")),
        ("evaluation:pin", message.pk),
        ("chatbots:source", source.pk),
        ("evaluation:edit", pinned.pk),
    ]
    urls = [reverse(name, args=[key]) for name, key in doors]
    assert [alice.get(url).status_code for url in urls] == [200] * len(urls)
    post(alice, "delete", chatbot)
    assert [alice.get(url).status_code for url in urls] == [404] * len(urls)
    for name, key in (("ask-first", chatbot.pk), ("ask", message.chat_id), ("restore-chat", message.chat_id)):
        assert alice.post(reverse(f"chatbots:{name}", args=[key]), {"question": "Why?"}).status_code == 404, name
    for rows in (Chatbot.objects, Chat.objects, Message.objects, MessageSource.objects, TestQuestion.objects):
        assert not rows.for_member(people.alice).exists()


@pytest.mark.needs("learning")
def test_no_page_names_it_but_that_of_what_was_deleted(alice: Client, chatbot: Chatbot, message: Message) -> None:
    post(alice, "delete", chatbot)
    page(alice, "chatbots:list")  # its message has been shown
    for name in ("chatbots:list", "chatbots:chats", "chatbots:gaps", "learning:create"):
        text = page(alice, name)
        assert chatbot.name not in text, name
        assert QUESTION not in text, name
    deleted = page(alice, "chatbots:deleted-chats")
    assert chatbot.name in deleted
    assert QUESTION not in deleted, "it comes back with its chatbot only"
    assert "Recently deleted (1)" in page(alice, "chatbots:list")


def test_it_is_deleted_without_a_question_and_taken_back(
    alice: Client, people: Cast, chatbot: Chatbot, message: Message
) -> None:
    earlier = make_message(people.alice, chatbot, "And now?").chat
    deletion.delete_chat(earlier)
    assert post(alice, "delete", chatbot).headers["Location"] == reverse("chatbots:list")
    text = page(alice, "chatbots:list")
    assert f'action="{reverse("chatbots:restore", args=[chatbot.pk])}"' in text
    first = Chatbot.objects.get().deleted_at
    post(alice, "delete", chatbot)
    assert Chatbot.objects.get().deleted_at == first, "deleting twice does not keep it longer"
    for _ in range(2):
        assert post(alice, "restore", chatbot).headers["Location"] == reverse("chatbots:list")
    assert "0.5 mol/l" in page(alice, "chatbots:chat", message.chat_id)
    assert alice.get(reverse("chatbots:chat", args=[earlier.pk])).status_code == 404, "that was deleted by itself"


def test_an_answer_that_is_being_written_is_stopped_and_can_be_asked_for_again(
    alice: Client, people: Cast, chatbot: Chatbot, settings: Settings, django_capture_on_commit_callbacks: Any
) -> None:
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    ScriptedLLM.enqueue("At most 1 mol/l is allowed [1].")
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    events = answer(message.pk)
    next(events)
    with django_capture_on_commit_callbacks(execute=True):
        post(alice, "delete", chatbot)
    for _ in events:
        pass
    message.refresh_from_db()
    assert (message.status, message.notice) == (MessageStatus.STOPPED, revocation.DELETED)
    post(alice, "restore", chatbot)
    text = page(alice, "chatbots:chat", message.chat_id)
    assert revocation.DELETED in text
    assert "Answer again" in text


def test_a_question_to_one_deleted_this_moment_is_refused(people: Cast, chatbot: Chatbot, message: Message) -> None:
    deletion.hide_chatbot(chatbot)
    for chat in (None, message.chat):
        with pytest.raises(asking.Gone, match="chatbot has been deleted meanwhile"):
            asking.ask(policy=MemberPolicy(people.alice), chatbot=chatbot, question="Why?", chat=chat)
    assert Message.objects.count() == 1


def test_a_form_that_was_open_does_not_bring_it_back(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    deletion.hide_chatbot(chatbot)
    sent = {"name": "Acids 9", "language": "en", "personal_weight": 60, "places": 5, "when_unsure": "refuse"}
    assert alice.post(reverse("chatbots:edit", args=[chatbot.pk]), sent).status_code == 404
    assert not Chatbot.objects.kept().exists()


def test_figures_leave_it_out(people: Cast, chatbot: Chatbot, message: Message) -> None:
    document = PersonalDocument.objects.get()
    assert (compute_document_usage(document).read_by, compute_school_usage(people.alice.school)["chatbots"]) == (1, 1)
    deletion.hide_chatbot(chatbot)
    assert (compute_document_usage(document).read_by, compute_school_usage(people.alice.school)["chatbots"]) == (0, 0)
    assert compute_usage_by_chatbot(people.alice) == []
    assert compute_school_usage(people.alice.school)["questions"] == 1, "until it is erased"


def test_it_is_erased_after_some_days_with_its_conversations(
    settings: Settings, people: Cast, chatbot: Chatbot, message: Message
) -> None:
    settings.LECTERN_KEEP_DELETED_DAYS = 3
    row = Chatbot.objects.filter(pk=chatbot.pk)
    row.update(deleted_at=timezone.now() - timedelta(days=2.9))
    assert (erase_old()["chatbots.Chatbot"], erase_old()["chatbots.Chat"]) == (0, 0)
    row.update(deleted_at=timezone.now() - timedelta(days=3.1))
    assert erase_old()["chatbots.Chatbot"] == 1
    assert not row.exists()
    assert not Message.objects.exists()
    assert PersonalDocument.objects.exists()
    assert erase_old()["chatbots.Chatbot"] == 0


def test_one_is_deleted_for_good_after_a_question(alice: Client, chatbot: Chatbot, message: Message) -> None:
    erase = reverse("chatbots:erase", args=[chatbot.pk])
    assert (alice.get(erase).status_code, alice.post(erase).status_code) == (404, 404)  # not deleted at all
    post(alice, "delete", chatbot)
    text = page(alice, "chatbots:erase", chatbot.pk)
    assert "cannot be undone" in text
    assert "With its 1 conversation." in text
    assert alice.post(erase).headers["Location"] == reverse("chatbots:deleted-chats")
    assert not Chatbot.objects.exists()
    assert alice.post(erase).status_code == 404


def test_what_was_restored_meanwhile_is_not_erased(chatbot: Chatbot) -> None:
    deletion.hide_chatbot(chatbot)
    deletion.restore_chatbot(chatbot)
    assert not deletion.erase_deleted_chatbot(chatbot)
    assert Chatbot.objects.exists()


def test_only_its_owner_deletes_restores_and_erases(people: Cast, chatbot: Chatbot) -> None:
    for deleted in (False, True):
        for member in (people.bob, people.carol, people.charlie):
            for name in ("delete", "restore", "erase"):
                assert post(signed_in(member), name, chatbot).status_code == 404
        for name in ("delete", "restore", "erase"):
            assert post(Client(), name, chatbot).headers["Location"].startswith("/accounts/login/")
        assert Chatbot.objects.kept().exists() is not deleted
        deletion.hide_chatbot(chatbot)


def test_a_tutor_goes_with_its_plan_only(alice: Client, chatbot: Chatbot) -> None:
    Chatbot.objects.filter(pk=chatbot.pk).update(is_tutor=True)
    for name in ("delete", "restore", "erase"):
        assert post(alice, name, chatbot).status_code == 404


def test_programs_delete_and_restore_it(people: Cast, chatbot: Chatbot, message: Message) -> None:
    program = make_program(people.alice)
    url = reverse("api:chatbot", args=[chatbot.pk])
    assert program.delete(url).status_code == 204
    assert program.get(url).status_code == 404
    assert program.get(reverse("api:chat", args=[message.chat_id])).status_code == 404
    assert program.get(reverse("api:message", args=[message.pk])).status_code == 404
    assert program.get(reverse("api:chatbots")).json()["results"] == []
    restored = program.post(reverse("api:chatbot-restore", args=[chatbot.pk]))
    assert (restored.status_code, restored.json()["name"]) == (200, chatbot.name)
    assert program.get(reverse("api:message", args=[message.pk])).status_code == 200
