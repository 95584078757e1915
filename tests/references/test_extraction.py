"""The first meaningful passage of a page, without what stands around it."""

import codecs
import json
import time
from pathlib import Path

import pytest

from corpus.ingestion.readers.decoding import web_codec
from references.approved.extraction import MIN_WORDS, Extract, extract, first_passage

PAGES = Path(__file__).with_name("pages")
EXPECTED: dict[str, str] = json.loads((PAGES / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_the_passage_of_saved_pages(name: str) -> None:
    found = extract((PAGES / name).read_bytes(), words=80)
    assert found.title
    assert found.text == first_passage(EXPECTED[name], 80)


def test_the_charset_is_what_the_server_says_else_what_the_page_says() -> None:
    words = "Über Gletscher fließt im Frühling viel Schmelzwasser, " * 6 + "sagt der Förster."
    body = f"<html><body><p>{words}</p></body></html>".encode("cp1252")
    assert "fließt" in extract(body, words=80, charset="windows-1252").text
    assert "fließt" in extract(body, words=80).text
    assert "fließt" in extract(body, words=80, charset="no-such-charset").text


@pytest.mark.parametrize("charset", ["punycode", "idna", "utf-7", "hz", "unicode_escape", "rot13"])
@pytest.mark.parametrize("declared_by", ["server", "page"])
def test_only_charsets_of_the_web_are_used(charset: str, declared_by: str) -> None:
    """The time that some codecs of Python take grows with the square of the length."""
    words = "Rainwater that falls on the roof is led into a barrel and used in the dry weeks of the summer. " * 3
    meta = f"<meta charset='{charset}'>" if declared_by == "page" else ""
    body = f"<html><head>{meta}</head><body><p>{words}</p>-{'a' * 1_000_000}".encode()
    began = time.thread_time()
    found = extract(body, words=80, charset=charset if declared_by == "server" else "")
    assert found.text.startswith("Rainwater that falls")
    assert time.thread_time() - began < 10


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("windows-1251", "cp1251"),
        ("ISO-8859-2", "iso8859-2"),
        ("Windows-874", "cp874"),
        ("Shift_JIS", "cp932"),
        ("utf-16", "utf-16-le"),
        ("windows-31j", "cp932"),
        ("unicode", "utf-16-le"),
        ("ucs-2", "utf-16-le"),
        ("latin-9", "iso8859-15"),
        ("koi8", "koi8-r"),
        ("mac", "mac-roman"),
    ],
)
def test_the_usual_names_of_charsets_are_known(charset: str, codec: str) -> None:
    assert web_codec(charset) == codec
    assert codecs.lookup(codec)


@pytest.mark.parametrize(
    "charset", ["cp037", "cp500", "cp875", "cp1026", "cp1140", "punycode", "idna", "utf-7", "rot13"]
)
def test_a_charset_that_no_browser_knows_has_no_codec(charset: str) -> None:
    assert web_codec(charset) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\x01\x02" * 1000,
        b"<html><body></body></html>",
        b"<p>Too short.</p>",
        b"<div>" * 50_000,
        b"<!--" * 50_000,
        b"<table><tr><td>" * 20_000,
        "<p>" + "☃" * 5000,
    ],
    ids=["nothing", "binary", "empty", "short", "deep", "comments", "tables", "one word"],
)
def test_a_page_without_text_has_none(body: bytes | str) -> None:
    assert extract(body.encode() if isinstance(body, str) else body, words=80).text == ""


def test_a_page_of_many_elements_is_not_searched_for_text() -> None:
    prose = "<p>" + "Rainwater that falls on the roof is led into a barrel and used in dry weeks. " * 3
    assert extract(f"{prose}{'<p>x' * 20_000}".encode(), words=80).text
    began = time.thread_time()
    assert extract(f"<title>A</title>{prose}{'<p>x' * 200_000}".encode(), words=80) == Extract("A", "")
    assert time.thread_time() - began < 10


def test_a_passage_ends_with_a_sentence_if_one_is_near() -> None:
    sentence = "This sentence has exactly eight words in it. "
    assert first_passage(sentence * 20, 80) == (sentence * 10).strip()
    cut = first_passage("word " * 30 + "goes on and on " * 40 + "at last.", 80)
    assert len(cut.split()) == 81
    assert cut.endswith(" …")


def test_what_is_shorter_than_a_passage_is_none() -> None:
    assert first_passage("one two three four five six seven eight nine.", 80) == ""
    assert len(first_passage("word " * MIN_WORDS + "end.", 80).split()) == MIN_WORDS + 1


def test_references_of_a_wiki_are_no_citations_of_ours() -> None:
    text = (
        "The marten[1] is small.[23] It lives in [the] woods and hunts for voles at night, and for birds, [4]too. " * 2
    )
    assert "[1]" not in first_passage(text, 80)
    assert "[the]" in first_passage(text, 80)
