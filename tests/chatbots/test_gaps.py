"""A teacher’s unanswered questions: listed, grouped, searched for again, dismissed."""

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from chatbots.conversations import deletion
from chatbots.insights import unanswered
from chatbots.models import Chat, Chatbot, Message
from chatbots.services import set_personal_documents
from knowledge.models import PersonalDocument
from tests.factories import Cast, make_chatbot, make_message, personal_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db

FOOTBALL = "Who won the football world cup in 1954?"
URL = "/chatbots/unanswered/"


@pytest.fixture
def client(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def listed(people: Cast) -> list[tuple[str, int]]:
    return [(gap.newest.question, len(gap.messages)) for gap in unanswered.list_unanswered(people.alice)]


def test_a_refused_question_is_listed_with_what_came_closest(chatbot: Chatbot, people: Cast, client: Client) -> None:
    message = make_message(people.alice, chatbot, FOOTBALL)
    make_message(people.alice, chatbot, "How strong may hydrochloric acid be?")
    assert listed(people) == [(FOOTBALL, 1)]
    (gap,) = unanswered.list_unanswered(people.alice)
    assert gap.near
    text = client.get(URL).content.decode()
    assert f"Closest: <bdi>{gap.near.title}</bdi>" in text
    assert reverse("chatbots:chat", args=[message.chat_id]) in text


def test_the_same_question_in_nearly_the_same_words_is_one(chatbot: Chatbot, people: Cast) -> None:
    for question in (FOOTBALL, "who won football’s world cup, 1954", "Where do penguins live?", "Why?"):
        make_message(people.alice, chatbot, question)
    other = make_chatbot(people.alice, name="Other")
    make_message(people.alice, other, FOOTBALL)
    assert listed(people) == [
        (FOOTBALL, 1),
        ("Why?", 1),
        ("Where do penguins live?", 1),
        ("who won football’s world cup, 1954", 2),
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("How hot is the sun’s surface?", "how hot is the surface of the sun", True),
        ("How hot is the sun?", "How old is the sun?", False),
        ("Why?", "why", True),
        ("?", "!", True),
    ],
)
def test_what_counts_as_the_same(one: str, other: str, same: bool) -> None:
    chatbot = Chatbot()
    chat = Chat(chatbot=chatbot)
    found = unanswered.group_by_question([Message(chat=chat, question=question) for question in (one, other)])
    assert (len(found) == 1) == same


def test_a_refusal_by_the_model_is_a_gap(chatbot: Chatbot, people: Cast, model: type[ScriptedLLM]) -> None:
    model.enqueue("I cannot answer this from the sources of this chatbot.")
    make_message(people.alice, chatbot, "How strong may hydrochloric acid be?")
    (gap,) = unanswered.list_unanswered(people.alice)
    assert gap.was_found
    unanswered.search_again(gap)
    assert gap.tried["same"], "the same passages would be refused again"


def test_what_was_answered_meanwhile_or_deleted_is_not_listed(chatbot: Chatbot, people: Cast) -> None:
    message = make_message(people.alice, chatbot, FOOTBALL)
    Message.objects.create(
        school_id=message.school_id,
        chat=message.chat,
        version_of=message,
        question=FOOTBALL,
        answer="Germany [1].",
        status="done",
        mode="grounded",
    )
    deletion.delete_chat(make_message(people.alice, chatbot, "Where do penguins live?").chat)
    assert not listed(people)
    assert not unanswered.count_by_chatbot(people.alice)


def test_a_question_that_was_answered_since_in_another_conversation_is_not_listed(
    chatbot: Chatbot, people: Cast
) -> None:
    """Of the same chatbot. One that is refused again since then is."""
    for _ in range(2):
        make_message(people.alice, chatbot, FOOTBALL)
    other = make_chatbot(people.alice, name="Other")
    for bot, question, left in (
        (other, FOOTBALL, 2),
        (chatbot, "How strong may hydrochloric acid be?", 2),
        (chatbot, "who won football’s world cup, 1954", 0),
    ):
        answered = make_message(people.alice, bot, question)
        Message.objects.filter(pk=answered.pk).update(mode="grounded")
        assert [count for _, count in listed(people)] == [left] * bool(left), question
    make_message(people.alice, chatbot, FOOTBALL)
    assert listed(people) == [(FOOTBALL, 3)]


def test_a_document_that_was_added_is_found_when_searched_again(chatbot: Chatbot, people: Cast, client: Client) -> None:
    message = make_message(people.alice, chatbot, FOOTBALL)
    url = reverse("chatbots:try-gap", args=[message.pk])
    assert "still nothing answers it" in client.post(url, follow=True).content.decode()
    document = personal_document(
        people.alice, "# Football\n\nWest Germany won the football world cup in 1954.\n", "football.md"
    )
    every = [*PersonalDocument.objects.values_list("pk", flat=True)]
    set_personal_documents(chatbot=chatbot, member=people.alice, documents=every)
    text = client.post(reverse("chatbots:try-gaps"), follow=True).content.decode()
    assert "1 of 1 would be answered now" in text
    assert "Would be answered now" in text
    assert f"“{document.title}” answers." in text
    assert Message.objects.count() == 1, "nothing is asked"


def test_a_source_that_cannot_be_searched_is_said_and_not_counted(
    chatbot: Chatbot, people: Cast, client: Client
) -> None:
    message = make_message(people.alice, chatbot, FOOTBALL)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE school_library_schoolchunk RENAME TO away")
    try:
        text = client.post(reverse("chatbots:try-gap", args=[message.pk]), follow=True).content.decode()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE away RENAME TO school_library_schoolchunk")
    assert "One question could not be searched for just now" in text
    assert "Searched again" not in text


def test_one_that_would_be_answered_can_be_asked_again(chatbot: Chatbot, people: Cast, client: Client) -> None:
    message = make_message(people.alice, chatbot, FOOTBALL)
    Message.objects.update(tried={"found": True, "same": False, "level": "answers", "title": "Football"})
    in_place = f'{reverse("chatbots:chat", args=[message.chat_id])}#turn-{message.pk}">Ask it again'
    assert in_place in client.get(URL).content.decode()
    make_message(people.alice, chatbot, "How strong may hydrochloric acid be?", chat=message.chat)
    link = f"{reverse('chatbots:new-chat', args=[chatbot.pk])}?ask={message.pk}"
    assert f'{link}">Ask it again' in client.get(URL).content.decode(), "no answer may be added to this one"
    assert f">{FOOTBALL}</textarea>" in client.get(link).content.decode()
    hers = make_message(people.bob, make_chatbot(people.bob), "Where does Bob keep the keys?")
    for other in (hers.pk, "nonsense"):
        page = client.get(link.replace(str(message.pk), str(other)))
        assert page.status_code == 200
        assert "></textarea>" in page.content.decode()


def test_dismissed_questions_come_back_when_wanted_or_asked_again(
    chatbot: Chatbot, people: Cast, client: Client
) -> None:
    first = make_message(people.alice, chatbot, FOOTBALL)
    make_message(people.alice, chatbot, FOOTBALL)
    for _ in range(2):  # pressed twice
        client.post(reverse("chatbots:dismiss-gap", args=[first.pk]), {"chatbot": chatbot.pk})
    assert not listed(people)
    assert "Dismissed (1)" in client.get(URL).content.decode()
    client.post(reverse("chatbots:reopen-gap", args=[first.pk]))
    assert listed(people) == [(FOOTBALL, 2)]
    client.post(reverse("chatbots:dismiss-gap", args=[first.pk]))
    make_message(people.alice, chatbot, FOOTBALL)
    assert listed(people) == [(FOOTBALL, 1)]


def test_lists_and_chats_say_how_many_are_open(chatbot: Chatbot, people: Cast, client: Client) -> None:
    assert "nanswered" not in client.get("/chatbots/").content.decode()
    make_message(people.alice, chatbot, FOOTBALL)
    assert "Unanswered questions (1)" in client.get("/chatbots/").content.decode()
    text = client.get(reverse("chatbots:new-chat", args=[chatbot.pk])).content.decode()
    assert "1 unanswered question<" in text
    make_message(people.alice, chatbot, FOOTBALL.lower())
    assert "Unanswered questions (1)" in client.get("/chatbots/").content.decode(), "as many as are listed"
    text = client.get(reverse("chatbots:new-chat", args=[chatbot.pk])).content.decode()
    assert "1 unanswered question<" in text


def test_the_list_of_one_chatbot_has_no_other(chatbot: Chatbot, people: Cast, client: Client) -> None:
    make_message(people.alice, make_chatbot(people.alice, name="Other"), FOOTBALL)
    assert FOOTBALL not in client.get(URL, {"chatbot": str(chatbot.pk)}).content.decode()
    assert FOOTBALL in client.get(URL).content.decode()


def test_nobody_else_sees_or_changes_them(chatbot: Chatbot, people: Cast) -> None:
    message = make_message(people.alice, chatbot, FOOTBALL)
    for stranger in (people.bob, people.carol, people.charlie):
        client = Client()
        client.force_login(stranger.user)
        assert FOOTBALL not in client.get(URL).content.decode()
        assert client.get(URL, {"chatbot": str(chatbot.pk)}).status_code == 404
        assert client.get(URL, {"chatbot": "nonsense"}).status_code == 404
        client.post(reverse("chatbots:try-gaps"))
        for name in ("try-gap", "dismiss-gap", "reopen-gap"):
            assert client.post(reverse(f"chatbots:{name}", args=[message.pk])).status_code == 404
    message.refresh_from_db()
    assert (message.dismissed_at, message.tried) == (None, {})


def test_a_question_that_was_answered_cannot_be_dismissed(chatbot: Chatbot, people: Cast, client: Client) -> None:
    message = make_message(people.alice, chatbot, "How strong may hydrochloric acid be?")
    assert client.post(reverse("chatbots:dismiss-gap", args=[message.pk])).status_code == 404
