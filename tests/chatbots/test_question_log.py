"""What a school keeps of questions for its review (T6): each once, without names, nothing of a teacher's own (S3)."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots import services
from chatbots.answering import finalize
from chatbots.conversations import asking, deletion
from chatbots.models import (
    Channel,
    Chatbot,
    Message,
    MessageSource,
    MessageStatus,
    Outcome,
    QuestionLogEntry,
)
from chatbots.question_log import store
from chatbots.streaming import jobs
from corpus.ingestion import uploads
from engines.errors import ModelUnavailable
from privacy.erasing import erase_old
from schools.models import Membership
from tests.factories import (
    Cast,
    answer,
    make_chatbot,
    make_file,
    make_message,
    personal_document,
    school_document,
    signed_in,
)
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def library_bot(people: Cast) -> Chatbot:
    """Of Alice's, with a document of the library alone."""
    return make_chatbot(people.alice, school=[school_document(people.carol, title="Safety policy")])


def page(member: Membership, name: str = "question-log", **query: str | int) -> str:
    response = signed_in(member).get(reverse(f"chatbots:{name}"), query)
    assert response.status_code == 200
    return response.content.decode()


def test_an_answer_from_the_library_is_kept_with_what_it_cites(
    people: Cast, library_bot: Chatbot, model: Model
) -> None:
    model.enqueue("At most 1 mol/l [1].")
    message = make_message(people.alice, library_bot, QUESTION)
    row = QuestionLogEntry.objects.get()
    assert (row.question, row.answer, row.outcome) == (QUESTION, "At most 1 mol/l [1].", Outcome.ANSWERED)
    assert (row.mode, row.model, row.channel) == ("grounded", "Scripted model", "web")
    assert (row.asked_at, row.message_id) == (message.created_at, message.pk)
    source = message.sources.get()
    assert row.citations == [
        {
            "number": 1,
            "document_id": str(source.document_id),
            "address": "",
            "title": "Safety policy",
            "version": 1,
            "where": source.where,
            "position": source.position,
        }
    ]


def test_nothing_in_it_says_who_asked(people: Cast, library_bot: Chatbot, model: Model) -> None:
    make_message(people.alice, library_bot, QUESTION)
    row = QuestionLogEntry.objects.values().get()
    values = " ".join(map(str, row.values())).casefold()
    for secret in ("alice", str(people.alice.user_id), str(library_bot.pk), library_bot.name.casefold()):
        assert secret not in values
    assert (row["chatbot_id"], row["chatbot_name"]) == (None, "")
    for text in (page(people.carol), read_export(people.carol)):
        assert QUESTION in text
        for secret in ("Alice", library_bot.name, str(library_bot.pk), str(row["message_id"])):
            assert secret not in text


def test_of_what_is_a_teachers_own_no_word_is_kept(people: Cast, model: Model) -> None:
    """Nor of a later answer of the conversation from the library alone, which may say again what was said before."""
    own = personal_document(
        people.alice, "# Zorkmid\n\nHydrochloric acid, says zorkmid.\n", "zorkmid.md", title="Zorkmid"
    )
    bot = make_chatbot(people.alice, personal=[own], school=[school_document(people.carol)])
    model.enqueue("It is zorkmid [1] and [2].")
    first = make_message(people.alice, bot, QUESTION)
    assert {source.kind for source in first.sources.all()} == {"personal", "school"}
    services.set_personal_documents(chatbot=bot, member=people.alice, documents=[])
    model.enqueue("As I said, zorkmid [1].")
    later = make_message(people.alice, bot, "And the goggles and the hydrochloric acid?", chat=first.chat)
    assert {source.kind for source in later.sources.all()} == {"school"}
    elsewhere = make_message(people.alice, bot, QUESTION)
    rows = {row.message_id: row for row in QuestionLogEntry.objects.all()}
    assert [rows[one.pk].draws_on_own for one in (first, later, elsewhere)] == [True, True, False]
    assert [bool(rows[one.pk].answer) for one in (first, later, elsewhere)] == [False, False, True]
    assert [cited["title"] for cited in rows[first.pk].citations] == ["safety"]
    for text in (page(people.carol), read_export(people.carol), str(list(QuestionLogEntry.objects.values()))):
        assert "zorkmid" not in text.casefold()
    assert page(people.carol).count(store.WITHHELD) == 2
    assert "zorkmid" not in page(people.carol, words="zorkmid").replace('value="zorkmid"', "").casefold()


def test_no_word_is_kept_after_exchanges_that_a_program_told(people: Cast, library_bot: Chatbot, model: Model) -> None:
    """They may be from a chatbot that reads what is its teacher's own."""
    message = make_message(people.alice, library_bot, QUESTION, answered=False)
    model.enqueue("As I said, zorkmid [1].")
    list(answer(message.pk, [("What does my list say?", "It says zorkmid.")]))
    assert {source.kind for source in message.sources.all()} == {"school"}
    model.enqueue("Again: zorkmid [1].")
    make_message(people.alice, library_bot, "How strong may acids be?", chat=message.chat)
    assert [(row.draws_on_own, row.answer) for row in QuestionLogEntry.objects.all()] == [(True, "")] * 2


def test_a_refusal_is_told_whatever_was_found(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("The sources do not answer this question.")
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.sources.filter(kind="personal").exists()
    row = QuestionLogEntry.objects.get()
    assert (row.outcome, row.answer, row.draws_on_own) == (Outcome.REFUSED, message.answer, False)


def test_every_way_to_end_is_kept(people: Cast, library_bot: Chatbot, model: Model) -> None:
    asked = [make_message(people.alice, library_bot, QUESTION, answered=False) for _ in range(4)]
    stopped, failed, abandoned, broken = asked
    jobs.stop(stopped.pk)
    model.enqueue(ModelUnavailable("Down."))
    list(answer(failed.pk))
    Message.objects.filter(pk=abandoned.pk).update(
        status=MessageStatus.WRITING, answer="Half", heartbeat_at=timezone.now() - timedelta(minutes=1)
    )
    jobs.interrupt_abandoned()
    model.enqueue("One [1] two three.")
    events = answer(broken.pk)
    while "One" not in str(next(events)):
        pass
    events.close()  # type: ignore[attr-defined]
    rows = {row.message_id: row for row in QuestionLogEntry.objects.all()}
    assert [rows[one.pk].outcome for one in asked] == ["stopped", "failed", "failed", "failed"]
    assert [rows[one.pk].answer for one in asked] == ["", "", "Half", "One"]
    assert all(row.question == QUESTION for row in rows.values())


def test_what_is_broken_off_tells_what_it_cites_so_far(people: Cast, library_bot: Chatbot, model: Model) -> None:
    """Also where more of it turns out to have been seen than was known when it was stopped."""
    message = make_message(people.alice, library_bot, QUESTION)
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.WRITING, answer="At most")
    MessageSource.objects.update(is_cited=False)
    finalize.mark_stopped(message.pk)
    row = QuestionLogEntry.objects.get()
    assert (row.answer, row.citations, row.outcome) == ("At most", [], Outcome.STOPPED)
    finalize.keep_seen(message.pk, "At most 1 mol/l [1].")
    row.refresh_from_db()
    assert row.answer == "At most 1 mol/l [1]."
    assert [cited["number"] for cited in row.citations] == [1]


def test_each_answer_to_a_question_is_kept_beside_the_others(people: Cast, library_bot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, library_bot, QUESTION)
    list(answer(asking.ask_again(message=message, channel=Channel.API).pk))
    doors = QuestionLogEntry.objects.order_by("asked_at").values_list("question", "channel")
    assert list(doors) == [(QUESTION, "web"), (QUESTION, "api")]


def test_a_chatbot_is_named_only_while_its_teacher_says_so(people: Cast, library_bot: Chatbot, model: Model) -> None:
    unnamed = make_chatbot(people.bob)
    make_message(people.bob, unnamed, QUESTION)
    store.name(library_bot, is_named=True)
    make_message(people.alice, library_bot, QUESTION)
    text = page(people.carol)
    assert library_bot.name in text
    assert page(people.carol, chatbot=str(library_bot.pk)).count('class="row conversation logged"') == 1
    assert page(people.carol, chatbot="unnamed").count('class="row conversation logged"') == 1
    assert page(people.carol, chatbot=str(unnamed.pk)).count('class="row conversation logged"') == 2, (
        "which is no choice"
    )
    store.name(library_bot, is_named=False)
    assert library_bot.name not in page(people.carol)
    assert not QuestionLogEntry.objects.exclude(chatbot_id=None, chatbot_name="").exists()


def test_a_teacher_says_so_in_the_settings(people: Cast, library_bot: Chatbot) -> None:
    client = signed_in(people.alice)
    url = reverse("chatbots:edit", args=[library_bot.pk])
    form = {"name": "Lab", "language": "en", "personal_weight": 0, "places": 5, "when_unsure": "refuse"}
    for data, named in (({"is_named_in_log": "on"}, True), ({}, False)):
        assert client.post(url, form | data).status_code == 302
        library_bot.refresh_from_db()
        assert library_bot.is_named_in_log is named
        assert ("checked" in client.get(url).content.decode().split('name="is_named_in_log"')[1][:80]) is named


def test_nothing_is_kept_where_nothing_is_to_be_kept(
    people: Cast, library_bot: Chatbot, model: Model, settings: Settings
) -> None:
    message = make_message(people.alice, library_bot, QUESTION)
    settings.LECTERN_QUESTION_LOG_DAYS = 0
    make_message(people.alice, library_bot, QUESTION, chat=message.chat)
    assert QuestionLogEntry.objects.count() == 1
    assert QUESTION not in page(people.carol)
    assert "Nothing is kept" in page(people.carol)
    assert "At present nothing is kept:" in page(people.alice, "what-is-kept")
    chat = signed_in(people.alice).get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert "What is kept?" not in chat
    assert erase_old()["chatbots.QuestionLogEntry"] == 1
    assert not QuestionLogEntry.objects.exists()


def test_after_its_time_it_is_not_shown_and_then_erased(
    people: Cast, library_bot: Chatbot, model: Model, settings: Settings
) -> None:
    settings.LECTERN_QUESTION_LOG_DAYS = 30
    make_message(people.alice, library_bot, QUESTION)
    QuestionLogEntry.objects.update(asked_at=timezone.now() - timedelta(days=29, hours=23))
    assert erase_old()["chatbots.QuestionLogEntry"] == 0
    assert QUESTION in page(people.carol)
    QuestionLogEntry.objects.update(asked_at=timezone.now() - timedelta(days=30, minutes=1))
    assert QUESTION not in page(people.carol)
    assert QUESTION not in page(people.alice, "what-is-kept")
    assert erase_old()["chatbots.QuestionLogEntry"] == 1


def test_erasing_a_conversation_or_deleting_a_chatbot_leaves_it(
    people: Cast, library_bot: Chatbot, model: Model
) -> None:
    chat = make_message(people.alice, library_bot, QUESTION).chat
    late = make_message(people.alice, library_bot, "And goggles?", chat=chat, answered=False)
    deletion.delete_chat(chat)
    old = make_chatbot(people.alice, name="Old")
    deletion.hide_chatbot(old)
    client = signed_in(people.alice)
    for url in (
        reverse("chatbots:erase-chat", args=[chat.pk]),
        reverse("chatbots:deleted-chats"),
        reverse("chatbots:erase", args=[old.pk]),
    ):
        assert "school’s question log</a>, without your name, for 180 days" in client.get(url).content.decode()
    chat.refresh_from_db()
    assert deletion.erase_chat(chat)
    written = make_message(people.alice, library_bot, "And what is being written?", answered=False)
    assert written.status == "pending"
    deletion.erase_chatbot(library_bot)
    assert not Chatbot.objects.kept().exists()
    kept = dict(QuestionLogEntry.objects.values_list("question", "outcome"))
    assert kept == {
        QUESTION: "answered",
        "And goggles?": "failed",
        "And what is being written?": "failed",
    }, "also what was being answered then"
    assert list(answer(late.pk)) == []


def test_one_sees_what_is_kept_of_ones_own_last_question(people: Cast, library_bot: Chatbot, model: Model) -> None:
    assert "Nothing of yours is kept" in page(people.alice, "what-is-kept")
    make_message(people.alice, library_bot, "What of goggles, hydrochloric acid?")
    message = make_message(people.alice, library_bot, QUESTION)
    make_message(people.bob, make_chatbot(people.bob), "What does Bob ask?")
    text = page(people.alice, "what-is-kept")
    assert QUESTION in text
    assert "Safety policy" in text
    assert "What of goggles" not in text
    assert "Bob" not in text
    chat = signed_in(people.alice).get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert "kept for your school’s review for 180 days" in chat
    assert chat.count(f'href="{reverse("chatbots:what-is-kept")}"') == 2


def test_only_admins_of_the_school_read_it(people: Cast, library_bot: Chatbot, model: Model) -> None:
    make_message(people.alice, library_bot, QUESTION)
    for name in ("question-log", "export-question-log"):
        assert signed_in(people.alice).get(reverse(f"chatbots:{name}")).status_code == 403
        text = signed_in(people.chloe).get(reverse(f"chatbots:{name}")).content.decode()
        assert QUESTION not in text
    assert not QuestionLogEntry.objects.for_member(people.alice).exists()
    assert not QuestionLogEntry.objects.for_member(people.chloe).exists()


def logged(member: Membership, question: str, **fields: object) -> QuestionLogEntry:
    row = {"outcome": "answered", "channel": "web", "asked_at": timezone.now()} | fields
    values = {"school": member.school, "question": question, "message_id": UUID(int=len(question))}
    return QuestionLogEntry.objects.create(**(values | row))


def test_it_is_searched_by_words_outcome_and_days(people: Cast) -> None:
    today = timezone.now()
    logged(people.carol, "How do volcanoes erupt?", answer="By pressure of magma.")
    logged(people.carol, "Wann regnet es in den Tropen?", outcome="refused")
    logged(people.carol, "What is a delta?", asked_at=today - timedelta(days=3), outcome="failed")
    day = (today - timedelta(days=3)).date().isoformat()
    for query, found in (
        ({"words": "volcano"}, {"volcanoes"}),
        ({"words": "magma"}, {"volcanoes"}),
        ({"words": "tropisch or TROPE"}, {"regnet"}),
        ({"words": "nothing of it"}, set()),
        ({"outcome": "refused"}, {"regnet"}),
        ({"outcome": "failed", "words": "delta"}, {"delta"}),
        ({"since": day, "until": day}, {"delta"}),
        ({"since": today.date().isoformat()}, {"volcanoes", "regnet"}),
        ({"until": day}, {"delta"}),
        ({"until": "tomorrow"}, {"volcanoes", "regnet", "delta"}),
        ({"words": "a\x00b" * 200}, {"volcanoes", "regnet", "delta"}),
        ({"since": "0001-01-01", "until": "9999-12-31"}, {"volcanoes", "regnet", "delta"}),
        ({"page": "x"}, {"volcanoes", "regnet", "delta"}),
    ):
        text = page(people.carol, **query)
        assert text.count('class="row conversation logged"') == len(found), query
        assert all(word in text for word in found), query
    assert "Nothing found" in page(people.carol, words="zorkmid")
    assert "Nothing yet" in page(people.chloe)


def test_many_questions_come_in_pages_with_as_many_statements(people: Cast) -> None:
    for number in range(60):
        logged(people.carol, "?" * (number + 1), asked_at=timezone.now() - timedelta(minutes=number))
    with CaptureQueriesContext(connection) as many:
        first = page(people.carol)
    assert first.count('class="row conversation logged"') == 50
    assert "60 questions" in first
    second = page(people.carol, page=2, since="2020-01-01")
    assert second.count('class="row conversation logged"') == 10
    assert 'href="?page=1&amp;since=2020-01-01">Previous page' in second, "the filter stays"
    assert 'questions/file/?since=2020-01-01"' in second, "a file has no pages"
    QuestionLogEntry.objects.filter(message_id__gt=UUID(int=5)).delete()
    with CaptureQueriesContext(connection) as few:
        page(people.carol)
    assert len(many) == len(few)


def test_a_citation_opens_in_the_library_at_its_passage(people: Cast, library_bot: Chatbot, model: Model) -> None:
    document = library_bot.school_documents.get()
    model.enqueue("At most 1 mol/l [1].")
    position = make_message(people.alice, library_bot, QUESTION).sources.get().position
    url = reverse("school_library:detail", args=[document.pk])
    assert f'href="{url}?passage={position}#passage"' in page(people.carol)
    assert 'id="passage"' in signed_in(people.carol).get(f"{url}?passage={position}").content.decode()
    uploads.replace(document, make_file("# Other\n\nOther text.\n"), by=people.carol.user)
    from tests.factories import index_all

    index_all()
    assert f'href="{url}"' in page(people.carol), "the passage may be elsewhere by now"
    uploads.delete(document)
    text = page(people.carol)
    assert url not in text
    assert "Safety policy" in text


def read_export(member: Membership, **query: str | int) -> str:
    response = signed_in(member).get(reverse("chatbots:export-question-log"), query)
    assert response.status_code == 200
    assert response.headers["Cache-Control"].startswith("private") or "no-store" in response["Cache-Control"]
    return response.content.decode()


def test_the_file_has_what_was_found_and_no_formulas(people: Cast) -> None:
    logged(people.carol, '=HYPERLINK("http://evil.example")', answer="-1+2", outcome="refused")
    logged(people.carol, "Left out?")
    text = read_export(people.carol, outcome="refused")
    assert text.startswith("\ufeff")
    (row,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert row["question"] == '\'=HYPERLINK("http://evil.example")'
    assert row["answer"] == "'-1+2"
    assert row["outcome"] == "Refused"
    assert row["day"] == timezone.localdate().isoformat()
