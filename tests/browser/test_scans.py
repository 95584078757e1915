"""What was recognised from a scan says so, wide and narrow, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from chatbots.models import MessageSource
from tests import documents
from tests.browser.conftest import Desk
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.browser
MARK = "recognised from a scan"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_a_recognised_text_is_marked(desk: Desk, people: Cast, width: int, scheme: str) -> None:
    lines = [["Acids turn litmus red."], ["Hydrochloric acid of 0.5 mol/l is used in year 9."]]
    document = personal_document(people.alice, documents.pdf(lines), "acids.pdf")
    document.versions.update(recognised_pages=[2], notes=["Page 3 could not be recognised."])
    chatbot = make_chatbot(people.alice, personal=[document])
    message = make_message(people.alice, chatbot, "How strong is the hydrochloric acid in year 9?")
    source = MessageSource.objects.get(message=message, page=2)
    page = desk.sign_in(people.alice, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for place in (f"/documents/{document.pk}/", f"/sources/{source.pk}/", f"/chats/{message.chat_id}/"):
        page.goto(place)
        assert page.locator(".scanned").filter(has_text=MARK).first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not Axe().run(page).response["violations"]
