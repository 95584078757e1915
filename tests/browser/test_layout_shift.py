"""Nothing on a page of a conversation jumps while it loads, while an answer is written, or when it is finished."""

import threading

import pytest
from playwright.sync_api import expect

from chatbots.models import Chatbot
from tests.browser.conftest import Desk
from tests.factories import Cast, make_message
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser
Model = type[ScriptedLLM]
QUESTION = "How strong is the hydrochloric acid?"
MAX_SHIFT = 0.05

OBSERVE = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) {
    if (!one.hadRecentInput) shifts.push([one.value, one.sources.map((source) => source.node?.className).join()]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
"""What has moved by itself since the page was opened; a shift within half a second of an action does not count."""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("is_first", [True, False], ids=["first", "second"])
def test_a_question_and_its_answer_shift_nothing(
    desk: Desk, people: Cast, chatbot: Chatbot, model: Model, width: int, is_first: bool
) -> None:
    address = f"/chatbots/{chatbot.pk}/"
    if not is_first:
        model.enqueue("It has 0.5 mol/l [1].")
        address = f"/chats/{make_message(people.alice, chatbot, QUESTION).chat_id}/"
    hold = threading.Event()
    words = [piece for n in range(12) for piece in (f"Sentence {n} of the answer about acids [1]. ", 0.02)]
    model.enqueue([0.7, *words, "\n\n- one\n- two\n\n", hold, *words])
    page = desk.sign_in(people.alice, viewport={"width": width, "height": 844 if width == 390 else 800})
    page.add_init_script(OBSERVE)
    page.goto(address)
    page.fill("#question", f"{QUESTION} Again?")
    page.click("#composer form button")
    turn = page.locator("#turns > .turn").last
    expect(turn.locator(".answer-text li")).to_have_count(2)
    page.wait_for_timeout(600)
    hold.set()
    expect(turn.locator(".answer[data-finished]")).to_contain_text("Sentence 11")
    page.wait_for_timeout(300)
    shifts = page.evaluate("shifts")
    assert sum(value for value, _ in shifts) < MAX_SHIFT, shifts
