"""What pupils ask, and what they see of answers and sources: never more than their teacher has opened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from chatbots.conversations.deletion import hide_chatbot
from chatbots.models import Channel, Chatbot, Message, MessageStatus, QuestionLogEntry
from classrooms import hands, links
from classrooms.models import ClassLink, Pupil, RaisedHand
from schools import rate_limits
from tests.classrooms.classes import QUESTION, come_in, make_asked, open_class, page
from tests.factories import Cast, finish_answers, make_chatbot
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


def ask(client: Client, link: ClassLink, chatbot: Chatbot, question: str = QUESTION) -> Any:
    return client.post(page("new-chat", link, chatbot.pk), {"question": question})


def shown(client: Client, link: ClassLink, message: Message) -> str:
    return client.get(page("exchange", link, message.pk)).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_pupil_asks_and_reads_an_answer_with_its_source(link: ClassLink, chatbot: Chatbot, model: Model) -> None:
    client, pupil = come_in(link)
    model.enqueue("At most 1 mol/l [1].")
    response = ask(client, link, chatbot)
    finish_answers()
    message = Message.objects.get()
    assert (message.channel, message.status) == (Channel.CLASS, MessageStatus.DONE)
    assert message.chat.participant == pupil.participant and message.school == link.school
    text = client.get(response["Location"]).content.decode()
    assert "At most 1 mol/l" in text and QUESTION in text and 'class="cite' in text
    events = b"".join(client.get(page("stream", link, message.pk)))
    assert b"event: done" in events


@pytest.mark.parametrize("question", ["\u200b\u200b", "😀😀"])
def test_a_pupils_question_without_words_is_refused(
    link: ClassLink, computer: Client, chatbot: Chatbot, question: str
) -> None:
    refused = ask(computer, link, chatbot, question)
    assert (refused.status_code, question in refused.content.decode()) == (422, True)
    assert not Message.objects.exists()


def test_both_the_documents_of_the_teacher_and_of_the_school_answer(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    assert set(message.sources.values_list("kind", flat=True)) == {"personal", "school"}


def test_kinds_that_the_teacher_has_taken_away_do_not_answer(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot, kinds=["school"])
    _, pupil = come_in(link)
    message = make_asked(pupil, chatbot)
    assert set(message.sources.values_list("kind", flat=True)) == {"school"}


def test_a_language_model_is_told_how_long_and_to_hint_first(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot, answer_length="short", hints_first=True)
    _, pupil = come_in(link)
    make_asked(pupil, chatbot)
    told = model.history[-1].messages[0].content
    assert "three short sentences" in told and "hint" in told


def test_without_a_model_a_hint_comes_first(people: Cast, chatbot: Chatbot) -> None:
    plain, hinting = open_class(people.alice, chatbot), open_class(people.alice, chatbot, hints_first=True)
    question = "What happens with acid and water?"
    whole = make_asked(come_in(plain)[1], chatbot, question)
    hint = make_asked(come_in(hinting)[1], chatbot, question)
    assert "A hint:" in hint.answer and "A hint:" not in whole.answer


def test_all_of_the_sources(link: ClassLink, computer: Client, pupil: Pupil, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("At most 1 mol/l [1].")
    message = make_asked(pupil, chatbot)
    source = message.sources.get(number=1)
    text = shown(computer, link, message)
    assert source.document_title in text and "cite-tip" in text and page("source", link, source.pk) in text
    opened = computer.get(page("source", link, source.pk)).content.decode()
    assert source.excerpt.split(".")[0].split()[-1] in opened and 'id="passage"' in opened


def test_the_documents_of_the_teacher_are_called_so(
    link: ClassLink, computer: Client, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("It is weak [1] and clear [2].")
    message = make_asked(pupil, chatbot)
    own = message.sources.filter(kind="personal")[0]
    texts = [shown(computer, link, message), computer.get(page("source", link, own.pk)).content.decode()]
    assert all("Your teacher’s</span>" in text and "Personal</span>" not in text for text in texts)


def test_titles_only(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot, sources_shown="titles")
    client, pupil = come_in(link)
    model.enqueue("It is weak [1].")
    message = make_asked(pupil, chatbot)
    source = message.sources.get(number=1)
    text = shown(client, link, message)
    assert source.document_title in text and 'class="cite' in text
    for words in ("mol/l", "cite-tip", page("source", link, source.pk)):
        assert words not in text
    assert client.get(page("source", link, source.pk)).status_code == 404


def test_nothing_of_the_sources(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot, sources_shown="none")
    client, pupil = come_in(link)
    model.enqueue("It is weak [1].")
    message = make_asked(pupil, chatbot)
    for number in message.sources.values_list("number", flat=True):
        assert f"[{number}]" not in shown(client, link, message)
    text = shown(client, link, message)
    assert "It is weak" in text
    for source in message.sources.all():
        assert source.document_title not in text
        assert client.get(page("source", link, source.pk)).status_code == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("shows", ["titles", "none"])
def test_the_stream_tells_no_more_than_the_page(people: Cast, chatbot: Chatbot, model: Model, shows: str) -> None:
    link = open_class(people.alice, chatbot, sources_shown=shows)
    client, _ = come_in(link)
    model.enqueue("It is weak [1].")
    response = ask(client, link, chatbot)
    message = Message.objects.get()
    events = b"".join(client.get(page("stream", link, message.pk))).decode()
    finish_answers()
    assert response.status_code == 302 and "It is weak" in events and "mol/l" not in events
    source = message.sources.get(number=1)
    title, text = source.document_title, client.get(page("exchange", link, message.pk)).content.decode()
    assert source.where and source.where not in events and source.where not in text, "a heading tells what it says"
    assert (title in events) == (shows == "titles") and ("[1]" in events) is False


def test_the_questions_of_a_day_are_counted(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot, questions_a_day=2)
    client, pupil = come_in(link)
    make_asked(pupil, chatbot)
    make_asked(pupil, chatbot)
    response = ask(client, link, chatbot, "And a third one?")
    assert response.status_code == 422 and Message.objects.count() == 2
    text = response.content.decode()
    assert "2 questions for today" in text and "And a third one?" in text
    _, other = come_in(link)
    make_asked(other, chatbot)  # counted for each pupil


def test_an_empty_or_endless_question_is_refused_and_kept(link: ClassLink, computer: Client, chatbot: Chatbot) -> None:
    assert ask(computer, link, chatbot, "  ").status_code == 422
    response = ask(computer, link, chatbot, "why " * 600)
    assert response.status_code == 422 and "why why" in response.content.decode()
    assert not Message.objects.exists()


def test_a_form_that_is_sent_twice_asks_once(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    sent = {"question": QUESTION, "message_id": "0190b5c0-0000-7000-8000-000000000001"}
    for _ in range(2):
        assert computer.post(page("new-chat", link, chatbot.pk), sent).status_code == 302
    assert Message.objects.count() == 1
    other, _ = come_in(link)
    other.post(page("new-chat", link, chatbot.pk), sent)
    assert Message.objects.count() == 2  # the id of somebody else's question says nothing


def test_earlier_conversations_only_where_they_are_shown(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot, shows_earlier=False)
    client, pupil = come_in(link)
    message = make_asked(pupil, chatbot)
    assert client.get(page("chat", link, message.chat_id)).status_code == 200
    type(message.chat).objects.update(created_at="2020-01-01T00:00Z")
    assert client.get(page("chat", link, message.chat_id)).status_code == 404
    assert shown_status(client, link, message) == 404
    links.change_link(link=link, member=people.alice, shows_earlier=True)
    assert client.get(page("chat", link, message.chat_id)).status_code == 200


def shown_status(client: Client, link: ClassLink, message: Message) -> int:
    return int(client.get(page("exchange", link, message.pk)).status_code)


def test_a_hand_is_raised_and_taken_back(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    computer.post(page("hand", link, message.pk), {"raised": "on"})
    assert RaisedHand.objects.get().message == message
    assert "Your teacher sees this question" in shown(computer, link, message)
    computer.post(page("hand", link, message.pk), {})
    assert not RaisedHand.objects.exists()


def test_too_many_hands_are_refused_on_the_page_of_the_conversation(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "HANDS", replace(rate_limits.HANDS, number=0))
    message = make_asked(pupil, chatbot)
    refused = computer.post(page("hand", link, message.pk), {"raised": "on"})
    text = refused.content.decode()
    assert refused.status_code == 429 and "You have asked your teacher many times." in text
    assert f'action="{page("chat", link, message.chat_id)}"' in text and "Enter the code" not in text
    assert not RaisedHand.objects.exists()


def test_an_open_page_hears_of_the_teachers_note(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message, other = make_asked(pupil, chatbot), make_asked(come_in(link)[1], chatbot)
    for one in (message, other):
        hands.raise_hand(one, is_raised=True)
    assert 'name="waiting"' in shown(computer, link, message)
    address = f"{page('answered', link, message.chat_id)}?waiting={message.pk}&waiting={other.pk}&waiting=x"
    assert computer.get(address).status_code == 204
    hands.write_note(message, "Well asked.")
    hands.write_note(other, "For somebody else.")
    text = computer.get(address).content.decode()
    assert "Well asked." in text and "Your teacher has written about" in text and 'hx-swap-oob="true"' in text
    assert "For somebody else." not in text and 'name="waiting"' not in text
    links.pause(link, is_paused=True)
    assert computer.get(address, headers={"HX-Request": "true"}).status_code == 204


def test_a_hand_that_was_settled_without_a_note(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    hands.settle(RaisedHand.objects.get())
    text = computer.get(f"{page('answered', link, message.chat_id)}?waiting={message.pk}").content.decode()
    assert "Your teacher has looked at “" in text and "Ask my teacher again" in text


def test_a_chatbot_that_is_taken_away_or_deleted_is_gone(
    link: ClassLink, pupil: Pupil, computer: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    other = make_chatbot(people.alice, name="Other")
    links.set_chatbots(link=link, member=people.alice, chatbots=[other.pk])
    assert ask(computer, link, chatbot).status_code == 404
    assert computer.get(page("chat", link, message.chat_id)).status_code == 404
    links.set_chatbots(link=link, member=people.alice, chatbots=[chatbot.pk])
    assert computer.get(page("chat", link, message.chat_id)).status_code == 200
    hide_chatbot(chatbot)
    assert computer.get(page("chat", link, message.chat_id)).status_code == 404
    assert ask(computer, link, chatbot).status_code == 404


def test_failed_answers_can_be_tried_again(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot, answered=False)
    Message.objects.filter(pk=message.pk).update(status="failed", notice="The model did not answer.")
    assert "Try again" in shown(computer, link, message)
    computer.post(page("again", link, message.pk))
    assert Message.objects.filter(version_of=message, channel=Channel.CLASS).count() == 1


def test_the_log_of_the_school_has_the_question_without_a_name(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    make_asked(pupil, chatbot)
    entry = QuestionLogEntry.objects.get()
    assert entry.channel == Channel.CLASS and entry.question == QUESTION and pupil.nickname not in entry.answer
