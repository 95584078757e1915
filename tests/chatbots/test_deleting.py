"""A deleted conversation is hidden everywhere at once, can be taken back, and is erased after some days (C9)."""

import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.db.models.signals import pre_delete
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.conversations import asking, deletion
from chatbots.conversations.audience import MemberPolicy
from chatbots.insights.usage import compute_school_usage
from chatbots.models import Chat, Chatbot, Feedback, Message, MessageSource, MessageStatus
from privacy.erasing import erase_old
from tests.factories import Cast, answer, make_message
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


@pytest.fixture
def message(people: Cast, chatbot: Chatbot, model: Model) -> Message:
    return make_message(people.alice, chatbot, QUESTION)


def delete(client: Client, chat: Chat, query: str = "") -> str:
    response = client.post(reverse("chatbots:delete-chat", args=[chat.pk]) + query)
    assert response.status_code == 302
    return response.headers["Location"]


def page(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return response.content.decode()


def test_no_door_opens_to_it_any_more(alice: Client, people: Cast, message: Message) -> None:
    source = message.sources.first()
    assert source
    addresses = [
        reverse("chatbots:chat", args=[message.chat_id]),
        reverse("chatbots:rename-chat", args=[message.chat_id]),
        reverse("chatbots:export-chat", args=[message.chat_id]),
        reverse("chatbots:print-chat", args=[message.chat_id]),
        reverse("chatbots:turn", args=[message.pk]),
        reverse("chatbots:stream", args=[message.pk]),
        reverse("chatbots:source", args=[source.pk]),
    ]
    assert [alice.get(address).status_code for address in addresses] == [200] * len(addresses)
    delete(alice, message.chat)
    assert [alice.get(address).status_code for address in addresses] == [404] * len(addresses)
    posted = [
        reverse("chatbots:ask", args=[message.chat_id]),
        reverse("chatbots:ask-again", args=[message.pk]),
    ]
    assert [alice.post(address, {"question": "Why?"}).status_code for address in posted] == [404] * 2
    for rows in (Chat.objects, Message.objects, MessageSource.objects):
        assert not rows.for_member(people.alice).exists()


def test_no_page_names_it_but_that_of_what_was_deleted(alice: Client, chatbot: Chatbot, message: Message) -> None:
    delete(alice, message.chat)
    page(alice, "chatbots:chats")  # its message has been shown
    assert QUESTION not in page(alice, "chatbots:chats")
    assert QUESTION not in alice.get(reverse("chatbots:chats"), {"words": "acid"}).content.decode()
    assert QUESTION not in page(alice, "chatbots:new-chat", chatbot.pk)
    assert "0 conversations" in page(alice, "chatbots:list")
    assert QUESTION in page(alice, "chatbots:deleted-chats")


def test_the_message_offers_to_undo_it_as_often_as_one_likes(alice: Client, chatbot: Chatbot, message: Message) -> None:
    text = alice.get(delete(alice, message.chat)).content.decode()
    undo = reverse("chatbots:restore-chat", args=[message.chat_id])
    assert f'action="{undo}"' in text
    for _ in range(2):
        response = alice.post(undo)
        assert response.headers["Location"] == reverse("chatbots:chat", args=[message.chat_id])
    assert "0.5 mol/l" in page(alice, "chatbots:chat", message.chat_id)
    assert "is back" in page(alice, "chatbots:chats") or QUESTION in page(alice, "chatbots:chats")


def test_deleted_and_taken_back_in_the_list_one_stays_there(alice: Client, message: Message) -> None:
    assert delete(alice, message.chat, "?from=list") == reverse("chatbots:chats")
    undo = reverse("chatbots:restore-chat", args=[message.chat_id]) + "?from=list"
    assert f'action="{undo}"' in page(alice, "chatbots:chats")
    assert alice.post(undo).headers["Location"] == reverse("chatbots:chats")


def test_deleting_twice_does_not_keep_it_longer(alice: Client, message: Message) -> None:
    delete(alice, message.chat)
    first = Chat.objects.get().deleted_at
    delete(alice, message.chat)
    assert Chat.objects.get().deleted_at == first


def test_an_answer_that_is_being_written_is_whole_when_it_is_taken_back(
    alice: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    events = answer(message.pk)
    next(events)
    delete(alice, message.chat)
    for _ in events:
        pass
    alice.post(reverse("chatbots:restore-chat", args=[message.chat_id]))
    message.refresh_from_db()
    assert message.status == MessageStatus.DONE
    assert 'class="cite ' in page(alice, "chatbots:chat", message.chat_id)


def test_a_stream_of_it_ends_with_nothing(alice: Client, people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    response = alice.get(reverse("chatbots:stream", args=[message.pk]))
    deletion.delete_chat(message.chat)
    for _ in answer(message.pk):
        pass
    sent = b"".join(response).decode()
    assert "event: done\ndata: \n" in sent
    assert QUESTION not in sent.partition("event: done")[2]


def test_a_question_to_a_conversation_deleted_this_moment_is_refused(
    people: Cast, chatbot: Chatbot, message: Message
) -> None:
    chat = Chat.objects.get()
    deletion.delete_chat(chat)
    with pytest.raises(asking.QuestionRefused, match="deleted meanwhile"):
        asking.ask(policy=MemberPolicy(people.alice), chatbot=chatbot, question="Why?", chat=chat)
    assert Message.objects.count() == 1


def test_no_other_answer_is_given_in_a_conversation_deleted_this_moment(message: Message) -> None:
    deletion.delete_chat(message.chat)
    with pytest.raises(Message.DoesNotExist):
        asking.ask_again(message=message)
    assert Message.objects.count() == 1


def test_the_school_counts_its_questions_until_it_is_erased(people: Cast, message: Message) -> None:
    deletion.delete_chat(message.chat)
    assert compute_school_usage(people.alice.school)["questions"] == 1
    assert deletion.erase_chat(message.chat)
    assert compute_school_usage(people.alice.school)["questions"] == 0


def test_it_is_erased_after_some_days_with_all_that_is_in_it(
    settings: Settings, people: Cast, chatbot: Chatbot, message: Message
) -> None:
    settings.LECTERN_KEEP_DELETED_DAYS = 3
    kept, late = (make_message(people.alice, chatbot, f"{n} acids?").chat for n in (1, 2))
    for chat, days in ((message.chat, 3.1), (late, 2.9)):
        Chat.objects.filter(pk=chat.pk).update(deleted_at=timezone.now() - timedelta(days=days))
    assert erase_old()["chatbots.Chat"] == 1
    assert set(Chat.objects.all()) == {kept, late}
    assert not Message.objects.filter(pk=message.pk).exists()
    assert not MessageSource.objects.filter(message=message.pk).exists()
    assert erase_old()["chatbots.Chat"] == 0


def test_one_is_deleted_for_good_after_a_question(alice: Client, message: Message) -> None:
    erase = reverse("chatbots:erase-chat", args=[message.chat_id])
    assert (alice.get(erase).status_code, alice.post(erase).status_code) == (404, 404)  # not deleted at all
    delete(alice, message.chat)
    assert "cannot be undone" in page(alice, "chatbots:erase-chat", message.chat_id)
    assert alice.post(erase).headers["Location"] == reverse("chatbots:deleted-chats")
    assert not Chat.objects.exists()
    assert alice.post(erase).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_what_is_written_to_it_meanwhile_does_not_keep_it_from_going(message: Message) -> None:
    failed = []

    def write() -> None:
        try:
            Feedback.objects.create(school_id=message.school_id, message=message, verdict="up")
        except IntegrityError as problem:
            failed.append(problem)
        finally:
            connection.close()

    writer = threading.Thread(target=write)

    def meanwhile(**_: object) -> None:
        writer.start()
        writer.join(0.3)  # done by then, unless it has to wait

    deletion.delete_chat(message.chat)
    pre_delete.connect(meanwhile, sender=Chat)
    try:
        assert deletion.erase_chat(message.chat)
    finally:
        pre_delete.disconnect(meanwhile, sender=Chat)
        writer.join()
    assert failed
    assert not Chat.objects.exists()
    assert not Feedback.objects.exists()


def test_an_answer_is_not_asked_for_again_where_it_was_deleted_this_moment(message: Message) -> None:
    deletion.delete_chat(message.chat)
    with pytest.raises(Message.DoesNotExist):
        asking.ask_again(message=message)
    assert Message.objects.count() == 1


def test_what_was_restored_meanwhile_is_not_erased(message: Message) -> None:
    chat = message.chat
    deletion.delete_chat(chat)
    deletion.restore_chat(chat)
    assert not deletion.erase_chat(chat)
    assert Chat.objects.exists()


def test_only_its_owner_deletes_restores_and_erases(people: Cast, message: Message) -> None:
    for member in (people.bob, people.carol, people.charlie):
        client = Client()
        client.force_login(member.user)
        for name in ("chatbots:delete-chat", "chatbots:restore-chat", "chatbots:erase-chat"):
            assert client.post(reverse(name, args=[message.chat_id])).status_code == 404
    assert Chat.objects.kept().exists()
