"""The field for questions: what is typed is neither sent, cut nor lost unasked; and how questions and answers look."""

import pytest
from playwright.sync_api import Page, expect

from chatbots.models import Chatbot, Message
from tests.browser.conftest import Desk
from tests.browser.test_classes import PHONE, come_in, send
from tests.classrooms.classes import open_class
from tests.factories import Cast, make_chatbot, make_helper, make_message, personal_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser
QUESTION = "How strong is the hydrochloric acid?"
WIDE = {"width": 1280, "height": 900}
CONFIRM = """field => field.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }))"""
HEBREW = "# מאדים\n\nמאדים הוא כוכב הלכת הרביעי מהשמש. למאדים יש שני ירחים קטנים.\n"


def field(page: Page) -> str:
    return page.get_by_label("Your question").input_value()


def direction(page: Page, of: str) -> str:
    found: str = page.locator(of).first.evaluate("one => getComputedStyle(one).direction + ' ' + one.lang")
    return found


def test_enter_that_confirms_a_word_of_an_input_method_sends_nothing(
    desk: Desk, people: Cast, chatbot: Chatbot
) -> None:
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.fill("#question", "にほん")
    page.wait_for_load_state()
    page.locator("#question").evaluate(CONFIRM)
    page.reload()  # where it was sent it would be gone
    assert (field(page), Message.objects.count()) == ("にほん", 0)
    page.locator("#question").press("Enter")
    expect(page.locator(".question")).to_have_text("にほん")


def test_a_long_question_is_told_and_kept(desk: Desk, people: Cast, chatbot: Chatbot) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    page = desk.sign_in(people.alice, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/chats/{chat.pk}/")
    long = "why " * 600 + "at last?"
    page.evaluate("text => navigator.clipboard.writeText(text)", long)
    page.locator("#question").press("Control+V")
    expect(page.locator("#count-question")).to_have_text(
        "2,408 of 2,000 characters. At most 2,000 characters are possible. Please shorten it."
    )
    expect(page.locator("#question")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#question")).to_have_attribute("aria-describedby", "count-question")
    page.locator("#question").press("Enter")
    assert field(page) == long
    assert Message.objects.count() == 1
    page.locator("#ask-form").evaluate("form => (form.noValidate = true)")  # a browser that does not ask
    page.locator("#question").press("Enter")
    expect(page.locator("#question-error")).to_contain_text("at most 2,000")
    assert field(page) == long
    page.fill("#question", "x" * 1700)
    expect(page.locator("#count-question")).to_have_text("1,700 of 2,000 characters. ")
    page.fill("#question", "x")
    expect(page.locator("#count-question")).to_have_count(0)
    desk.errors.clear()  # the browser logs the 422 that was expected


def test_a_draft_is_kept_for_each_conversation_until_it_is_sent(
    desk: Desk, people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    page = desk.sign_in(people.alice)
    for address, text in ((f"/chats/{chat.pk}/", "And how"), (f"/chatbots/{chatbot.pk}/", "Why")):
        page.goto(address)
        page.fill("#question", text)
    page.reload()
    assert field(page) == "Why"
    page.goto(f"/chats/{chat.pk}/")
    assert field(page) == "And how"
    expect(page.locator(".composer .notice")).to_have_count(0)
    page.locator("#question").press("Enter")
    expect(page.locator(".question")).to_have_count(2)
    expect(page.locator("#question")).to_have_value("")
    page.reload()
    assert field(page) == ""
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.locator("#question").press("Enter")
    expect(page.locator(".question")).to_have_text("Why")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.goto(f"/chatbots/{chatbot.pk}/")
    assert field(page) == ""


def test_a_draft_outlives_a_suggested_question_and_a_refusal(
    desk: Desk, people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    page = desk.sign_in(people.alice)
    new = f"/chatbots/{chatbot.pk}/"
    page.goto(new)
    page.fill("#question", "Why")
    page.locator(".suggested button").first.click()
    expect(page.locator(".question")).to_have_count(1)
    page.goto(new)
    assert field(page) == "Why"
    page.fill("#question", "😀😀")
    page.locator("#question").press("Enter")
    expect(page.locator("#question-error")).to_contain_text("symbols alone")
    page.goto("/chatbots/")
    page.goto(new)
    assert field(page) == "😀😀"
    expect(page.locator(".composer .notice")).to_have_count(0)
    desk.errors.clear()  # the browser logs the 422 that was expected


def test_the_draft_of_a_pupil_is_nobody_elses(desk: Desk, people: Cast) -> None:
    link = open_class(people.alice, make_helper(people))
    phone = come_in(desk, link.code)
    phone.fill("#question", "My secret")
    room = phone.url
    phone.reload()
    assert field(phone) == "My secret"
    cookies = phone.context.cookies()
    phone.context.clear_cookies()
    phone.goto(f"/c/{link.code}")
    phone.context.add_cookies(cookies)  # type: ignore[arg-type]  # the same pupil comes back
    phone.goto(room)
    assert field(phone) == "My secret"
    phone.context.clear_cookies()
    phone.goto(f"/c/{link.code}")
    phone.locator(".nicknames button").first.click()
    phone.goto(room)
    assert field(phone) == ""
    phone.fill("#question", "Another secret")
    phone.get_by_role("link", name="Leave").click()
    phone.get_by_role("button", name="Leave").click()
    expect(phone.get_by_role("heading", name="You have left")).to_be_visible()
    assert "secret" not in phone.evaluate("JSON.stringify(sessionStorage)")


def test_a_second_tab_sees_what_was_asked_in_the_first(desk: Desk, people: Cast) -> None:
    link = open_class(people.alice, make_helper(people))
    first = come_in(desk, link.code)
    send(first, QUESTION)
    expect(first.locator(".turn [data-finished]")).to_be_visible()
    second = first.context.new_page()
    second.goto(first.url)
    for tab, question in ((first, "Who won in 1954?"), (first, "And then?"), (second, "And goggles?")):
        send(tab, question)
        expect(tab.locator(".turn").last.get_by_role("heading", name=question)).to_be_visible()
    asked = [QUESTION, "Who won in 1954?", "And then?", "And goggles?"]
    expect(second.locator(".question")).to_have_text(asked)


def test_hebrew_runs_from_right_to_left(desk: Desk, people: Cast, model: type[ScriptedLLM]) -> None:
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, HEBREW, "מאדים.md")])
    model.enqueue("למאדים יש שני ירחים קטנים [1].\n\n- פובוס\n- דימוס\n\n| שם | מספר |\n|---|---|\n| מאדים | 2 |")
    message = make_message(people.alice, chatbot, "כמה ירחים יש למאדים?")
    page = desk.sign_in(people.alice, viewport=WIDE)
    page.goto(f"/chats/{message.chat_id}/")
    page.fill("#question", "למה?")
    for known in (".question", ".answer-text", ".note .quote"):
        assert direction(page, known) == "rtl he", known
    for block in (".answer-text ul", ".answer-text table", "#question", ".note h3 bdi", ".chats li a"):
        assert direction(page, block).startswith("rtl"), block
    assert direction(page, ".tools").startswith("ltr")
    page.goto(message.sources.get(number=1).get_absolute_url())
    assert direction(page, ".block-text") == "rtl he"


def test_a_citation_is_copied_with_its_brackets(
    desk: Desk, people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    model.enqueue("It has 0.5 mol/l [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    page = desk.sign_in(people.alice, viewport=WIDE)
    for address in (f"/chats/{message.chat_id}/", f"/chats/{message.chat_id}/print/"):
        page.goto(address)
        page.locator(".cite").hover()  # its tip is not copied
        page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer-text'))")
        assert page.evaluate("`${getSelection()}`").strip() == "It has 0.5 mol/l [1]."


@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_a_reopened_answer_comes_first_and_its_note_shows_what_is_marked(
    desk: Desk, people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], viewport: dict[str, int]
) -> None:
    quoted = "Use hydrochloric acid of 0.5 mol/l for year 9."
    model.enqueue(*[f"It says “{quoted}” [1], and the same again “{quoted}” [2]."] * 4)
    chat = make_message(people.alice, chatbot, QUESTION).chat
    for number in range(3):
        make_message(people.alice, chatbot, f"{number}: {QUESTION}", chat=chat)
    page = desk.sign_in(people.alice, viewport=viewport)
    page.goto(f"/chats/{chat.pk}/")
    page.locator(".earlier > summary").click()
    turn = page.locator(".earlier .turn")
    expect(turn.locator(".tools.after")).to_be_visible()
    tops = "turn => ['.answer', '.tools.after'].map(one => turn.querySelector(one).getBoundingClientRect().top)"
    answer, tools = turn.evaluate(tops)
    assert answer < tools
    marked = turn.locator(".notes > .note mark")
    assert marked.count()
    is_shown = """mark => {
        const [own, note] = [mark, mark.closest(".quote")].map(one => one.getBoundingClientRect());
        return own.height > 0 && own.bottom <= note.bottom + 1; }"""
    assert all(one.evaluate(is_shown) for one in marked.all())
