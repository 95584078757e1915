"""What the library lacks, for admins: topics of several people, never a question and never a person (S3)."""

from datetime import date, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from chatbots.conversations import deletion
from chatbots.insights.topics import MIN_PEOPLE, MIN_PEOPLE_PER_TOPIC, LibraryGaps, find_library_gaps
from chatbots.models import Chat, Chatbot, Message, Participant
from schools.models import Membership
from tests.factories import Cast, make_member, school_document

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 21)
IN_TIME = timezone.make_aware(datetime(2026, 10, 14, 9))


@pytest.fixture
def teachers(people: Cast) -> list[Membership]:
    """So many that topics may be listed."""
    names = ["dora", "emil", "fred", "weiß"]
    more = [make_member(people.alice.school, name) for name in names]
    teachers = [people.alice, people.bob, *more]
    assert len(teachers) == MIN_PEOPLE
    for teacher in teachers:
        ask(teacher, "Something answered", mode="grounded")
    return teachers


def ask(
    member: Membership,
    question: str,
    *,
    subject: str = "",
    mode: str = "refused",
    language: str = "en",
    **fields: object,
) -> Message:
    """A question that was answered at some time, without the work of it."""
    chatbot, _ = Chatbot.objects.get_or_create(
        school=member.school, owner=member.user, subject=subject, language=language, defaults={"name": "Bot"}
    )
    chat = Chat.objects.create(
        school=member.school, chatbot=chatbot, participant=Participant.objects.of(member), title="Chat"
    )
    given = {"created_at": IN_TIME, "status": "done"} | fields
    return Message.objects.create(school=member.school, chat=chat, question=question, mode=mode, **given)


def listed(people: Cast, today: date = TODAY) -> LibraryGaps:
    return find_library_gaps(people.alice.school, today)


def words(people: Cast, today: date = TODAY) -> set[str]:
    return {word for _, words in listed(people, today).subjects for word in words}


def test_a_word_of_enough_people_is_a_topic(people: Cast, teachers: list[Membership]) -> None:
    questions = (
        "How does photosynthesis work?",
        "is photosynthesis light?",
        "Explain photosynthesis to class 7b",
    )
    for teacher, question in zip(teachers, questions, strict=False):
        ask(teacher, question)
    assert words(people) == {"photosynthesis"}
    assert listed(people).subjects == (("", ("photosynthesis",)),)


def test_a_word_of_fewer_is_none_however_often_they_ask(people: Cast, teachers: list[Membership]) -> None:
    for teacher in teachers[: MIN_PEOPLE_PER_TOPIC - 1] * 5:
        ask(teacher, "What about photosynthesis?")
    assert not words(people)


def test_numbers_codes_addresses_and_names_are_none(people: Cast, teachers: list[Membership]) -> None:
    for teacher in teachers[:4]:
        addresses = "mehmet@riverside.example, mehmet.ada@riverside.example"
        ask(teacher, f"why did Mehmet from class 9b2 ({addresses}, kurs.7b, LS-07) get 4 marks in 2024?")
        ask(teacher, "Mehmet, what about him?")
        ask(teacher, "is dora a good teacher, or emil, or weiß?")
    assert words(people) == {"class", "get", "marks", "good", "teacher"}


def test_nothing_is_listed_where_few_people_ask(people: Cast, teachers: list[Membership]) -> None:
    for teacher in teachers[:3]:
        ask(teacher, "How does photosynthesis work?")
    assert words(people)
    Chat.objects.for_member(teachers[-1]).delete()
    assert listed(people).is_too_small
    assert not listed(people).subjects


def test_only_whole_months_are_looked_at(people: Cast, teachers: list[Membership]) -> None:
    for teacher in teachers[:3]:
        ask(
            teacher,
            "What about photosynthesis?",
            created_at=timezone.make_aware(datetime(2026, 11, 1, 0, 1)),
        )
    assert not words(people)
    for teacher in teachers:
        ask(teacher, "Answered", mode="grounded", created_at=timezone.make_aware(datetime(2026, 11, 2)))
    assert words(people, date(2026, 12, 1)) == {"photosynthesis"}
    assert words(people, date(2027, 2, 28)) == {"photosynthesis"}
    assert listed(people, date(2027, 3, 1)).is_too_small
    assert (listed(people).since, listed(people).until) == (date(2026, 8, 1), date(2026, 11, 1))


def test_what_was_dismissed_deleted_or_answered_since_is_not_listed(people: Cast, teachers: list[Membership]) -> None:
    first, second, third, _ = (ask(one, "What about photosynthesis?") for one in teachers[:4])
    first.dismissed_at = timezone.now()
    first.save()
    assert words(people) == {"photosynthesis"}
    Message.objects.create(
        school=second.school,
        chat=second.chat,
        version_of=second,
        question=second.question,
        status="done",
        mode="grounded",
        created_at=IN_TIME + timedelta(hours=1),
    )
    assert not words(people)
    Message.objects.filter(version_of=second).delete()
    deletion.delete_chat(third.chat)
    assert not words(people)


def test_subjects_are_those_of_the_library_and_of_enough_people(people: Cast, teachers: list[Membership]) -> None:
    school_document(people.carol, subject="Biology", indexed=False)
    school_document(people.carol, "# Other\n\nText.\n", "o.md", subject="Physics", indexed=False)
    for teacher in teachers[:3]:
        ask(teacher, "How does photosynthesis work?", subject="biology ")
        ask(teacher, "How do magnets work?", subject="Physics" if teacher is teachers[0] else "Ms Miller, 9b")
    first, rest = listed(people).subjects
    assert first == ("Biology", ("photosynthesis", "work"))
    assert rest == ("", ("magnets",))


def test_the_page_is_for_admins_and_says_why_nothing_is_listed(people: Cast) -> None:
    message = ask(people.alice, "How does zephyrquartz work?")
    for member, status in ((people.carol, 200), (people.alice, 403)):
        client = Client()
        client.force_login(member.user)
        response = client.get("/schools/gaps/")
        assert response.status_code == status
        assert message.question not in response.content.decode()
    assert "Nothing is listed" in get_page(people.carol)


def test_the_page_shows_topics_of_ones_own_school(people: Cast, teachers: list[Membership]) -> None:
    last_month = timezone.now().replace(day=1) - timedelta(days=3)
    for teacher in teachers:
        ask(teacher, "How does photosynthesis work?", created_at=last_month)
    assert "photosynthesis" in get_page(people.carol)
    assert "Alice" not in get_page(people.carol).partition("<main")[2]
    assert "photosynthesis" not in get_page(people.chloe)


def get_page(admin: Membership) -> str:
    client = Client()
    client.force_login(admin.user)
    return client.get("/schools/gaps/").content.decode()
