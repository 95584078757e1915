"""A model’s text that names no source, goes round in circles or copies marks of the prompt is no answer: quotations
take its place, and it stays folded below (C11)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.answering.draft import Kind
from chatbots.answering.generation import NOT_QUOTED, QUOTED
from chatbots.answering.prompts import RETRY_TEMPERATURE
from chatbots.answering.refusals import get_refusal_sentence
from chatbots.conversations import asking
from chatbots.models import Chatbot, Message, Mode, WhenUnsure
from chatbots.quoting.answerer import ExtractiveAnswerer
from engines.errors import EmbeddingUnavailable, ModelUnavailable
from learning.planning.making import make_next_plan
from learning.planning.services import create_plan
from tests.classrooms.classes import come_in, make_asked, open_class, page
from tests.factories import Cast, answer, make_message, personal_document, signed_in
from tests.learning.plans import RIVERS
from tests.scripted import Finish, ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"
WRONG = "Acid may be as strong as you like."
QUOTED_ACID = "“Year 9 uses 0.5 mol/l hydrochloric acid.” [1]"
BEYOND = ModelUnavailable("This must not be asked for any more.")


def is_quoted(message: Message, notice: str) -> None:
    assert (message.status, message.mode, message.model) == ("done", Mode.GROUNDED, ExtractiveAnswerer.name)
    assert "” [1]" in message.answer and "No language model is set up" not in message.answer
    assert message.sources.get(number=1).is_cited and message.support["0"][0] == "supported"
    assert message.notice.startswith(f"{notice} {QUOTED}") and message.finish_reason == "stop"


def test_a_model_that_names_no_source_twice_is_replaced_by_quotations(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("Just so.", WRONG)
    message = make_message(people.alice, chatbot, QUESTION)
    is_quoted(message, "The model named no source for its answer.")
    assert message.model_text == WRONG
    assert message.prompt_record.answerer == model.name


def test_the_second_try_says_what_was_wrong(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Just so.", "Right [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.answer, message.model_text, message.notice) == ("Right [1].", "", "")
    first, second = (one.messages[-1].content for one in model.history)
    assert second.startswith(first) and "it named no source" in second.removeprefix(first)
    assert [one.temperature for one in model.history] == [None, RETRY_TEMPERATURE]
    assert message.prompt_record.turns == [asdict(turn) for turn in model.history[1].messages]


@pytest.mark.parametrize(
    ("text", "told", "notice"),
    [
        (f"{WRONG} [1] " * 3, "it said the same again", "The model repeated itself without end."),
        ("Fine [1]. </source>\n<source> <source>", "it copied marks", "The model copied its instructions."),
        ("Wrong [9].", "no source has", "The model cited only sources that do not exist."),
    ],
)
def test_what_else_is_asked_for_again_and_replaced(
    people: Cast, chatbot: Chatbot, model: Model, text: str, told: str, notice: str
) -> None:
    model.enqueue(text, text)
    is_quoted(make_message(people.alice, chatbot, QUESTION), notice)
    assert told in model.history[1].messages[-1].content


@pytest.mark.parametrize("text", ["Write `<source>` in HTML [1].", "```html\n<source>\n```\n [1]", "5 < 6 > 4 [1]."])
def test_code_is_no_copy_of_the_prompt(people: Cast, chatbot: Chatbot, model: Model, text: str) -> None:
    model.enqueue(text)
    assert make_message(people.alice, chatbot, QUESTION).model_text == ""


def test_a_model_that_goes_round_in_circles_is_stopped_while_it_writes(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    circles = [f"{WRONG} "] * 6
    model.enqueue([*circles, BEYOND], [*circles, BEYOND])
    message = make_message(people.alice, chatbot, QUESTION)
    is_quoted(message, "The model repeated itself without end.")
    assert WRONG in message.model_text


@pytest.mark.parametrize(
    "text",
    ["Year 9 uses 5 mol/l hydrochloric acid [1].", "Year 9 does not use 0.5 mol/l hydrochloric acid [1]."],
)
def test_a_model_that_contradicts_its_sources_is_replaced(
    people: Cast, chatbot: Chatbot, model: Model, text: str
) -> None:
    model.enqueue(text)
    message = make_message(people.alice, chatbot, QUESTION)
    is_quoted(message, "The sources say otherwise than the model.")
    assert (message.model_text, len(model.history)) == (text, 1)


def test_programs_are_told_what_no_passage_says(people: Cast, chatbot: Chatbot, model: Model, alice: Client) -> None:
    model.enqueue(
        "Year 9 uses 0.5 mol/l hydrochloric acid [1]. Professor Zorro recommends swimming every single morning."
    )
    message = make_message(people.alice, chatbot, QUESTION)
    body: dict[str, Any] = alice.get(f"/api/v1/messages/{message.pk}").json()
    assert body["unfounded"] == ["Professor Zorro recommends swimming every single morning."]


def test_readers_are_told_that_the_text_is_dropped(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Just so.", WRONG)
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    text, dropped, finished = "", 0, None
    for event in answer(message.pk):
        match event.kind:
            case Kind.TEXT:
                text += event.text
            case Kind.DROPPED:
                text, dropped = "", dropped + 1
            case Kind.DONE:
                finished = event.draft
    assert finished and (text, dropped) == (finished.text, 2)


def test_what_was_cut_is_not_asked_for_again(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue([WRONG, Finish("length")])
    message = make_message(people.alice, chatbot, QUESTION)
    is_quoted(message, "The model named no source for its answer.")
    assert (len(model.history), message.prompt_record.times) == (1, 1)


def test_a_model_that_is_down_the_second_time_is_replaced_by_quotations(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(WRONG, ModelUnavailable("Down."))
    message = make_message(people.alice, chatbot, QUESTION)
    is_quoted(message, "The model named no source for its answer.")
    assert message.model_text == WRONG


def test_where_nothing_can_be_quoted_it_is_refused(
    people: Cast, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable() -> None:
        raise EmbeddingUnavailable("The model is not on this machine.")

    monkeypatch.setattr("chatbots.quoting.answerer.get_embedder", unavailable)
    model.enqueue(WRONG, WRONG)
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.mode, message.answer) == (Mode.REFUSED, get_refusal_sentence("en"))
    assert message.notice == f"The model named no source for its answer. {NOT_QUOTED}"
    assert message.model_text == WRONG
    assert WRONG in signed_in(people.alice).get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()


def test_a_refusal_of_the_model_stays_one(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(f"{get_refusal_sentence('en')} " * 3)
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.mode, message.model_text, len(model.history)) == (Mode.REFUSED, "", 1)


def test_general_answers_need_no_source(people: Cast, chatbot: Chatbot, model: Model) -> None:
    Chatbot.objects.update(when_unsure=WhenUnsure.GENERAL)
    said = f"{WRONG} " * 4 + "<source>"
    model.enqueue(said)
    message = make_message(people.alice, Chatbot.objects.get(), "Who won the football championship in 1954?")
    assert (message.mode, message.answer, message.model_text) == (Mode.GENERAL, said, "")
    assert model.history[0].temperature is None


def test_a_general_answer_that_goes_round_in_circles_is_stopped(people: Cast, chatbot: Chatbot, model: Model) -> None:
    Chatbot.objects.update(when_unsure=WhenUnsure.GENERAL)
    model.enqueue([f"{WRONG} "] * 50)
    message = make_message(people.alice, Chatbot.objects.get(), "Who won the football championship in 1954?")
    assert message.mode == Mode.GENERAL and message.notice == "The model repeated itself without end."
    assert 3 <= message.answer.count(WRONG) < 10


def test_every_page_and_file_of_the_teacher_has_both(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Just so.", f"{WRONG} <b>&</b>")
    message = make_message(people.alice, chatbot, QUESTION)
    alice = signed_in(people.alice)
    for name in ("chat", "print-chat"):
        html = alice.get(reverse(f"chatbots:{name}", args=[message.chat_id])).content.decode()
        assert "The model’s own text, without sources" in html
        assert f"{WRONG} &lt;b&gt;&amp;&lt;/b&gt;" in html, name
        assert "named no source" in html and "Answers are quotations, word for word" not in html
    exported = alice.get(reverse("chatbots:export-chat", args=[message.chat_id])).content.decode()
    assert f"> {WRONG}" in exported and "The model’s own text, without sources" in exported
    given = alice.get(reverse("chatbots:given-prompt", args=[message.pk])).content.decode()
    assert "quotations that stand in its place" in given and "What the model was given" in given


def test_programs_get_it_as_a_field(people: Cast, chatbot: Chatbot, model: Model, alice: Client) -> None:
    model.enqueue("Just so.", WRONG)
    message = make_message(people.alice, chatbot, QUESTION)
    body: dict[str, Any] = alice.get(f"/api/v1/messages/{message.pk}").json()
    assert (body["model_text"], body["answer"]) == (WRONG, message.answer)


def test_a_selected_text_is_quoted_from_its_relevant_parts(people: Cast, model: Model) -> None:
    glass = "Glass is made by melting sand with soda ash and limestone at 1700 degrees. " * 40
    tides = "Spring tides, which are the highest, come when the Sun and the Moon pull in one line."
    model.enqueue(WRONG, WRONG, WRONG, WRONG)
    for question, mode in (("When are tides the highest?", Mode.SELECTION), ("Who won in 1954?", Mode.REFUSED)):
        message = asking.ask_about_selection(member=people.alice, question=question, text=f"{glass}\n\n{tides}")
        list(answer(message.pk))
        message.refresh_from_db()
        assert (message.mode, message.model_text) == (mode, WRONG)
        assert (tides[:40] in message.answer) is (mode == Mode.SELECTION)
    assert not message.sources.filter(is_cited=True).exists()


@pytest.mark.needs("learning")
def test_a_tutor_that_hints_names_words_of_a_quotation(people: Cast, model: Model) -> None:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    plan = create_plan(member=people.alice, title="Rivers", documents=[own.pk], tutor_style="hints")
    model.enqueue(*["not JSON"] * 40)
    make_next_plan()
    plan.refresh_from_db()
    model.reset()
    model.enqueue(WRONG, WRONG)
    message = make_message(people.alice, plan.tutor, "What is deposition?")
    assert "ask again to see the answer" in message.answer and message.model_text == WRONG


@pytest.mark.needs("classrooms")
def test_pupils_see_the_quotations_only(people: Cast, chatbot: Chatbot, model: Model) -> None:
    link = open_class(people.alice, chatbot)
    computer, pupil = come_in(link)
    model.enqueue("Just so.", WRONG)
    message = make_asked(pupil, chatbot)
    is_quoted(message, "The model named no source for its answer.")
    for name, about in (("chat", message.chat_id), ("exchange", message.pk)):
        html = computer.get(page(name, link, about)).content.decode()
        assert "mol/l" in html and WRONG not in html
    assert WRONG.encode() not in computer.get(page("own-data-file", link)).content
    shown = signed_in(people.alice).get(reverse("classrooms:answer", args=[message.pk])).content.decode()
    assert WRONG in shown and "The model’s own text, without sources" in shown
