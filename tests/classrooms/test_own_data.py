"""What is stored of a pupil, which the pupil may download and erase."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from django.test import Client

from chatbots.models import Chatbot, Message
from classrooms import hands, links
from classrooms.joining import pupils
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import browser, come_in, make_asked, open_class, page
from tests.factories import Cast
from tests.limits import set_limit
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


def read_zip(response: Any) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_everything_is_in_the_file(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("At most 1 mol/l [1].")
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    hands.write_note(message, "Well asked.")
    make_asked(come_in(link)[1], chatbot, "What did another ask?")
    files = read_zip(computer.get(page("own-data-file", link)))
    (conversation,) = (text for name, text in files.items() if name.startswith("conversations/"))
    assert message.question in conversation and "At most 1 mol/l" in conversation and "### References" in conversation
    assert json.loads(files["pupil.json"])["nickname"] == "Amber Badger"
    assert json.loads(files["notes.json"]) == [{"question": message.question, "note": "Well asked."}]
    assert len(json.loads(files["asked-teacher.json"])) == 1
    assert "another" not in "".join(files.values()) and pupil.code_digest not in "".join(files.values())


@pytest.mark.parametrize("shows", ["titles", "none"])
def test_the_file_tells_no_more_than_the_pages(people: Cast, chatbot: Chatbot, model: Model, shows: str) -> None:
    link = open_class(people.alice, chatbot, sources_shown=shows)
    client, pupil = come_in(link)
    model.enqueue("It is weak [1].")
    make_asked(pupil, chatbot)
    text = "".join(read_zip(client.get(page("own-data-file", link))).values())
    assert "It is weak" in text and "mol/l" not in text and "[1]" not in text


def test_a_pupil_erases_everything_with_the_own_code(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    make_asked(pupil, chatbot)
    refused = computer.post(page("own-data", link), {"own_code": "AAAAAA"})
    assert refused.status_code == 422 and Message.objects.exists()
    assert 'value="AAAAAA"' in refused.content.decode()
    _, other = come_in(link)
    code = pupils.change_pupil_code(other)
    assert computer.post(page("own-data", link), {"own_code": code}).status_code == 422  # nor with another’s
    own = pupils.change_pupil_code(pupil)
    computer.post(page("door", link), {"own_code": own})
    response = computer.post(page("own-data", link), {"own_code": own})
    assert "Everything is erased" in response.content.decode()
    assert not Message.objects.exists() and list(link.pupils.all()) == [other]
    assert computer.get(page("room", link))["Location"] == page("door", link)


def test_a_pupil_gets_a_new_code(link: ClassLink, pupil: Pupil, computer: Client) -> None:
    own = pupils.change_pupil_code(pupil)
    there = browser()
    for client in (computer, there):
        client.post(page("door", link), {"own_code": own})
    response = computer.post(page("new-own-code", link))
    code = re.search(r'class="own-code">(\w+)<', response.content.decode())
    assert code and pupils.return_by_code(link, code[1]) == pupil and pupils.return_by_code(link, own) is None
    assert computer.get(page("own-data", link)).status_code == 200  # this browser stays in
    assert there.get(page("own-data", link))["Location"] == page("door", link)
    for client in (there, browser()):
        assert client.post(page("new-own-code", link))["Location"] == page("door", link)
    assert pupils.return_by_code(link, code[1]) == pupil
    assert Client().post(page("new-own-code", link)).status_code == 403  # from elsewhere


def test_it_opens_while_the_class_is_not_open(link: ClassLink, computer: Client) -> None:
    links.close(link)
    assert computer.get(page("own-data", link)).status_code == 200
    assert computer.get(page("own-data-file", link)).status_code == 200


def test_the_page_that_says_it_is_over_leads_there(link: ClassLink, pupil: Pupil, computer: Client) -> None:
    own = pupils.change_pupil_code(pupil)
    links.close(link)
    there = browser()
    wrong = there.post(page("door", link), {"own_code": "AAAAAA"})
    assert wrong.status_code == 403 and "Nobody in this class has that code" in wrong.content.decode()
    assert there.post(page("door", link), {"own_code": own})["Location"] == page("own-data", link)
    assert page("own-data", link) in there.get(page("room", link)).content.decode()
    assert there.get(page("own-data", link)).status_code == 200
    days = int(next(iter(there.cookies.values()))["max-age"]) / 86400
    assert 36 < days < 37.1  # a week, and the 30 days after it


def test_others_have_nothing_there(link: ClassLink, pupil: Pupil, people: Cast, chatbot: Chatbot) -> None:
    elsewhere, _ = come_in(open_class(people.alice, chatbot))
    for client in (browser(), elsewhere):
        for name in ("own-data", "own-data-file"):
            assert client.get(page(name, link))["Location"] == page("door", link)
    assert browser().post(page("own-data", link), {"own_code": "AAAAAA"}).status_code == 302
    assert link.pupils.get() == pupil


def test_guessing_is_limited(link: ClassLink, computer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "WRONG_OWN_CODES", 1)
    assert computer.post(page("own-data", link), {"own_code": "AAAAAA"}).status_code == 422
    assert computer.post(page("own-data", link), {"own_code": "AAAAAA"}).status_code == 429


def test_the_day_is_told_also_where_nothing_is_kept(people: Cast, chatbot: Chatbot) -> None:
    link = open_class(people.alice, chatbot, days_kept=0)
    client, _ = come_in(link)
    own_data = client.get(page("own-data", link)).content.decode()
    assert "Everything is erased on" in own_data and "Only what may mean danger stays longer" in own_data
