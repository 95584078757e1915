"""A document in a narrow window: tables scroll in their own box and keep their words, formulas too; words are found."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from corpus.models import Status
from knowledge.models import PersonalDocument
from tests.browser.conftest import Desk
from tests.factories import Cast, personal_document
from tests.running import wait_for

pytestmark = pytest.mark.browser

WIDE = "| Experiment | Responsible | Measurement | Interpretation |\n| --- | --- | --- | --- |\n"
ROWS = "| Thermodynamics | Schmidt-Rottluff | extraordinarily | internationally |\n"
LONG = "$" + " + ".join(f"a_{{{n}}} b^{{{n}}}" for n in range(20)) + "$"
TEXT = f"# Tables\n\nA formula {LONG} in a sentence.\n\n{WIDE}{ROWS}\n\n# More\n\n{WIDE}{ROWS}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_wide_tables_scroll_by_keyboard_and_break_no_word(desk: Desk, people: Cast, scheme: str) -> None:
    document = personal_document(people.alice, TEXT, "tables.md")
    page = desk.sign_in(people.alice, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page.goto(f"/documents/{document.pk}/?find=extraordinarily")
    table = page.get_by_role("region", name="Table 1: Experiment, Responsible")
    assert table.evaluate("box => box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # A word that is broken has a box on two lines.
    assert table.locator("mark").evaluate("mark => mark.getClientRects().length") == 1
    table.focus()
    table.press("ArrowRight")
    wait_for(lambda: table.evaluate("box => box.scrollLeft > 0"))
    assert page.get_by_role("region", name="Places found").get_by_role("link").count() == 3
    assert not Axe().run(page).response["violations"]


def test_the_page_of_a_document_that_is_being_read(desk: Desk, people: Cast) -> None:
    document = personal_document(people.alice)
    PersonalDocument.objects.update(status=Status.INDEXING)
    page = desk.sign_in(people.alice)
    page.goto(f"/documents/{document.pk}/")
    for _ in range(2):  # an error on the page fails at the end
        with page.expect_response(lambda one: "from=detail" in one.url) as answered:
            pass
        assert answered.value.ok
