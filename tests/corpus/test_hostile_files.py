"""Files made to do harm: each ends in words, in the time that is allowed, and the next document is indexed."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import Message
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from corpus.ingestion import storage
from corpus.ingestion.indexing import index_next_document
from corpus.models import Status
from engines.embedding import get_embedder
from knowledge.models import PersonalDocument
from tests import documents, hostile
from tests.factories import Cast, index_anew, personal_document

pytestmark = pytest.mark.django_db
SECONDS, OVERHEAD = 3, 60  # what reading may take, and processor time of all else around it
PLENTY = 60  # for a file that has to be read, however slow the machine is
GOOD = "The next document is read as if nothing had happened."
FAILED, READY, EITHER = {Status.FAILED}, {Status.READY}, {Status.FAILED, Status.READY}
Build = Callable[[], bytes]


@pytest.fixture(autouse=True)
def narrow_limits(settings: Settings) -> None:
    settings.LECTERN_PARSE_SECONDS = SECONDS
    settings.LECTERN_PARSE_MEMORY_MB = 512
    settings.LECTERN_MAX_CHARACTERS = 1_000_000
    settings.LECTERN_MAX_CHUNKS = 300
    settings.LECTERN_MAX_PAGES = 1000
    settings.LECTERN_OCR_SECONDS = SECONDS


@pytest.fixture(autouse=True)
def loaded_embedder() -> None:
    """Before memory is measured."""
    get_embedder().embed_passages([GOOD])


def packages() -> dict[str, tuple[Build, str, set[Status]]]:
    """Each attack on each kind of package."""
    fatal: dict[str, Callable[[str], bytes]] = {
        "zip bomb": hostile.zip_bomb,
        "text bomb": hostile.text_bomb,
        "lying about its size": hostile.lying,
        "encrypted": hostile.encrypted,
        "billion laughs": hostile.billion_laughs,
        "truncated": lambda kind: hostile.truncated(hostile.package(kind, "Text. " * 400)),
    }
    # Such things a reader may leave out and read the rest, as long as it ends.
    odd: dict[str, Callable[[str], bytes]] = {
        "quadratic blowup": hostile.quadratic_blowup,
        "deep": hostile.deep,
    }
    return {
        f"{kind}: {name}": (partial(attack, kind), f"file.{kind}", FAILED if name in fatal else EITHER)
        for kind in hostile.PACKAGES
        for name, attack in {**fatal, **odd}.items()
    }


PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
FILES: dict[str, tuple[Build, str, set[Status]]] = {
    **packages(),
    "epub: billion laughs": (
        lambda: hostile.billion_laughs("epub"),
        "file.epub",
        EITHER,
    ),  # read as HTML: no entities
    **{f"pdf: {name}": (build, "file.pdf", FAILED) for name, build in hostile.PDFS.items()},
    **{f"pdf: {name}": (build, "file.pdf", EITHER) for name, build in hostile.ODD_PDFS.items()},
    "pdf: password": (lambda: documents.pdf([["Secret."]], password="swordfish"), "file.pdf", FAILED),
    "docx: too many parts": (hostile.many_parts, "file.docx", FAILED),
    "docx: wide and long table": (hostile.wide_and_long_table, "file.docx", FAILED),
    "xlsx: far cells": (hostile.far_cells, "file.xlsx", EITHER),
    "xlsx: one string everywhere": (hostile.one_string_everywhere, "file.xlsx", EITHER),
    "docx: parts called ../": (
        lambda: hostile.package("docx", more={"../../../../tmp/lectern-was-here": b"x", "/etc/x\x00y": b"x"}),
        "file.docx",
        EITHER,
    ),
    "name of pdf, content of docx": (lambda: hostile.package("docx", "Text."), "file.pdf", READY),
    "name of docx, content of pdf": (lambda: documents.pdf([["Text on a page."]]), "file.docx", READY),
    "name of markdown, content of pdf": (lambda: documents.pdf([["Text on a page."]]), "file.md", READY),
    **{f"picture: {name}": (build, "file.png", FAILED) for name, build in hostile.PICTURES.items()},
    "name of pdf, content of png": (lambda: PNG, "file.pdf", FAILED),
    "name of docx, a program in a zip": (lambda: b"PK\x03\x04\x7fELF" + bytes(range(256)) * 40, "file.docx", FAILED),
    "name of docx, content of a zip": (lambda: hostile.archive({"a": b"x"}), "file.docx", FAILED),
    "a million zeros": (lambda: bytes(1_000_000), "file.txt", FAILED),
    "noise after the mark of a pdf": (
        lambda: b"%PDF-" + bytes(b * 7 % 251 for b in range(1_000_000)),
        "file.txt",
        FAILED,
    ),
    "too much text": (lambda: b"word " * 2_000_000, "file.txt", FAILED),
    "too many passages": (lambda: b"[" * 80_000, "file.txt", FAILED),
    "a heading a line": (lambda: b"# a\n\nb\n\n" * 2000, "file.md", FAILED),
    "a heading of brackets": (lambda: b"# " + b"[" * 900_000 + b"\n\ntext\n", "file.md", EITHER),
    "quotes in quotes": (lambda: b"> " * 40_000 + b"text", "file.md", EITHER),
    "a million lines": (lambda: b"\n" * 1_000_000 + b"a", "file.md", EITHER),
    "deep html": (lambda: b"<html><body>" + b"<div>" * 300_000 + b"text", "file.html", EITHER),
    "html without an end": (lambda: b"<html><!--" + b"<!-" * 2_000_000, "file.html", FAILED),
    "a table of commas": (lambda: b"a,b\n" + b"," * 3_000_000 + b"\n" + b"1,2\n" * 9, "file.csv", EITHER),
    "rtf: deep": (lambda: b"{\\rtf1 " + b"{" * 1_000_000, "file.rtf", FAILED),
    "ods: a billion rows": (
        lambda: documents.open_document(
            "spreadsheet",
            '<table:table><table:table-row table:number-rows-repeated="1000000000">'
            '<table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell>'
            "</table:table-row></table:table>",
        ),
        "file.ods",
        EITHER,
    ),
    "odt: entities": (
        lambda: hostile.archive(
            {
                "mimetype": b"application/vnd.oasis.opendocument.text",
                "META-INF/manifest.xml": b"<manifest/>",
                "content.xml": b'<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;">]><x>&b;</x>',
            }
        ),
        "file.odt",
        FAILED,
    ),
    "odt: text bomb": (lambda: documents.open_document("text", "<text:p>" + "x" * 60_000_000), "file.odt", FAILED),
    "odt: deep": (lambda: documents.open_document("text", "<text:span>" * 100_000), "file.odt", FAILED),
    "eml: deep": (
        lambda: b"From: a@b.c\nDate: x\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n" * 5000 + b"Text.",
        "file.eml",
        EITHER,
    ),
    "ipynb: deep": (lambda: b'{"cell_type": ' + b"[" * 1_000_000, "file.ipynb", FAILED),
    "a table of one quote": (lambda: b'a,b\n"' + b"x,y\n" * 700_000, "file.csv", FAILED),
}


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_harms_nobody(people: Cast, name: str, settings: Settings) -> None:
    build, filename, outcomes = FILES[name]
    settings.LECTERN_PARSE_SECONDS = PLENTY if outcomes == READY else SECONDS
    document = personal_document(people.alice, build(), filename, indexed=False)
    good = personal_document(people.bob, GOOD, "good.txt", indexed=False)
    memory, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.thread_time()
    index_next_document(PersonalDocument.objects.all())
    assert time.thread_time() - begun < OVERHEAD
    settings.LECTERN_PARSE_SECONDS = PLENTY
    index_anew()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 150_000  # kB: its highest
    document.refresh_from_db()
    good.refresh_from_db()
    assert document.status in outcomes, document.failure_reason
    assert bool(document.failure_reason) == (document.status == Status.FAILED) == (document.chunks.count() == 0)
    assert "on our side" not in document.failure_reason
    assert document.attempts <= 1
    assert (good.status, good.chunks.get().text.strip()) == (Status.READY, GOOD)
    assert not Path("/tmp/lectern-was-here").exists()
    assert [child for child in psutil.Process().children() if "-P" in child.cmdline()] == []


@pytest.mark.parametrize("kind", hostile.PACKAGES)
def test_no_file_of_ours_gets_into_a_text(people: Cast, tmp_path: Path, kind: str) -> None:
    secret = tmp_path / "secret-key"
    secret.write_text("swordfish")
    for address in (secret.as_uri(), "http://127.0.0.1:9/x"):
        document = personal_document(people.alice, hostile.foreign_entity(kind, address), f"file.{kind}")
        assert document.status in EITHER
        assert not document.chunks.filter(text__contains="swordfish").exists()


def test_a_file_that_lost_its_content_is_empty(people: Cast) -> None:
    """An empty one is refused when it is sent; this one was cut off later, by a full disk."""
    document = personal_document(people.alice, GOOD, "good.txt", indexed=False)
    os.truncate(document.newest.file.path, 0)
    index_anew()
    document.refresh_from_db()
    assert (document.status, document.failure_reason) == (Status.FAILED, "This file is empty.")
    with pytest.raises(storage.UploadRefused, match="empty"):
        personal_document(people.alice, b"", "nothing.pdf")


def test_too_many_pages_are_counted_in_the_reason(people: Cast, settings: Settings) -> None:
    settings.LECTERN_MAX_PAGES = 100
    document = personal_document(people.alice, hostile.pdf(*[hostile.PAGE] * 101), "file.pdf")
    assert "101 pages; at most 100" in document.failure_reason


def test_slides_are_counted_too(people: Cast, settings: Settings) -> None:
    settings.LECTERN_MAX_PAGES = 1
    document = personal_document(people.alice, documents.presentation(("One", ["a"]), ("Two", ["b"])), "file.pptx")
    assert "2 slides; at most 1" in document.failure_reason


def test_too_many_pages_are_refused_before_any_is_read(people: Cast, settings: Settings) -> None:
    settings.LECTERN_MAX_PAGES = 1
    endless = hostile.stream(hostile.packed(600), hostile._FLATE)
    document = personal_document(people.alice, hostile.pdf(hostile.PAGE, hostile.PAGE, content=endless), "file.pdf")
    assert "2 pages; at most 1" in document.failure_reason


@contextmanager
def one_more_open_file() -> Iterator[None]:
    """Room for one more open file, and not for a process with its pipes. A long-lived process has free numbers between
    those of its open files, so all below the limit are taken but one."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (psutil.Process().num_fds() + 1, limits[1]))
    taken: list[int] = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        os.close(taken.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for number in taken:
            os.close(number)


def test_a_fault_of_ours_is_tried_again(people: Cast) -> None:
    """Unlike a file that is too much: here no process can be started."""
    document = personal_document(people.alice, GOOD, "good.txt", indexed=False)
    with one_more_open_file():
        index_anew()
    document.refresh_from_db()
    assert (document.status, document.attempts) == (Status.FAILED, 3)
    assert "on our side" in document.failure_reason


# Names -------------------------------------------------------------------------------------------------------

NAMES = {
    "../../../../tmp/lectern-was-here.md": "lectern-was-here.md",
    "..\\..\\windows\\system32\\evil.md": "evil.md",
    "/etc/passwd.md": "passwd.md",
    "be\x00fore.md": "before.md",
    "invoice\u202edm.exe.md": "invoicedm.exe.md",
    "\u2066\u200fright\u2069.md": "right.md",
    "tab\tand\x1bescape\x7f.md": "tabandescape.md",
    "a" * 300 + ".md": "a" * 159 + "…" + "a" * 37 + ".md",
    "ä" * 300 + ".md": "ä" * 159 + "…" + "ä" * 37 + ".md",
    "<script>alert(1)<b>.md": "<script>alert(1)<b>.md",
    "semi;colon, comma & 'quote'.md": "semi;colon, comma & 'quote'.md",
    ".md": ".md",
}


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_hostile_name_is_made_harmless(people: Cast, name: str) -> None:
    """Sent as it is, without the help of a client that would tidy it, shown, kept and offered for download."""
    client = Client()
    client.force_login(people.alice.user)
    starred = any(character < " " for character in name)  # a client can send these percent-encoded
    given = f"filename*=UTF-8''{quote(name, safe='')}" if starred else f'filename="{name}"'
    body = (
        f'--limit\r\nContent-Disposition: form-data; name="files"; {given}\r\n'
        f"Content-Type: text/markdown\r\n\r\n{GOOD}\r\n--limit--\r\n"
    ).encode()
    answer = client.post(
        reverse("knowledge:upload"), body, content_type="multipart/form-data; boundary=limit", follow=True
    )
    document = PersonalDocument.objects.for_member(people.alice).get()
    page = answer.content.decode()
    assert document.newest.filename == NAMES[name]
    assert document.title
    assert len(document.title) <= 200
    assert not any(unwanted in page for unwanted in ("\x00", "\u202e", "\u2066", "\x1b", "<script>alert"))
    stored = Path(document.newest.file.path)
    assert str(people.alice.school_id) in stored.parts
    assert "lectern" not in stored.name
    assert not Path("/tmp/lectern-was-here.md").exists()

    index_anew()
    document.refresh_from_db()
    assert document.status == Status.READY
    download = client.get(reverse("knowledge:file", args=[document.pk]))
    assert b"".join(download) == GOOD.encode()
    header = Message()
    header["Content-Disposition"] = download["Content-Disposition"]
    assert header.get_content_disposition() == "attachment"
    assert header.get_filename() == NAMES[name]
    assert download["Content-Disposition"].isprintable()
    assert download["Content-Type"] == "application/octet-stream"
