"""A textbook of several files: uploaded as one document, cited by chapter, file and lines, updated by what changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.conversations.export import export_chat
from chatbots.models import ChatbotKind
from corpus.models import Status
from knowledge.models import PersonalChunk, PersonalDocument
from tests.factories import Cast, index_all, make_chatbot, make_file, make_message, personal_document

MOTION = """# Module 1: Motion

## Chapter 1: Speed

### Mean speed

The mean speed of the snail Ottokar is nine metres an hour.

### Top speed

Ottokar reaches twelve metres an hour downhill.
"""
HEAT = "# Module 2: Heat\n\n## Chapter 1: Ice\n\n### Melting\n\nIce melts at zero degrees.\n"
WHERE = "Motion › Speed › Top speed · Module 1, Chapter 1, Section 2 · book/1-motion.md, line 11"


def zipped(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


BOOK = {"book/1-motion.md": MOTION, "book/2-heat.md": HEAT, "book/a.png": "picture"}


def place(chunk: PersonalChunk) -> tuple[str, str, int | None]:
    return (chunk.file_path, chunk.label, chunk.line_start)


def test_a_zip_becomes_one_document_with_files_and_chapters(people: Cast) -> None:
    document = personal_document(people.alice, zipped(BOOK), "physics.zip")
    assert (document.title, document.status) == ("physics", Status.READY)
    assert [place(chunk) for chunk in document.chunks.order_by("position")] == [
        ("book/1-motion.md", "Module 1, Chapter 1, Section 1", 7),
        ("book/1-motion.md", "Module 1, Chapter 1, Section 2", 11),
        ("book/2-heat.md", "Module 2, Chapter 1, Section 1", 7),
    ]
    assert document.newest.notes == ["Left out, as they are not Markdown: book/a.png."]
    client = Client()
    client.force_login(people.alice.user)
    html = client.get(reverse("knowledge:detail", args=[document.pk])).content.decode()
    assert "Left out, as they are not Markdown: book/a.png." in html
    assert "Motion › Speed · Module 1, Chapter 1, Section 2 · book/1-motion.md, line 11" in html


def test_an_update_embeds_only_what_changed_wherever_it_moved(people: Cast) -> None:
    document = personal_document(people.alice, zipped(BOOK), "physics.zip")
    before = dict(document.chunks.values_list("text", "pk"))
    moved = {
        "new/01.md": HEAT.replace("Module 2", "Module 1").replace("## Chapter", "\n\n## Chapter"),
        "new/02.md": MOTION.replace("Module 1", "Module 2").replace("twelve", "thirteen"),
    }
    client = Client()
    client.force_login(people.alice.user)
    response = client.post(
        reverse("knowledge:replace", args=[document.pk]), {"file": make_file(zipped(moved), "physics.zip")}
    )
    assert response.status_code == 302
    index_all()
    document.refresh_from_db()
    # Module 1 became Module 2: its headings are embedded with its text, so only what stays under its headings is kept.
    assert document.answering_version == 2
    assert [place(chunk) for chunk in document.chunks.order_by("position")] == [
        ("new/01.md", "Module 1, Chapter 1, Section 1", 9),
        ("new/02.md", "Module 2, Chapter 1, Section 1", 7),
        ("new/02.md", "Module 2, Chapter 1, Section 2", 11),
    ]
    again = {"a/x.md": "Settings.\n\n", **{f"b/{path}": f"\n\n{text}" for path, text in moved.items()}}
    kept = dict(document.chunks.values_list("text", "pk"))
    assert not set(before.values()) & set(kept.values())
    client.post(reverse("knowledge:replace", args=[document.pk]), {"file": make_file(zipped(again), "physics.zip")})
    index_all()
    document.refresh_from_db()
    assert document.newest.chunks_added == 1
    assert document.newest.chunks_kept == 3
    after = {chunk.text: chunk for chunk in document.chunks.all()}
    assert {text: after[text].pk for text in kept} == kept
    assert place(after["Ottokar reaches thirteen metres an hour downhill."]) == (
        "b/new/02.md",
        "Module 2, Chapter 1, Section 2",
        13,
    )


@pytest.fixture
def answered(people: Cast, transactional_db: None) -> Iterator[Cast]:
    document = personal_document(people.alice, zipped(BOOK), "physics.zip")
    chatbot = make_chatbot(people.alice, personal=[document], kind=ChatbotKind.TEXTBOOK)
    make_message(people.alice, chatbot, "How fast is Ottokar downhill?")
    yield people


@pytest.mark.django_db(transaction=True)
def test_an_answer_says_module_chapter_section_file_and_lines_everywhere(answered: Cast) -> None:
    from chatbots.models import Message

    message = Message.objects.get()
    source = message.sources.get(number=1)
    assert (source.file_path, source.label) == ("book/1-motion.md", "Module 1, Chapter 1, Section 2")
    assert (source.lines, source.where) == ((11, 11), WHERE)
    client = Client()
    client.force_login(answered.alice.user)
    shown = [
        reverse("chatbots:chat", args=[message.chat_id]),
        reverse("chatbots:source", args=[source.pk]),
        reverse("chatbots:print-chat", args=[message.chat_id]),
    ]
    for address in shown:
        assert WHERE in client.get(address).content.decode(), address
    assert "Module 1, Chapter 1, Section 2" in export_chat(message.chat, [message])
    PersonalDocument.objects.all().delete()
    assert WHERE in client.get(shown[1]).content.decode()


def test_nobody_else_sees_the_files_of_a_textbook(people: Cast) -> None:
    document = personal_document(people.alice, zipped(BOOK), "physics.zip")
    for stranger in (people.bob, people.carol, people.charlie):
        client = Client()
        client.force_login(stranger.user)
        response = client.get(reverse("knowledge:detail", args=[document.pk]))
        assert response.status_code == 404
        assert "motion" not in response.content.decode()


def test_an_archive_that_does_harm_is_refused_in_words_and_the_old_one_answers(people: Cast) -> None:
    document = personal_document(people.alice, zipped(BOOK), "physics.zip")
    client = Client()
    client.force_login(people.alice.user)
    bomb = zipped({"bomb.md": "x" * (60 << 20)})
    client.post(reverse("knowledge:replace", args=[document.pk]), {"file": make_file(bomb, "physics.zip")})
    index_all()
    document.refresh_from_db()
    assert (document.status, document.answering_version) == (Status.FAILED, 1)
    assert "unpacks to more than Lectern accepts" in document.failure_reason
    assert document.chunks.count() == 3
