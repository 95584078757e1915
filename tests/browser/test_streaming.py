"""An answer while it is written: sources first, text so far after a reload, the rest for whoever comes back (C2)."""

import threading

import pytest
from django.db import connection
from django.utils import timezone
from playwright.sync_api import expect

from chatbots.models import Chatbot, Message
from chatbots.streaming import jobs
from engines.errors import ModelUnavailable
from tests.browser.conftest import Desk
from tests.factories import Cast, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser
Model = type[ScriptedLLM]
QUESTION = "How strong is the hydrochloric acid?"


def test_sources_stand_before_the_text_and_text_comes_in_pieces(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    before, between = threading.Event(), threading.Event()
    model.enqueue([before, "It has ", between, "0.5 mol/l [1]."])
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    turn = page.locator(".turn")
    expect(turn.locator(".note").first).to_contain_text("0.5 mol/l")
    expect(turn.locator(".answer-text")).not_to_contain_text("It has")
    before.set()
    expect(turn.locator(".answer-text")).to_have_text("It has ")
    between.set()
    expect(turn.locator(".answer[data-finished]")).to_contain_text("It has 0.5 mol/l")
    expect(turn.locator(".cite")).to_have_text("[1]")


def test_markdown_is_shown_as_it_will_stay(desk: Desk, people: Cast, chatbot: Chatbot, model: Model) -> None:
    hold = threading.Event()
    table = "| Acid | Strength |\n| --- | --- |\n| hydrochloric | **0.5** |\n"
    model.enqueue(["It is **strong** [1], $c = 0.5$.\n\n", table, "\n<b>Not</b> **wea", hold, "k** [1]."])
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    text = page.locator(".answer-text")
    expect(text.locator("p").last).to_have_text("<b>Not</b> wea")
    expect(text.locator("strong")).to_have_text(["strong", "0.5", "wea"])
    expect(text.locator("math")).to_have_count(1)
    expect(text.locator("td")).to_have_count(2)
    expect(text.locator(".cite")).to_have_text("[1]")
    place = "part => part.getBoundingClientRect().top + scrollY"
    before = [text.locator(part).evaluate(place) for part in ("table", "p:has-text('<b>')")]
    hold.set()
    answer = page.locator(".answer[data-finished]")
    expect(answer.locator("p:has-text('<b>')")).to_contain_text("<b>Not</b> weak")
    wait_for(lambda: [answer.locator(part).evaluate(place) for part in ("table", "p:has-text('<b>')")] == before)


def test_reload_in_the_middle_shows_the_text_so_far_and_then_the_rest(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    go_on = threading.Event()
    chat = make_message(people.alice, chatbot, QUESTION).chat
    model.enqueue(["The first half ", go_on, "and the second [1]."])
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{chat.pk}/")
    page.fill("#question", f"{QUESTION} Again?")
    page.click(".composer button")
    turn = page.locator(".turn").nth(1)
    expect(turn.locator(".answer-text")).to_contain_text("The first half")
    expect(page.locator("#question")).to_have_value("")
    page.reload()
    expect(turn.locator(".answer-text")).to_contain_text("The first half")
    expect(turn.locator(".note").first).to_be_visible()
    other = desk.sign_in(people.alice)
    other.goto(f"/chats/{chat.pk}/")
    expect(other.locator(".turn").nth(1).locator(".answer-text")).to_contain_text("The first half")
    go_on.set()
    for window in (page, other):
        finished = window.locator(".turn").nth(1).locator(".answer[data-finished]")
        expect(finished).to_contain_text("The first half and the second [1✗]")
    assert Message.objects.filter(status="done").count() == 2


def test_an_answer_is_done_when_it_is_checked(desk: Desk, people: Cast, chatbot: Chatbot, model: Model) -> None:
    goes_on = threading.Event()
    model.enqueue(["It has 0.5 mol/l [1]. Dr Zorro said ", goes_on, "so [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{message.chat_id}/")
    expect(page.locator(".answer.writing")).to_be_visible()
    jobs.start(message)
    expect(page.locator(".answer.writing")).to_contain_text("Dr Zorro")
    late = desk.sign_in(people.alice)
    late.goto(f"/chats/{message.chat_id}/")
    expect(late.locator(".answer.writing")).to_contain_text("Dr Zorro")
    goes_on.set()
    for window in (page, late):
        expect(window.locator(".answer[data-finished]")).to_contain_text("Dr Zorro said so")
        expect(window.locator(".answer[data-finished] .weak").first).to_contain_text("Check this answer")
        expect(window.locator(".turn")).to_have_count(1)
    finish_answers()


def test_a_fault_is_told_and_not_asked_for_again_and_again(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    row = Message.objects.filter(pk=message.pk)
    row.update(status="writing", heartbeat_at=timezone.now())
    page = desk.sign_in(people.alice)
    page.add_init_script(
        "window.sources = []; window.EventSource = class extends EventSource {"
        "constructor(...of) { super(...of); sources.push(this) } }"
    )
    page.goto(f"/chats/{message.chat_id}/")
    turn = page.locator(".turn")
    expect(turn.locator(".answer-text")).to_contain_text(message.answer.removesuffix(" [1]"))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE chatbots_messagesource RENAME TO away")
        try:
            row.update(status="done")
            expect(turn.locator(".answer")).to_contain_text("Something went wrong on our side")
        finally:
            cursor.execute("ALTER TABLE away RENAME TO chatbots_messagesource")
    page.wait_for_function("sources.length === 1 && sources[0].readyState === EventSource.CLOSED")
    expect(turn.locator(".answer-text")).to_contain_text(message.answer.removesuffix(" [1]"))
    turn.get_by_role("link", name="look again").click()
    expect(turn.locator(".answer[data-finished]")).to_contain_text("The source says")


def test_leaving_loses_nothing(desk: Desk, people: Cast, chatbot: Chatbot, model: Model) -> None:
    go_on = threading.Event()
    model.enqueue(["Written while ", go_on, "nobody looks [1]."])
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.fill("#question", QUESTION)
    page.click(".composer button")
    expect(page.locator(".answer-text")).to_contain_text("Written while")
    chat = page.url
    page.goto("/documents/")
    go_on.set()
    wait_for(lambda: Message.objects.filter(status="done").exists())
    page.goto(chat)
    expect(page.locator(".answer")).to_contain_text("Written while nobody looks")


def test_a_model_that_is_down_keeps_the_question_and_can_be_asked_again(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(ModelUnavailable("The language model cannot be reached."), "Now it works [1].")
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.fill("#question", QUESTION)
    page.click(".composer button")
    expect(page.locator(".answer[data-finished]")).to_contain_text("cannot be reached")
    expect(page.locator(".question")).to_have_text(QUESTION)
    expect(page.locator(".note").first).to_be_attached()
    page.click("button:has-text('Try again')")
    expect(page.locator(".answer[data-finished]")).to_contain_text("Now it works")


def test_a_citation_shows_its_source_on_focus_and_hover(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("It has 0.5 mol/l [1].")
    chat = make_message(people.alice, chatbot, QUESTION).chat
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{chat.pk}/")
    tip = page.locator(".cite-tip")
    expect(tip).to_be_hidden()
    page.locator(".cite").hover()
    expect(tip).to_be_visible()
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    page.locator(".cite").focus()
    expect(tip).to_contain_text("acids")


def test_who_has_an_answer_written_again_by_keyboard_goes_on_from_there(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    go_on = threading.Event()
    chat = make_message(people.alice, chatbot, QUESTION).chat
    model.enqueue(["It has ", go_on, "0.5 mol/l [1]."])
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{chat.pk}/")
    page.get_by_role("button", name="Answer again").press("Enter")
    expect(page.locator(".answer.writing")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    go_on.set()
    expect(page.locator(".answer[data-finished]")).to_be_focused()
