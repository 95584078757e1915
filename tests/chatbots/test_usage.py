"""What admins see of how a school uses its chatbots: figures, and nothing of a teacher's own (S3)."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.conversations.asking import ask_again
from chatbots.insights.usage import (
    MAX_DOCUMENTS,
    PERIODS,
    ChatbotUsage,
    DocumentUsage,
    compute_chatbot_usage,
    compute_document_usage,
    compute_school_usage,
    compute_usage_by_chatbot,
)
from chatbots.models import Chatbot, Feedback, Message, MessageStatus, Mode
from corpus.ingestion import uploads
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership
from schools.services import remove_member
from tests.factories import (
    Cast,
    make_chatbot,
    make_member,
    make_message,
    personal_document,
    school_document,
)
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


def end(message: Message, status: MessageStatus, mode: str = "") -> None:
    Message.objects.filter(pk=message.pk).update(status=status, mode=mode)


def test_a_school_where_nothing_was_asked(people: Cast) -> None:
    usage = compute_school_usage(people.alice.school)
    assert {name: usage[name] for name in ("chatbots", "conversations", "questions", "failed", "former")} == {
        "chatbots": 0,
        "conversations": 0,
        "questions": 0,
        "failed": 0,
        "former": 0,
    }
    assert (usage["documents"], usage["people"]) == ([], [])


def test_every_question_is_counted_once_by_how_it_ended(people: Cast) -> None:
    bot = make_chatbot(people.alice)
    endings = [
        (MessageStatus.DONE, Mode.GROUNDED),
        (MessageStatus.DONE, Mode.GENERAL),
        (MessageStatus.DONE, Mode.REFUSED),
        (MessageStatus.FAILED, Mode.GROUNDED),
        (MessageStatus.INTERRUPTED, ""),
        (MessageStatus.STOPPED, Mode.GROUNDED),
        (MessageStatus.WRITING, ""),
    ]
    first = make_message(people.alice, bot, answered=False)
    end(first, *endings[0])
    for status, mode in endings[1:]:
        end(make_message(people.alice, bot, chat=first.chat, answered=False), status, mode)
    end(make_message(people.alice, bot, answered=False), MessageStatus.DONE, Mode.GROUNDED)
    usage = compute_school_usage(people.alice.school)
    names = ("chatbots", "conversations", "questions", "answered", "refused", "failed", "stopped")
    assert [usage[name] for name in names] == [1, 2, 8, 3, 1, 2, 1]
    of_chatbot = compute_chatbot_usage(bot)
    assert [getattr(of_chatbot, name) for name in names[2:]] == [8, 3, 1, 2, 1]


def test_half_of_the_answers_took_no_longer_than_the_median(people: Cast) -> None:
    bot = make_chatbot(people.alice)
    assert compute_chatbot_usage(bot).median_ms is None
    for milliseconds in (100, 9000, 300.4, 200):
        message = make_message(people.alice, bot, answered=False)
        Message.objects.filter(pk=message.pk).update(status="done", timings={"total_ms": milliseconds})
    failed = make_message(people.alice, bot, answered=False)
    Message.objects.filter(pk=failed.pk).update(status="failed", timings={"total_ms": 1})
    assert compute_chatbot_usage(bot).median_ms == 250
    assert compute_school_usage(people.alice.school)["median_seconds"] == 0.25


def test_the_first_token_of_a_language_model_is_timed(people: Cast, chatbot: Chatbot, model: Model) -> None:
    assert compute_chatbot_usage(chatbot).first_token_seconds is None
    model.enqueue("Not stronger than 0.5 mol/l [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert 0 <= message.timings["first_token_ms"] <= message.timings["total_ms"]
    Message.objects.filter(pk=message.pk).update(timings={"first_token_ms": 1400})
    assert compute_chatbot_usage(chatbot).first_token_seconds == 1.4
    assert compute_school_usage(people.alice.school)["first_token_seconds"] == 1.4


@pytest.mark.parametrize("days", PERIODS)
def test_figures_are_of_so_many_days(people: Cast, chatbot: Chatbot, model: Model, days: int) -> None:
    document = SchoolDocument.objects.get()
    message = make_message(people.alice, chatbot, QUESTION)
    for ago, count in ((timedelta(days=days, minutes=1), 0), (timedelta(days=days - 1, hours=23), 1)):
        Message.objects.filter(pk=message.pk).update(created_at=timezone.now() - ago)
        assert compute_chatbot_usage(chatbot, days=days).questions == count
        assert compute_document_usage(document, days=days).found == count
        assert compute_school_usage(people.alice.school, days=days)["questions"] == count


def test_a_chatbot_is_told_apart_from_the_others(people: Cast) -> None:
    """Each with the opinions of its answers, also of one that was answered again since."""
    one, two = make_chatbot(people.alice, name="One"), make_chatbot(people.alice, name="Two")
    make_chatbot(people.bob, name="Bob’s")
    first = make_message(people.alice, one, answered=False)
    end(first, MessageStatus.DONE, Mode.GROUNDED)
    Feedback.objects.create(school=people.alice.school, message=first, verdict="down")
    end(ask_again(message=first), MessageStatus.DONE, Mode.REFUSED)
    for _ in range(2):
        end(make_message(people.alice, two, answered=False), MessageStatus.DONE, Mode.GENERAL)
    assert compute_usage_by_chatbot(people.alice) == [
        (one, ChatbotUsage(30, questions=1, refused=1, unhelpful=1)),
        (two, ChatbotUsage(30, questions=2, answered=2)),
    ]


def test_a_document_counts_the_questions_that_it_was_cited_for_and_in_how_many_chatbots(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    own, library = PersonalDocument.objects.get(), SchoolDocument.objects.get()
    for bot in (chatbot, make_chatbot(people.bob, school=[library])):
        message = make_message(people.bob if bot != chatbot else people.alice, bot, QUESTION)
        message.sources.update(is_cited=True)
    make_message(people.alice, chatbot, QUESTION).sources.update(is_cited=False)
    assert compute_document_usage(library) == DocumentUsage(30, read_by=2, found=3, cited=2, cited_by=2)
    assert compute_document_usage(own) == DocumentUsage(30, read_by=1, found=2, cited=1, cited_by=1)


def test_owners_see_the_figures_on_the_pages_of_chatbot_and_document(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    make_message(people.alice, chatbot, QUESTION)
    client = Client()
    client.force_login(people.alice.user)
    text = client.get(reverse("chatbots:edit", args=[chatbot.pk])).content.decode()
    assert '<th scope="row">Questions</th><td>1</td><td>1</td><td>1</td>' in text
    own = PersonalDocument.objects.get()
    url = reverse("chatbots:personal-usage", args=[own.pk])
    assert f'{url}?table=1"' in client.get(reverse("knowledge:detail", args=[own.pk])).content.decode()
    assert "Cited in 1 answer in the last 30 days" in client.get(url).content.decode()
    text = client.get(url, {"table": 1}).content.decode()
    assert '<th scope="row">Found for questions</th><td>1</td><td>1</td><td>1</td>' in text


def test_admins_are_told_opinions_only_where_three_people_have_one(people: Cast) -> None:
    dora = make_member(people.alice.school, "dora")
    for number, member in enumerate((people.alice, people.alice, people.bob, dora)):
        assert not compute_school_usage(people.alice.school)["is_shown"]
        message = make_message(member, make_chatbot(member), answered=False)
        verdict = ("up", "down", "down", "down")[number]
        Feedback.objects.create(school=member.school, message=message, verdict=verdict)
    usage = compute_school_usage(people.alice.school)
    assert (usage["helpful"], usage["unhelpful"]) == (1, 3)
    assert "told once" not in usage_page(people.carol)[1]
    Feedback.objects.filter(message__chat__participant__user=dora.user).delete()
    page = usage_page(people.carol)[1]
    assert "shown once 3 people have rated answers" in page
    assert "Called helpful" not in page


def test_what_is_older_than_30_days_is_not_counted(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    Message.objects.filter(pk=message.pk).update(created_at=timezone.now() - timedelta(days=30, minutes=1))
    usage = compute_school_usage(people.alice.school)
    assert (usage["chatbots"], usage["questions"], usage["documents"], usage["people"]) == (1, 0, [], [])
    Message.objects.filter(pk=message.pk).update(created_at=timezone.now() - timedelta(days=29, hours=23))
    usage = compute_school_usage(people.alice.school)
    assert (usage["questions"], len(usage["documents"]), len(usage["people"])) == (1, 1, 1)


def test_library_documents_by_how_often_answers_cited_them(people: Cast, model: Model) -> None:
    text = "# Acids\n\nHydrochloric acid may have at most 1 mol/l, says paper {}.\n"
    once, never = (school_document(people.carol, text.format(name), f"{name}.md") for name in ("once", "never"))
    bot = make_chatbot(people.alice, school=[never, once])
    first = make_message(people.alice, bot, QUESTION)
    first.sources.update(is_cited=False)
    first.sources.filter(document_id=once.pk).update(is_cited=True)
    used = compute_school_usage(people.alice.school)["documents"]
    assert [(row["document"].title, row["cited"], row["found"]) for row in used] == [
        ("once", 1, 1),
        ("never", 0, 1),
    ]
    uploads.delete(once)
    assert [row["document"] for row in compute_school_usage(people.alice.school)["documents"]] == [never]


def test_a_text_selected_in_a_document_is_no_use_of_it(people: Cast, chatbot: Chatbot, model: Model) -> None:
    document = SchoolDocument.objects.get()
    source = make_message(people.alice, chatbot, QUESTION).sources.filter(document_id=document.pk).get()
    assert (len(compute_school_usage(people.alice.school)["documents"]), compute_document_usage(document).found) == (
        1,
        1,
    )
    source.kind = "selection"
    source.save()
    assert (compute_school_usage(people.alice.school)["documents"], compute_document_usage(document).found) == ([], 0)


def test_only_the_most_used_documents_are_named(people: Cast, chatbot: Chatbot, model: Model) -> None:
    source = make_message(people.alice, chatbot, QUESTION).sources.filter(kind="school").get()
    for number in range(MAX_DOCUMENTS + 1):
        document = SchoolDocument.objects.create(school=people.alice.school, title=f"Paper {number}")
        source.pk, source.document_id, source.number = None, document.pk, 100 + number
        source._state.adding = True
        source.save()
    assert len(compute_school_usage(people.alice.school)["documents"]) == MAX_DOCUMENTS


def test_members_by_how_much_they_asked(people: Cast) -> None:
    for member, count in ((people.alice, 1), (people.bob, 2)):
        for _ in range(count):
            make_message(member, make_chatbot(member), answered=False)
    named = [(person.name, count) for person, count in compute_school_usage(people.alice.school)["people"]]
    assert named == [("Bob", 2), ("Alice", 1)]


def test_who_has_left_is_counted_without_a_name(people: Cast) -> None:
    make_message(people.alice, make_chatbot(people.alice), answered=False)
    remove_member(membership=people.alice)
    usage = compute_school_usage(people.bob.school)
    assert (usage["chatbots"], usage["questions"], usage["people"], usage["former"]) == (0, 1, [], 1)


def test_another_school_counts_for_itself(people: Cast) -> None:
    """A person of both schools has asked here and there."""
    there = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    make_message(people.alice, make_chatbot(people.alice), answered=False)
    for _ in range(2):
        make_message(there, make_chatbot(there), answered=False)
    here, elsewhere = compute_school_usage(people.alice.school), compute_school_usage(there.school)
    assert (here["chatbots"], here["questions"], elsewhere["chatbots"], elsewhere["questions"]) == (
        1,
        1,
        2,
        2,
    )
    assert [count for _, count in here["people"]] == [1]


def usage_page(member: Membership) -> tuple[int, str]:
    client = Client()
    client.force_login(member.user)
    response = client.get(reverse("chatbots:school-usage"), headers={"HX-Request": "true"})
    return response.status_code, response.content.decode()


def test_the_page_says_nothing_of_a_teachers_own(people: Cast, model: Model) -> None:
    acids = "# Zephyrquartz\n\nHydrochloric acid has 0.5 mol/l here, says zephyrquartz.\n"
    personal = personal_document(people.alice, acids, "zephyrquartz.md")
    library = school_document(people.carol, subject="Science", title="Safety policy")
    bot = make_chatbot(people.alice, personal=[personal], school=[library], name="Zephyrquartz helper")
    message = make_message(people.alice, bot, f"{QUESTION} Zephyrquartz?")
    assert {source.kind for source in message.sources.all()} == {"personal", "school"}
    status, page = usage_page(people.carol)
    assert status == 200
    assert "Safety policy" in page
    assert "Alice: 1" in page
    assert "zephyrquartz" not in page.lower()
    assert QUESTION not in page
    assert str(personal.pk) not in page


def test_figures_are_for_admins_of_the_school(people: Cast, chatbot: Chatbot, model: Model) -> None:
    make_message(people.alice, chatbot, QUESTION)
    assert usage_page(people.alice)[0] == 403
    status, page = usage_page(people.chloe)
    assert status == 200
    assert "Alice" not in page
    assert "Nobody has asked anything" in page
