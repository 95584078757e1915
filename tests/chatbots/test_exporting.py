"""A conversation leaves as Markdown or on paper, with its numbered references, whatever stands in it (C9)."""

from collections.abc import Sequence

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatbots.conversations.export import export_answer, export_chat, export_file_name
from chatbots.models import Chat, Chatbot, Message, MessageSource, MessageStatus, Mode
from corpus.reading.formulas import FORMULA
from tests.factories import Cast, make_message
from tests.scripted import ScriptedLLM

Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"
HEADINGS = ["h1", "h2", "h3", "h2", "h3"]
PARSER = MarkdownIt("commonmark")

NASTY = [
    "# A heading",
    "```\nopen code",
    "~~~~\nopen code",
    "Title\n=====",
    "Title\n---",
    "> # quoted\nlazy",
    "- # item\n  ## deeper",
    "<!-- never closed",
    "<div>\n\n# inside",
    "<script>alert(1)</script>",
    "[1]: https://evil.example/x",
    "[1](https://evil.example/x) ![x](https://evil.example/y)",
    "<https://evil.example/x>",
    "``` ` ```` x\n```",
    "    indented code",
    "a | b\n--|--\n1 | 2",
    "1) one\n2) two\n\n# after",
    "\\# not a heading \\",
    "`unclosed `` code <b>",
    "$a<b$ and $c>d$",
    "\r# carriage\u2028# separator\x0b# tab",
]


def conversation(*turns: tuple[str, str], title: str = "Acids") -> tuple[Chat, list[Message]]:
    """One that stands in no database, without sources."""
    chat = Chat(title=title, chatbot=Chatbot(name="Chemistry 9"))
    messages = [Message(question=question, answer=answer, status=MessageStatus.DONE) for question, answer in turns]
    for message in messages:
        message._prefetched_objects_cache = {"sources": MessageSource.objects.none()}  # type: ignore[attr-defined]
    return chat, messages


def top(text: str) -> Sequence[str]:
    return [token.tag for token in PARSER.parse(text) if token.type == "heading_open" and token.level == 0]


def kinds(text: str) -> set[str]:
    return {one.type for token in PARSER.parse(text) for one in (token, *(token.children or []))}


@pytest.mark.parametrize("text", NASTY)
def test_nothing_that_is_asked_or_answered_breaks_the_document(text: str) -> None:
    chat, messages = conversation((text, text), ("And?", "Yes."), title=text)
    exported = export_chat(chat, messages)
    assert [tag for tag in top(exported) if tag in ("h1", "h2", "h3")] == HEADINGS
    assert not kinds(exported) & {"html_block", "html_inline", "link_open", "image"}


@given(st.lists(st.sampled_from([*"#`~<>[]()*_-=+:!|\\$ \n\t1.a", "```", "\n\n", "<!--", "    "]), max_size=30))
def test_no_text_at_all_breaks_it(parts: list[str]) -> None:
    text = "".join(parts)
    chat, messages = conversation((text or "?", text), ("And?", "Yes."))
    exported = export_chat(chat, messages)
    assert [tag for tag in top(exported) if tag in ("h1", "h2", "h3")] == HEADINGS
    assert not kinds(exported) & {"html_block", "html_inline", "link_open", "image"}


@example("1\n ")
@given(st.text(alphabet="ab #*_`<>[]()-+.1~|\\&$\n", min_size=1, max_size=60))
def test_a_question_reads_as_it_was_asked(question: str) -> None:
    chat, messages = conversation((question, "Yes."))
    tokens = PARSER.parse(export_chat(chat, messages))
    start = next((i for i, token in enumerate(tokens) if token.type == "blockquote_open"), None)
    shown = ""
    if start is not None:
        end = next(i for i, token in enumerate(tokens) if token.type == "blockquote_close")
        for token in tokens[start:end]:
            for child in token.children or []:
                assert child.type in ("text", "softbreak", "hardbreak", "text_special"), child.type
                shown += child.content or " "
    assert shown.split() == question.split()


def test_the_structure_of_an_answer_stays() -> None:
    answer = "# Acids\n\n- one [1]\n- two\n\n```\ncode <b> [1](x)\n```\n\nMass $m<n$ and **bold**."
    chat, messages = conversation(("Why?", answer))
    exported = export_chat(chat, messages)
    assert "#### Acids" in exported
    assert "- one [1]\n- two" in exported
    assert "code <b> [1](x)" in exported
    assert "Mass $m<n$ and **bold**." in exported
    assert FORMULA.search(exported)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("How strong?", "How-strong.md"),
        ("Wie stark ist die Säure?", "Wie-stark-ist-die-Säure.md"),
        ("酸はどれくらい強い?", "酸はどれくらい強い.md"),
        ("हिन्दी में अम्ल", "हिन्दी-में-अम्ल.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ('a"b\\c\r\nX: y\u202egnp', "a-b-c-X-y-gnp.md"),
        ("???", "conversation.md"),
        ("", "conversation.md"),
    ],
)
def test_the_file_is_named_after_the_title(title: str, name: str) -> None:
    assert export_file_name(title) == name


def test_a_long_name_is_cut_between_characters() -> None:
    assert len(export_file_name("酸" * 120).encode()) <= 160
    assert export_file_name("酸" * 120).strip("酸") == ".md"


@pytest.fixture
def message(people: Cast, chatbot: Chatbot, model: Model) -> Message:
    model.enqueue("Use 0.5 mol/l [1], Smith says 7 mol/l [1].")
    return make_message(people.alice, chatbot, QUESTION)


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


@pytest.mark.django_db
def test_it_is_downloaded_with_answers_and_references(alice: Client, message: Message) -> None:
    Chat.objects.update(title="Säure & <b>")
    response = alice.get(reverse("chatbots:export-chat", args=[message.chat_id]))
    assert response.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert response.headers["Content-Disposition"] == "attachment; filename*=utf-8''S%C3%A4ure-b.md"
    text = response.content.decode()
    source = message.sources.get(number=1)
    assert f"> {QUESTION}" in text
    assert "Use 0.5 mol/l [1], Smith says 7 mol/l [1" in text
    assert f"[1] **{source.document_title}**, version 1, {source.where}" in text
    assert f"{source.level})" in text
    assert "> " in text.partition("### References")[2]
    assert "Also searched, not cited:\n\n- [2] **" in text
    assert "Check this answer: " in text
    assert "“7 mol/l”" in text or "“7”" in text


@pytest.mark.django_db
def test_what_an_answer_is_not_is_said(people: Cast, message: Message) -> None:
    Message.objects.update(
        mode=Mode.GENERAL, notice="A notice.", unavailable=["school"], searched_for="acid *strength*"
    )
    text = export_chat(message.chat, list(message.chat.messages.all()))
    assert "*General (no local cite)*" in text
    assert "*A notice.*" in text
    assert "The school’s library could not be searched this time." in text
    assert "Searched for: acid \\*strength\\*" in text
    Message.objects.update(status=MessageStatus.WRITING)
    assert "The answer is being written." in export_chat(message.chat, list(message.chat.messages.all()))


@pytest.mark.django_db
def test_an_answer_to_copy_names_its_documents(message: Message) -> None:
    source = message.sources.get(number=1)
    text = export_answer(message)
    assert text.startswith("Use 0.5 mol/l [1], Smith says 7 mol/l [1")
    assert text.endswith(f"\n\n[1] {source.document_title}, version 1, {source.where}")


@pytest.mark.django_db
def test_a_title_brings_no_picture_into_what_is_copied(message: Message) -> None:
    title = "![x](https://evil.example/y) \\\\<img src=//evil.example> [1]: https://evil.example"
    message.sources.update(document_title=title)
    text = export_answer(Message.objects.get(pk=message.pk))
    assert "evil.example/y" in text  # in words
    assert not kinds(text) & {"html_block", "html_inline", "link_open", "image"}


@pytest.mark.django_db
def test_on_paper_it_has_its_references_and_no_navigation(alice: Client, message: Message) -> None:
    text = alice.get(reverse("chatbots:print-chat", args=[message.chat_id])).content.decode()
    source = message.sources.get(number=1)
    assert f'id="note-{source.pk}"' in text
    assert f"{source.document_title}</bdi></b>, version 1" in text
    assert "<nav" not in text
    assert "<script>" not in text
