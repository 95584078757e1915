"""From the question to the stored answer (C3 to C8, H7)."""

import re
import threading
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from chatbots.answering.draft import Kind
from chatbots.answering.generation import MAX_ANSWER_CHARS, MAX_WORD_CHARS, UNFINISHED
from chatbots.answering.prompt_record import keep_sources
from chatbots.answering.refusals import get_refusal_sentence
from chatbots.conversations.asking import QuestionRefused, ask, ask_again
from chatbots.conversations.audience import MemberPolicy
from chatbots.conversations.thread import load_exchange
from chatbots.models import Chatbot, Message, MessageSource, MessageStatus, Mode, WhenUnsure
from chatbots.streaming import jobs, ticker
from chatbots.tasks import interrupt_abandoned_answers
from engines.errors import ModelUnavailable
from knowledge.models import PersonalDocument
from tests.answering_here import count_lent_connections
from tests.factories import Cast, answer, finish_answers, make_chatbot, make_message
from tests.running import wait_for
from tests.scripted import Finish, ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]

QUESTION = "How strong may hydrochloric acid be?"
OFF_TOPIC = "Who won the football world cup in 1954?"


def test_an_answer_is_stored_with_its_sources(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Year 9 uses 0.5 mol/l [1], at most 1 mol/l is allowed [2].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, message.mode, message.model) == (
        MessageStatus.DONE,
        Mode.GROUNDED,
        "Scripted model",
    )
    assert message.answer == "Year 9 uses 0.5 mol/l [1], at most 1 mol/l is allowed [2]."
    first, second = message.sources.filter(number__lte=2)
    assert {first.kind, second.kind} == {"personal", "school"}
    own = message.sources.get(kind="personal", excerpt__contains="0.5 mol/l")
    document = PersonalDocument.objects.get()
    assert (own.document_id, own.document_title, own.version, own.weight) == (document.pk, "acids", 1, 60)
    assert own.heading_path == ["Year 9 acids", "Practical"]
    assert 0.5 <= own.relevance <= 1
    assert set(message.sources.filter(is_cited=True).values_list("number", flat=True)) == {1, 2}
    assert set(message.timings) == {"embed_ms", "first_token_ms", "read_ms", "search_ms", "total_ms"}


def test_sources_come_before_the_text(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    events = list(answer(message.pk))
    assert events[0].kind == Kind.SOURCES
    assert events[-1].kind == Kind.DONE
    assert all(event.kind == Kind.TEXT for event in events[1:-1])


def test_what_the_model_is_given(people: Cast, chatbot: Chatbot, model: Model) -> None:
    chatbot.instructions = "Speak like a pirate."
    chatbot.save()
    message = make_message(people.alice, chatbot, QUESTION)
    (prompt,) = model.history
    assert "Speak like a pirate." in prompt.messages[0].content
    sources = list(message.sources.all())
    assert [p.number for p in prompt.passages] == [source.number for source in sources]
    assert [p.text for p in prompt.passages] == [source.text for source in sources]
    assert all(f'<source number="{source.number}"' in prompt.messages[-1].content for source in sources)


def test_the_last_five_exchanges_are_in_the_prompt(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(*[f"Answer {n} [1]" for n in range(7)])
    chat = make_message(people.alice, chatbot, QUESTION).chat
    for n in range(1, 7):
        make_message(people.alice, chatbot, f"{QUESTION} {n}", chat=chat)
    turns = model.history[-1].messages
    assert [turn.content for turn in turns[1:-1:2]] == [f"{QUESTION} {n}" for n in range(1, 6)]
    assert turns[2].content == "Answer 1"


def test_nothing_relevant_is_refused_without_asking_the_model(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, OFF_TOPIC)
    assert (message.mode, message.answer) == (Mode.REFUSED, get_refusal_sentence("en"))
    assert not model.history
    assert not message.sources.exists()


def test_the_refusal_is_in_the_chatbots_language(people: Cast, chatbot: Chatbot, model: Model) -> None:
    chatbot.language = "de"
    chatbot.save()
    assert make_message(people.alice, chatbot, OFF_TOPIC).answer.startswith("Das kann ich aus den Quellen")


def test_general_knowledge_is_used_and_marked_where_the_teacher_chose_it(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    chatbot.when_unsure = WhenUnsure.GENERAL
    chatbot.save()
    model.enqueue("West Germany did [1].")
    message = make_message(people.alice, chatbot, OFF_TOPIC)
    assert (message.mode, message.answer) == (Mode.GENERAL, "West Germany did.")
    assert not message.sources.exists()


def test_without_a_language_model_general_knowledge_is_refused(people: Cast, chatbot: Chatbot) -> None:
    chatbot.when_unsure = WhenUnsure.GENERAL
    chatbot.save()
    assert make_message(people.alice, chatbot, OFF_TOPIC).mode == Mode.REFUSED


def test_the_model_may_refuse_after_reading(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(get_refusal_sentence("en"))
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.mode, len(model.history)) == (Mode.REFUSED, 1)


def test_a_wrong_citation_is_asked_for_once_more(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Wrong [9].", "Right [1].")
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    events = list(answer(message.pk))
    assert [event.prompt for event in events if event.kind == Kind.DROPPED] == [model.history[1]]
    message.refresh_from_db()
    assert (message.answer, message.notice) == ("Right [1].", "")


def test_a_citation_that_stays_wrong_is_removed_and_said(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Wrong [9].", "Wrong again [8], right [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.answer == "Wrong again, right [1]."
    assert "do not exist" in message.notice


def test_a_second_attempt_that_fails_leaves_the_first(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("A full good answer [1] and [9].", ModelUnavailable("Down."))
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, message.answer) == (MessageStatus.DONE, "A full good answer [1] and.")
    assert "do not exist" in message.notice


def test_sources_that_cannot_be_searched_are_no_refusal(people: Cast, chatbot: Chatbot, model: Model) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE school_library_schoolchunk RENAME TO away")
        cursor.execute("ALTER TABLE knowledge_personalchunk RENAME TO gone")
    try:
        message = make_message(people.alice, chatbot, QUESTION)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE away RENAME TO school_library_schoolchunk")
            cursor.execute("ALTER TABLE gone RENAME TO knowledge_personalchunk")
    assert (message.status, message.mode) == (MessageStatus.FAILED, "")
    assert "could not be searched" in message.notice


def test_a_model_that_is_down_keeps_question_and_sources(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(ModelUnavailable("The language model cannot be reached."), "Now it works [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, message.notice) == (MessageStatus.FAILED, "The language model cannot be reached.")
    assert message.sources.exists()
    again = ask_again(message=message)
    list(answer(again.pk))
    again.refresh_from_db()
    assert (again.status, again.answer, again.notice) == (MessageStatus.DONE, "Now it works [1].", "")


def test_a_model_that_breaks_off_says_so(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(["Half an ", RuntimeError("boom")])
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, message.answer) == (MessageStatus.FAILED, "Half an")
    assert "boom" not in message.notice


def test_an_answer_without_end_is_cut_after_a_word(people: Cast, chatbot: Chatbot, model: Model) -> None:
    beyond = ModelUnavailable("This must not be asked for any more.")
    words = " ".join(f"word{number:05}" for number in range(3000))
    model.enqueue(["[1] " + words[:30_000], " and a half ", words[-5000:], *["x" * 50] * 3, beyond])
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, len(model.history)) == (MessageStatus.DONE, 1)
    assert "too long and was cut here" in message.notice
    assert re.search(r" word\d{5}$", message.answer)
    assert MAX_ANSWER_CHARS <= len(message.answer) < MAX_ANSWER_CHARS + 10
    model.enqueue(["[1]" + "0" * MAX_ANSWER_CHARS, "1" * 1000, beyond])
    assert len(make_message(people.alice, chatbot, QUESTION).answer) == MAX_ANSWER_CHARS + MAX_WORD_CHARS


def test_a_message_is_answered_once(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    assert list(answer(message.pk)) == []
    assert len(model.history) == 1


def test_the_same_form_sent_twice_makes_one_message(people: Cast, chatbot: Chatbot) -> None:
    key = make_message(people.alice, chatbot, QUESTION, answered=False).pk
    again = ask(policy=MemberPolicy(people.alice), chatbot=chatbot, question=QUESTION, message_id=key)
    assert again.pk == key
    assert chatbot.chats.count() == 1


def test_another_question_from_a_page_brought_up_again_is_not_lost(people: Cast, chatbot: Chatbot) -> None:
    key = make_message(people.alice, chatbot, QUESTION, answered=False).pk
    other = ask(
        policy=MemberPolicy(people.alice), chatbot=chatbot, question="And what is homework club?", message_id=key
    )
    assert other.pk != key
    assert other.question == "And what is homework club?"


@pytest.mark.parametrize("question", ["", "  \n ", "\x00", "x" * 2001])
def test_odd_questions_are_refused_in_words(people: Cast, chatbot: Chatbot, question: str) -> None:
    with pytest.raises(QuestionRefused):
        ask(policy=MemberPolicy(people.alice), chatbot=chatbot, question=question)
    assert not chatbot.chats.exists()


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_the_model_writes(people: Cast, chatbot: Chatbot, model: Model) -> None:
    writing = threading.Event()
    model.enqueue(["One ", writing, "two [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    before = count_lent_connections()
    job = jobs.start(message)
    wait_for(lambda: job.state.text == "One")
    wait_for(lambda: count_lent_connections() <= before)
    writing.set()
    finish_answers()


def test_nobody_waits_for_an_answer_in_the_transaction_that_starts_it(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    with transaction.atomic():
        job = jobs.start(message)
        with pytest.raises(AssertionError, match="after the transaction"):
            job.wait()
    job.wait()
    message.refresh_from_db()
    assert message.status == MessageStatus.DONE


def test_an_answer_whose_writer_died_ends_as_interrupted(people: Cast, chatbot: Chatbot, model: Model) -> None:
    dead = make_message(people.alice, chatbot, answered=False)
    alive = make_message(people.alice, chatbot, answered=False)
    long_ago = timezone.now() - timedelta(seconds=ticker.ABANDONED + 1)
    type(dead).objects.filter(pk=dead.pk).update(status=MessageStatus.WRITING, heartbeat_at=long_ago)
    assert interrupt_abandoned_answers() == 1
    dead.refresh_from_db()
    alive.refresh_from_db()
    assert (dead.status, alive.status) == (MessageStatus.INTERRUPTED, MessageStatus.PENDING)
    assert "try again" in dead.notice


def test_the_extractive_answerer_quotes_the_sources(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.status == MessageStatus.DONE
    assert "“" in message.answer
    cited = message.sources.filter(is_cited=True)
    assert cited
    assert "0.5 mol/l" in message.answer or "1 mol/l" in message.answer


def test_without_documents_it_refuses(people: Cast, model: Model) -> None:
    assert make_message(people.alice, make_chatbot(people.alice), QUESTION).mode == Mode.REFUSED


def test_citations_are_held_against_their_passages(people: Cast, chatbot: Chatbot, model: Model) -> None:
    make_message(people.alice, chatbot, QUESTION)
    (prompt,) = model.history
    year9 = next(one.number for one in prompt.passages if "0.5 mol/l" in one.text)
    other = next(one.number for one in prompt.passages if "0.5 mol/l" not in one.text)
    model.enqueue(
        f"For year 9 the hydrochloric acid is kept at 0.5 mol/l [{year9}]. "
        f"For year 9 the hydrochloric acid is kept at 0.5 mol/l [{other}]. Dr Zorro wrote so in 1931."
    )
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.support["0"] == ["supported", None]
    assert message.support["1"] == ["not found", year9]
    assert [message.answer[start:end] for start, end in message.unfounded] == ["Dr Zorro wrote so in 1931."]
    assert message.doubts == (
        "Check this answer: 1 citation not found in the passage cited (✗), 1 part in no passage (underlined)."
    )


def test_an_answer_that_holds_raises_no_doubt(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    assert {state for state, _ in message.support.values()} == {"supported"}
    assert (message.unfounded, message.doubts) == ([], "")


def test_a_refusal_and_a_general_answer_have_nothing_to_check(people: Cast, chatbot: Chatbot, model: Model) -> None:
    assert make_message(people.alice, chatbot, OFF_TOPIC).support == {}
    chatbot.when_unsure = WhenUnsure.GENERAL
    chatbot.save()
    model.enqueue("It was Germany in 1954.")
    assert make_message(people.alice, chatbot, OFF_TOPIC).unfounded == []


def test_an_answer_that_cannot_be_checked_stands(
    people: Cast, chatbot: Chatbot, model: Model, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*args: object, **options: object) -> None:
        raise RuntimeError("A language without stems.")

    monkeypatch.setattr("chatbots.answering.generation.verify_claims", break_down)
    model.enqueue("At most 1 mol/l is allowed [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, message.answer) == (MessageStatus.DONE, "At most 1 mol/l is allowed [1].")
    assert (message.support, message.unfounded, message.notice) == ({}, [], "")
    assert message.sources.get(is_cited=True).number == 1
    assert "could not be checked" in caplog.text


def test_any_number_of_sources_is_stored_by_one_statement(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    stored = [
        {field.name: getattr(one, field.attname) for field in one._meta.concrete_fields}
        for one in message.sources.all()
    ]
    assert len(stored) > 1
    sources = list(message.sources.all())
    message.sources.all().delete()
    with CaptureQueriesContext(connection) as asked:
        MessageSource.objects.insert(sources[:1])
        MessageSource.objects.insert(sources[1:])
    first, second = (one["sql"].partition("json_populate_recordset")[0] for one in asked.captured_queries)
    assert first == second
    assert [
        {field.name: getattr(one, field.attname) for field in one._meta.concrete_fields}
        for one in message.sources.all()
    ] == stored


def test_a_stored_source_keeps_every_value(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    (row, *_) = message.sources.all()
    message.sources.all().delete()
    odd = 'He said “a\\b”, "c" {d} NULL \n\t %s 🧪 \u2028'
    values = {
        "document_id": None,
        "version": None,
        "address": "https://example.org/a?b=%20c",
        "read_at": datetime(2026, 3, 29, 1, 59, 59, 123456, tzinfo=ZoneInfo("Europe/Berlin")),
        "heading_path": [odd, "", "{}", "NULL"],
        "also_in": [odd],
        "excerpt": odd,
        "text": "",
        "page": None,
        "certainty": None,
        "relevance": 0.1 + 0.2,
        "standing": {"b": 1, "a": [odd, None, 0.5], "": {}},
        "is_recognised": True,
    }
    for name, value in values.items():
        setattr(row, name, value)
    MessageSource.objects.insert([row])
    stored = MessageSource.objects.get(pk=row.pk)
    assert {name: getattr(stored, name) for name in values} == values
    assert (stored.school_id, stored.message_id) == (row.school_id, row.message_id)


def test_an_exchange_shows_the_sources_of_its_writer(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Year 9 uses 0.5 mol/l [1].")
    written = make_message(people.alice, chatbot, QUESTION)
    keep_sources(written, written.sources.all())
    row = Message.objects.get(pk=written.pk)
    with CaptureQueriesContext(connection) as asked:
        shown = load_exchange(row, [row], written=written).message
        assert [(one.number, one.is_cited) for one in shown.sources.all()][:2] == [(1, True), (2, False)]
        assert not hasattr(shown, "feedback")
    assert len(asked) == 0


def test_the_sources_of_an_answer_that_failed_are_read_anew(people: Cast, chatbot: Chatbot, model: Model) -> None:
    """Its citations are marked after its writer has let go of it."""
    model.enqueue(["Year 9 uses 0.5 mol/l [1].", ModelUnavailable("gone")])
    written = make_message(people.alice, chatbot, QUESTION)
    assert written.status == MessageStatus.FAILED
    keep_sources(written, [])
    row = Message.objects.get(pk=written.pk)
    assert next(one.is_cited for one in load_exchange(row, [row], written=written).message.sources.all())


@pytest.mark.parametrize("reason", ["length", "content_filter", "incomplete"])
def test_why_a_model_ended_is_kept_and_said(people: Cast, chatbot: Chatbot, model: Model, reason: str) -> None:
    model.enqueue(["At most 1 mol/l [1].", Finish(reason)])
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.status, message.finish_reason) == (MessageStatus.DONE, reason)
    assert message.answer == "At most 1 mol/l [1]."
    assert message.notice == UNFINISHED[reason]
    shown = load_exchange(message)
    page = render_to_string("chatbots/_exchange.html", {"exchange": shown, "message": shown.message})
    assert escape(UNFINISHED[reason]) in page
