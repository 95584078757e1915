"""The list of all of one's conversations, and searching them (C9)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.conversations.listing import CHATS_PER_PAGE, build_rows, search_chats
from chatbots.models import Chat, Chatbot, Message, MessageStatus, Participant
from chatbots.models.full_text import search_query
from schools.models import Membership
from tests.factories import Cast, make_chatbot

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


@pytest.fixture
def bot(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, name="Chemistry")


def asking(chatbot: Chatbot) -> Participant:
    return Participant.objects.get_or_create(school=chatbot.school, user=chatbot.owner)[0]


def talk(chatbot: Chatbot, *turns: tuple[str, str], title: str = "A talk", hours: float = 0) -> Chat:
    """A conversation that ended so many hours ago."""
    then = timezone.now() - timedelta(hours=hours)
    chat = Chat.objects.create(
        school=chatbot.school, chatbot=chatbot, participant=asking(chatbot), title=title, updated_at=then
    )
    for number, (question, answer) in enumerate(turns):
        Message.objects.create(
            school=chatbot.school,
            chat=chat,
            question=question,
            answer=answer,
            status=MessageStatus.DONE,
            created_at=then + timedelta(seconds=number),
            finished_at=then,
        )
    return chat


def found(member: Membership, words: str) -> list[str]:
    return [chat.title for chat in search_chats(member, words=words)]


def html(client: Client, **query: str) -> str:
    response = client.get(reverse("chatbots:chats"), query)
    assert response.status_code == 200
    return response.content.decode()


def test_nothing_yet_says_what_to_do(alice: Client, people: Cast) -> None:
    assert "Make a chatbot" in html(alice)
    make_chatbot(people.alice)
    assert "Open one of" in html(alice)


def test_the_latest_come_first_with_chatbot_and_questions(alice: Client, people: Cast, bot: Chatbot) -> None:
    talk(bot, ("Why?", "So."), ("And?", "No."), title="Older", hours=30)
    talk(make_chatbot(people.alice, name="Physics"), ("Why?", "So."), title="Newer")
    text = html(alice)
    assert text.index("Newer") < text.index("Older")
    assert "<li>2 questions</li>" in text
    assert "<li>1 question</li>" in text
    only = html(alice, chatbot=str(bot.pk))
    assert "Older" in only
    assert "Newer" not in only
    assert html(alice, chatbot="nonsense").count('class="row conversation"') == 2


def test_pages_go_on_where_the_one_before_ended(alice: Client, bot: Chatbot) -> None:
    chats = [talk(bot, title=f"Talk {number:02}.", hours=number) for number in range(CHATS_PER_PAGE + 3)]
    titles = [chat.title for chat in chats]
    first, second = html(alice), html(alice, page="2")
    assert [title for title in titles if title in first] == titles[:CHATS_PER_PAGE]
    assert [title for title in titles if title in second] == titles[CHATS_PER_PAGE:]
    day = timezone.localdate(chats[-1].updated_at)
    assert f"{day:%-d %b %Y}" in second.partition('id="results"')[2]
    assert "Today</h2>" not in second


def test_the_chat_page_leads_to_the_older_ones(alice: Client, bot: Chatbot) -> None:
    chats = [talk(bot, title=f"Talk {number:02}.", hours=number) for number in range(CHATS_PER_PAGE + 1)]
    url = reverse("chatbots:new-chat", args=[bot.pk])
    text = alice.get(url).content.decode()
    assert f'href="{reverse("chatbots:chats")}?chatbot={bot.pk}&amp;page=2">Older conversations' in text
    assert chats[-1].title not in text
    assert chats[-1].title in html(alice, chatbot=str(bot.pk), page="2")
    opened = alice.get(reverse("chatbots:chat", args=[chats[-1].pk])).content.decode()
    assert f'aria-current="page">{chats[-1].title}' in opened
    chats[0].delete()
    assert "Older conversations" not in alice.get(url).content.decode()


def test_days_are_those_of_the_schools_clock(settings: Settings, bot: Chatbot) -> None:
    chat = talk(bot)
    chat.updated_at = datetime(2026, 3, 3, 23, 30, tzinfo=UTC)
    settings.TIME_ZONE = "Europe/Berlin"
    assert chat.day.isoformat() == "2026-03-04"


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("acid", "How strong are the acids?"),
        ("Säuren", "Wie stark ist die Säure?"),
        ("enfants", "Que boit un enfant ?"),
        ("experimentos", "¿Qué experimento hacemos?"),
        ("LS-07", "What does code LS-07 say?"),
        ("hydrochl", "May hydrochloric acid stand open?"),
        ("acid hydr", "May hydrochloric acid stand open?"),
        ('"stand open"', "May hydrochloric acid stand open?"),
        ("burette or acid", "May hydrochloric acid stand open?"),
        ("the acid", "Acid burns"),
        ("-5", "Is −5 °C cold?"),
        ("−5", "Is -5 °C cold?"),
        ("cold (-5)", "Is -5 °C cold?"),
        ("acid -open", "May hydrochloric acid stand open?"),
        ('-"stand open"', "May hydrochloric acid stand open?"),
        ("+5", "Is it +5 outside?"),
        ("H2O", "What is H₂O?"),
        ("h₂o", "What is H2O?"),
        ("m2", "How long is 1 m²?"),
        ("Fa\u0308den", "Wie lang sind die Fäden?"),
    ],
)
def test_words_are_found_in_any_language_of_a_chatbot(people: Cast, bot: Chatbot, words: str, question: str) -> None:
    talk(bot, (question, "Yes."), title="Found")
    talk(bot, ("What is a mole?", "An amount."), title="Other")
    assert found(people.alice, words) == ["Found"]


@pytest.mark.parametrize(
    "words", ['"open stand"', "acid -closed", "-5", "-", '"hydrochl"', "zebra", "???", "' \\ : & | !", "a\x00b", "or"]
)
def test_what_does_not_stand_there_is_not_found(alice: Client, bot: Chatbot, words: str) -> None:
    talk(bot, ("May hydrochloric acid stand open?", "Yes."), title="Talk")
    assert "Nothing found" in html(alice, words=words)


def test_titles_and_answers_are_searched_too(people: Cast, bot: Chatbot) -> None:
    talk(bot, ("Why?", "Because of the burettes."), title="Answered", hours=1)
    talk(bot, ("Why?", "So."), title="The burette")
    assert found(people.alice, "burette") == ["The burette", "Answered"]


def test_a_very_long_answer_can_be_kept_and_found(people: Cast, bot: Chatbot) -> None:
    answer = "burette " + " ".join(f"word{number}" for number in range(200_000))
    talk(bot, ("Why?", answer), title="Long")
    assert found(people.alice, "burettes") == ["Long"]


def test_extracts_show_the_words_marked_and_lead_to_the_turn(alice: Client, bot: Chatbot) -> None:
    chat = talk(
        bot,
        ("What is a mole?", "An amount."),
        ("May <b>acids</b> & <script>alert(1)</script> stand?", f"{'Never. ' * 60}An acid burns \ue006."),
        title="All <i>acids</i>",
    )
    text = html(alice, words="acid")
    second = chat.messages.last()
    assert second
    assert f'href="{reverse("chatbots:chat", args=[chat.pk])}?answer={second.pk}#turn-{second.pk}"' in text
    assert "<mark>acids</mark>" in text
    assert "An <mark>acid</mark> burns" in text
    assert "<script>alert" not in text
    assert "<i>" not in text
    assert text.count("turn-") == 1


def test_only_the_first_turns_with_the_words_are_shown(people: Cast, bot: Chatbot) -> None:
    talk(bot, *[(f"Acid {number}?", "Yes.") for number in range(5)])
    (row,) = build_rows(list(search_chats(people.alice, words="acid")), "acid")
    assert [str(hit.question) for hit in row.hits] == [f"<mark>Acid</mark> {n}?" for n in range(3)]
    assert row.more == 2


def test_nobody_finds_what_is_somebody_elses(people: Cast, bot: Chatbot) -> None:
    elsewhere = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    talk(bot, ("How strong are acids?", "Very."), title="Acids")
    assert found(people.alice, "acid") == ["Acids"]
    for other in (people.bob, people.carol, people.charlie, elsewhere):
        assert found(other, "acid") == found(other, "") == []


def test_an_anonymous_search_leads_to_signing_in(bot: Chatbot) -> None:
    talk(bot, ("How strong are acids?", "Very."))
    response = Client().get(reverse("chatbots:chats"), {"words": "acid"})
    assert response.status_code == 302


def test_one_is_renamed_from_the_list_and_one_comes_back_to_it(alice: Client, bot: Chatbot) -> None:
    chat = talk(bot)
    url = reverse("chatbots:rename-chat", args=[chat.pk])
    assert 'name="from" value="list"' in alice.get(url, {"from": "list"}).content.decode()
    response = alice.post(url, {"title": "Burettes", "from": "list"})
    assert response.headers["Location"] == reverse("chatbots:chats")
    assert "Burettes" in html(alice, words="burette")
    assert alice.post(url, {"title": "X"}).headers["Location"] == reverse("chatbots:chat", args=[chat.pk])


def test_the_search_has_an_index(people: Cast, bot: Chatbot) -> None:
    talk(bot, ("How strong are acids?", "Very."))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
        found = Message.objects.filter(search=search_query("acid stro")).order_by()
        assert "Index Scan on message_words" in found.explain()


def test_of_a_question_the_newest_answer_is_searched_and_it_counts_once(
    alice: Client, people: Cast, bot: Chatbot
) -> None:
    chat = talk(bot, ("How strong?", "A burette."))
    first = chat.messages.get()
    Message.objects.create(
        school=bot.school,
        chat=chat,
        question="How strong?",
        answer="A pipette.",
        version_of=first,
        status=MessageStatus.DONE,
        finished_at=timezone.now(),
    )
    assert found(people.alice, "burette") == []
    assert found(people.alice, "pipette") == [chat.title]
    text = html(alice, words="pipette")
    assert f"#turn-{first.pk}" in text
    assert "<li>1 question</li>" in text
    exported = alice.get(reverse("chatbots:export-chat", args=[chat.pk])).content.decode()
    assert "pipette" in exported
    assert "burette" not in exported


@pytest.mark.parametrize("words", ["zwiebelkuchen", "“Zwiebelkuchen”", "soixante", "isn't it", "isn’t it", "trois"])
def test_a_word_is_found_whatever_signs_stand_around_it(people: Cast, bot: Chatbot, words: str) -> None:
    talk(bot, ("What?", "“Zwiebelkuchen” – «soixante»… isn’t it?"), title="Un–deux–trois")
    assert found(people.alice, words) == ["Un–deux–trois"]
