"""A cited section then and now: beside each other where there is room, else one above the other."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Desk
from tests.chatbots.test_opening import HIGHER, LIMIT, make_source, replace
from tests.factories import Cast

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_the_two_texts_stand_where_there_is_room(desk: Desk, people: Cast, width: int, scheme: str) -> None:
    source = make_source(people, LIMIT, 0)
    replace(people, HIGHER)
    page = desk.sign_in(
        people.alice,
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
    )
    page.goto(f"/sources/{source.pk}/#passage")
    corners = "texts => texts.map(text => text.getBoundingClientRect()).map(at => [at.left, at.top])"
    was, now = page.get_by_role("region", name="version").evaluate_all(corners)
    assert (was[0] < now[0], was[1] < now[1]) == ((True, False) if width == 1280 else (False, True))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not Axe().run(page).response["violations"]
