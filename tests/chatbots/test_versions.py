"""Several answers to one question: each is kept, one is shown, one counts (C9)."""

from threading import Barrier, Thread

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from chatbots.answering.draft import Kind
from chatbots.conversations.asking import ask_again
from chatbots.insights.usage import compute_document_usage, compute_school_usage
from chatbots.models import Chatbot, Message, MessageSource, MessageStatus
from engines.errors import ModelUnavailable
from school_library.models import SchoolDocument
from tests.factories import Cast, answer, finish_answers, make_chatbot, make_message
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


def another(message: Message) -> Message:
    """Another answer to the same question, written to its end."""
    again = ask_again(message=message)
    for _ in answer(again.pk):
        pass
    again.refresh_from_db()
    return again


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def turn(client: Client, message: Message) -> str:
    return client.get(reverse("chatbots:turn", args=[message.pk])).content.decode()


def page(client: Client, message: Message, **query: str) -> str:
    return client.get(reverse("chatbots:chat", args=[message.chat_id]), query).content.decode()


def test_an_answer_given_again_stands_beside_the_first(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("The first answer [1].", "The second answer [2].")
    first = make_message(people.alice, chatbot, QUESTION)
    before = list(first.sources.order_by("number").values())
    second = another(first)
    first.refresh_from_db()
    assert (first.status, first.answer) == (MessageStatus.DONE, "The first answer [1].")
    assert list(first.sources.order_by("number").values()) == before
    assert (second.answer, second.version_of, second.question) == ("The second answer [2].", first, QUESTION)
    assert another(second).version_of == first


def test_a_slow_writer_writes_into_its_own_row_and_never_beside_newer_sources(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(["Too late [1]."], "In time [2].")
    slow = make_message(people.alice, chatbot, QUESTION, answered=False)
    writing = answer(slow.pk)
    assert [next(writing).kind for _ in range(2)] == [Kind.SOURCES, Kind.TEXT]
    Message.objects.filter(pk=slow.pk).update(status=MessageStatus.INTERRUPTED, answer="")
    again = ask_again(message=slow)
    list(writing)
    list(answer(again.pk))
    slow.refresh_from_db()
    again.refresh_from_db()
    assert (slow.status, slow.answer) == (MessageStatus.INTERRUPTED, "")
    assert (again.status, again.answer) == (MessageStatus.DONE, "In time [2].")
    assert not slow.sources.filter(is_cited=True).exists()


@pytest.mark.django_db(transaction=True)
def test_a_double_click_makes_one_answer(people: Cast, chatbot: Chatbot, model: Model) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    together, made = Barrier(4), []

    def click() -> None:
        together.wait()
        made.append(ask_again(message=first).pk)
        connection.close()

    threads = [Thread(target=click) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert len(set(made)) == 1
    assert Message.objects.list_versions(first).count() == 2


def test_two_answers_to_one_question_are_never_written_at_once(people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, QUESTION, answered=False)
    with pytest.raises(IntegrityError, match="message_written_once"), transaction.atomic():
        Message.objects.create(school=first.school, chat=first.chat, version_of=first, question=QUESTION)


def test_an_earlier_question_is_not_answered_again_unless_it_failed(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    make_message(people.alice, chatbot, "And for year 10?", chat=first.chat)
    assert ask_again(message=first) == first
    Message.objects.filter(pk=first.pk).update(status=MessageStatus.FAILED)
    assert ask_again(message=first) != first


def test_the_last_question_offers_another_answer(people: Cast, alice: Client, chatbot: Chatbot, model: Model) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    for status in (MessageStatus.DONE, MessageStatus.STOPPED):
        Message.objects.filter(pk=first.pk).update(status=status)
        assert "Answer again" in turn(alice, first)
    refused = make_message(people.alice, chatbot, "Who won the football world cup in 1954?", chat=first.chat)
    assert "Answer again" in turn(alice, refused)
    assert "Answer again" not in turn(alice, first)
    assert page(alice, first).count("Answer again") == 1


def test_a_page_shows_the_newest_answer_and_leads_to_the_others(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("The first answer [1].", "The second answer [1].")
    first = make_message(people.alice, chatbot, QUESTION)
    assert "Answer 1 of" not in page(alice, first)
    second = another(first)
    shown = page(alice, first)
    assert "The second answer" in shown
    assert "The first answer" not in shown
    assert "Answer 2 of 2" in shown
    assert shown.count('<article class="turn"') == 1
    assert f"?answer={first.pk}#turn-{first.pk}" in shown
    assert "The first answer" in page(alice, first, answer=str(first.pk))
    for none in ("", "nonsense", "01890a5d-ac96-774b-bcce-b302099a8057"):
        assert "The second answer" in page(alice, first, answer=none)
    assert "Answer 1 of 2" in turn(alice, first)
    assert f'id="turn-{first.pk}"' in turn(alice, second)


def test_a_failure_without_text_is_no_answer_to_look_at(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(ModelUnavailable("Down."), "Now it works [1].")
    failed = make_message(people.alice, chatbot, QUESTION)
    assert "Answer 1 of" not in page(alice, failed)
    another(failed)
    shown = page(alice, failed)
    assert "Now it works" in shown
    assert "Answer 1 of" not in shown
    model.enqueue(ModelUnavailable("Down."))
    another(failed)
    shown = page(alice, failed)
    assert "Down." in shown
    assert "Answer 2 of 2" in shown, "the answer before must stay within reach"


def test_the_newest_answer_that_is_done_counts_in_the_conversation(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("Said first [1].", "Said second [1][2].", ModelUnavailable("Down."), "Later [1].")
    first = make_message(people.alice, chatbot, QUESTION)
    another(another(first))
    assert not model.asked_to_rewrite, "a message's own earlier versions are no conversation"
    last = make_message(people.alice, chatbot, f"{QUESTION} In year 10?", chat=first.chat)
    assert [turn.content for turn in model.history[-1].messages[1:-1]] == [QUESTION, "Said second."]
    another(last)
    assert [turn.content for turn in model.history[-1].messages[1:-1]] == [QUESTION, "Said second."]


def test_a_question_counts_once_however_often_it_is_answered(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("One [1] and two [2].", "One [1] and two [2].", ModelUnavailable("Down."))
    last = another(another(make_message(people.alice, chatbot, QUESTION)))
    assert last.status == MessageStatus.FAILED
    usage = compute_school_usage(people.alice.school)
    assert [usage[name] for name in ("questions", "answered", "failed", "conversations")] == [1, 1, 0, 1]
    assert [count for _, count in usage["people"]] == [1]
    assert [(row["found"], row["cited"]) for row in usage["documents"]] == [(1, 1)]
    used = compute_document_usage(SchoolDocument.objects.get())
    assert (used.found, used.cited) == (1, 1)


def test_the_rows_of_a_question_go_together(people: Cast, chatbot: Chatbot, model: Model) -> None:
    another(make_message(people.alice, chatbot, QUESTION)).chat.delete()
    assert not Message.objects.exists()
    assert not MessageSource.objects.exists()


def test_asking_again_in_a_conversation_that_is_gone_finds_nothing(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    url = reverse("chatbots:ask-again", args=[message.pk])
    message.chat.delete()
    assert alice.post(url).status_code == 404
    with pytest.raises(Message.DoesNotExist):
        ask_again(message=Message(pk=message.pk, school=people.alice.school))


def test_no_page_of_another_shows_an_answer_by_its_id(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Of Alice alone [1].")
    hers = make_message(people.alice, chatbot, QUESTION)
    for member in (people.bob, people.carol, people.charlie):
        client = Client()
        client.force_login(member.user)
        own = make_message(member, make_chatbot(member), QUESTION)
        assert "Of Alice alone" not in page(client, own, answer=str(hers.pk))
        assert client.post(reverse("chatbots:ask-again", args=[hers.pk])).status_code == 404
    assert Message.objects.list_versions(hers).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_new_answer_by_the_button_is_streamed_in_the_place_of_the_old(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("The first answer [1].", "The second answer [1].")
    first = make_message(people.alice, chatbot, QUESTION)
    url = reverse("chatbots:ask-again", args=[first.pk])
    shown = alice.post(url, headers={"HX-Request": "true"}).content.decode()
    again = Message.objects.get(version_of=first)
    assert f'id="turn-{first.pk}"' in shown
    assert reverse("chatbots:stream", args=[again.pk]) in shown
    finish_answers()
    again.refresh_from_db()
    assert again.answer == "The second answer [1]."
