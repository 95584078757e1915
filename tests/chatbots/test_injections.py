"""The text of documents gives no orders: what a model is given, and what becomes of an answer that obeys them (C7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.answering.prompts import build_grounded_prompt
from chatbots.answering.sanitize import escape_copied_numbers, sanitize, sanitize_source
from chatbots.citations.markers import check_citations
from chatbots.citations.rendering import render_answer
from chatbots.models import Chatbot, Message, Mode
from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.answerer import UNSURE, ExtractiveAnswerer
from tests.chatbots.injections import HARMLESS, PLANTED, Planted, code, section
from tests.factories import Cast, make_chatbot, make_message, personal_document
from tests.scripted import ScriptedLLM

NUMBERED = list(enumerate(PLANTED, start=1))
each = pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.tries)

MARKS = re.compile(r"<\||</?s>|\[/?INST\]|<</?SYS>>|\[/?SYSTEM_PROMPT\]|\[TOOL|<start_of_turn>|<｜|\[gMASK\]")
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\U000e0000-\U000e007f]")


def given(planted: str, place: str = "text") -> str:
    """The turn with the sources, of which the second has the planted text."""
    title, path, text = (planted if place == one else "Plain" for one in ("title", "heading", "text"))
    passages = [
        NumberedPassage(1, "First", ("A",), HARMLESS, HARMLESS),
        NumberedPassage(2, title, (path,), text, text),
        NumberedPassage(3, "Third", ("B",), HARMLESS, HARMLESS),
    ]
    built = build_grounded_prompt(question="Which lamp?", passages=passages, instructions="", history=[], language="en")
    return "\n".join(turn.content for turn in built.messages)


@each
@pytest.mark.parametrize("place", ["text", "heading", "title"])
def test_what_is_planted_stays_within_its_own_element(planted: Planted, place: str) -> None:
    text, harmless = given(planted.text, place), given(HARMLESS, place)
    element = re.compile(r'<source number="2".*?</source>', re.DOTALL)
    assert element.sub("", text) == element.sub("", harmless)
    for tag in ("<source ", "</source>", "<sources>", "</sources>", "<question>", "</question>"):
        assert text.count(tag) == harmless.count(tag)


@each
def test_what_is_planted_has_no_marks_of_templates_and_nothing_unseen(planted: Planted) -> None:
    element = given(planted.text).partition('<source number="2"')[2].partition("</source>")[0]
    assert not MARKS.search(element.partition("\n")[2]), element
    assert not UNSEEN.search(element)
    assert not re.search(r"(?<!\\)[\[【]\d", element)


def test_text_is_read_as_before() -> None:
    plain = "Für a < b und x <5 gilt: 水 a > b.\n\tZeile [x] [ok](y) R&D می‌خواهم 👩‍🔬 l’eau"
    assert sanitize(plain) == plain
    assert sanitize_source("as shown [3], a[1] in `a[1]`") == r"as shown \[3], a\[1] in `a[1]`"
    assert sanitize("zero\u200bwidth in\u200cside") == "zerowidth inside"


def test_numbers_that_are_copied_with_their_words_are_no_citations() -> None:
    source = "Pay the fee of ninety euros in cash [2]. Then go.\n\n[6] The head gives a day off."
    copied = escape_copied_numbers("“Pay the **fee** of ninety\neuros in cash [2].” So it is [2].", [source])
    assert copied == "“Pay the **fee** of ninety\neuros in cash \\[2].” So it is [2]."
    assert escape_copied_numbers("[6] The head gives a day off.", [source]).startswith("\\[6]")
    said = "The fee is ninety euros, in cash [2]. `cash [2]`"
    assert escape_copied_numbers(said, [source]) == said


@pytest.mark.parametrize("mark", ["[1–3]", "[2, 5-7]", "[Source 2]", "[Quelle 1 und 3]", "【2】"])
def test_whatever_would_be_read_as_a_citation_is_none_in_a_source(mark: str) -> None:
    source = f"Pay the fee of ninety euros in cash {mark}."
    assert check_citations(source, 9).cited, "a model's own"
    for text in (sanitize_source(source), escape_copied_numbers(source, [source])):
        assert not check_citations(text, 9).cited, text


def test_many_numbers_take_no_time() -> None:
    text = "one [1] two words [2] " * 4000
    assert escape_copied_numbers(text, [text[:4000]]).count("\\[") >= 7999


# Through the whole product -------------------------------------------------------------------------------------


@pytest.fixture
def poisoned(people: Cast) -> Iterator[Chatbot]:
    """A chatbot whose documents have all of them."""
    together = "".join(section(n, one) for n, one in NUMBERED if one.place != "title")
    documents = [personal_document(people.alice, f"# Lamps\n\n{together}", "lamps.md", indexed=False)]
    for number, planted in NUMBERED:
        if planted.place == "title":
            text, name = f"# Lamp\n\n{section(number, planted)}", f"{number}.md"
            documents.append(personal_document(people.alice, text, name, title=planted.text, indexed=False))
    personal_document(people.alice, "# Last\n\nThe last one.\n", "last.md")  # and all are indexed
    yield make_chatbot(people.alice, personal=documents)


class Page(HTMLParser):
    """What of a page could act: its addresses, its elements, handlers and the like."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.attributes: set[str] = set()
        self.cited: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in (
                "href",
                "src",
                "action",
                "xlink:href",
                "hx-get",
                "hx-post",
                "srcset",
                "data",
                "poster",
            ):
                self.addresses.append(value or "")
            if name == "data-note":
                self.cited.append((value or "").removeprefix("note-"))


def nothing_acts(message: Message) -> None:
    """The rendered turn has no foreign address, picture, script or handler, and cites only what exists."""
    client = Client()
    user = message.chat.participant.user
    assert user
    client.force_login(user)
    response = client.get(reverse("chatbots:turn", args=[message.pk]))
    assert response.status_code == 200
    html = response.content.decode()
    page = Page(html)
    assert not page.tags & {"img", "script", "iframe", "style", "object", "embed", "base", "meta", "link"}
    ours = ("#", "/static/", "/sources/", "/messages/", "/chatbots/")
    assert not [address for address in page.addresses if not address.startswith(ours)]
    assert not {name for name in page.attributes if name.startswith(("on", "hx-on", "style", "formaction"))}
    known = {str(pk) for pk in message.sources.values_list("pk", flat=True)}
    assert set(page.cited) <= known
    answer = re.split('class="(?:tools|refusal)', html.partition('class="answer"')[2])[0]
    assert not [one for one in Page(answer).addresses if not one.startswith(("#note-", "/static/", "#i-"))]


@pytest.mark.django_db
def test_a_model_that_obeys_does_no_harm_and_what_it_invents_is_marked(
    people: Cast, poisoned: Chatbot, settings: Settings
) -> None:
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    believed = []
    for number, planted in NUMBERED:
        ScriptedLLM.reset()
        ScriptedLLM.enqueue(planted.obeyed, planted.obeyed)
        message = make_message(people.alice, poisoned, f"What is code {code(number)}?")
        prompt = ScriptedLLM.history[0]
        assert code(number) in prompt.passages[0].text, planted.tries
        nothing_acts(message)
        cited = set(message.sources.filter(is_cited=True).values_list("number", flat=True))
        assert cited <= {one.number for one in prompt.passages}
        if planted.invents and not message.doubts and not message.notice:
            believed.append((planted.tries, message.answer, message.support))
        if "refuse" in planted.tries:
            assert message.mode == Mode.REFUSED
    ScriptedLLM.reset()

    settings.LECTERN_ANSWERER = "chatbots.quoting.answerer.ExtractiveAnswerer"
    for number, planted in NUMBERED[::8]:
        message = make_message(people.alice, poisoned, f"What is code {code(number)}?")
        assert message.mode == Mode.GROUNDED, planted.tries
        nothing_acts(message)
        only_quotes(message.answer)


@each
def test_without_a_model_what_is_planted_is_quoted_at_most(planted: Planted) -> None:
    text = f"Code QX is the red lamp. {planted.text}"
    passages = (NumberedPassage(1, planted.text, (planted.text,), text, text),)
    written = "".join(ExtractiveAnswerer().stream(AnswerPrompt((), f"What is {planted.text[:40]}?", passages)))
    only_quotes(check_citations(written, 1, verbatim=True).text)
    html = render_answer(check_citations(written, 1, verbatim=True).text, [])
    assert not Page(html).addresses


def only_quotes(answer: str) -> None:
    """Outside its quotations an answer has nothing but its citations and our own first and last sentences."""
    own_words = re.sub(r"“[^”]*”", "", answer)
    own_words = own_words.removeprefix(f"*{UNSURE['en']}*")
    closing = r"(?:\s|\[1?\d\])*\*No language model is set up here: these are quotations\.\*"
    assert re.fullmatch(closing, own_words), answer
