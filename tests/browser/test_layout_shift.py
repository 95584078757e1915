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
    if (!one.hadRecentInput && one.startTime >= (window.asked ?? 0)) {
      shifts.push([one.value, one.sources.map((source) => source.node?.className).join()]);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
"""What has moved by itself since the page was opened; a shift within half a second of an action does not count."""

ASKED = """
() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  window.asked = performance.now();
  shifts.length = 0;
  resolve();
})))
"""
"""Begin anew when the new question stands on the page, however long that took."""


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
    loading = page.evaluate("shifts")
    page.click("#composer form button")
    turns = page.locator("#turns > .turn")
    expect(turns).to_have_count(1 if is_first else 2)
    page.evaluate(ASKED)
    turn = turns.last
    expect(turn.locator(".answer-text li")).to_have_count(2)
    page.wait_for_timeout(600)
    hold.set()
    expect(turn.locator(".answer[data-finished]")).to_contain_text("Sentence 11")
    page.wait_for_timeout(300)
    shifts = loading + page.evaluate("shifts")
    assert sum(value for value, _ in shifts) < MAX_SHIFT, shifts
