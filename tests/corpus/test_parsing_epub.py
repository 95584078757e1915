"""E-books: chapters in reading order under the titles of the contents; protected and damaged ones are named."""

import io
import zipfile

import pytest

from corpus.ingestion.parsing import UnreadableDocument, parse
from corpus.ingestion.readers.zip_package import MAX_UNPACKED
from tests import documents


def outline(data: bytes) -> list[tuple[tuple[str, ...], str]]:
    return [(section.heading_path, section.text) for section in parse(data).sections]


@pytest.mark.parametrize("contents", ["nav", "ncx"])
def test_chapters_stand_under_the_titles_of_the_contents(contents: str) -> None:
    data = documents.ebook(
        ("1. Cells", "<h1>Cells</h1><p>All living things.</p><h2>Parts</h2><ul><li>Nucleus</li></ul>"),
        ("", "<p>Goes on.</p>"),
        ("2. Energy", "<p>Starch.</p>"),
        title="Biology 7",
        contents=contents,
    )
    assert parse(data).title == "Biology 7"
    assert outline(data) == [
        (("1. Cells",), "All living things."),
        (("1. Cells", "Parts"), "- Nucleus\n\nGoes on."),
        (("2. Energy",), "Starch."),
    ]


def test_without_contents_the_headings_of_the_chapters_count() -> None:
    data = documents.ebook(("x", "<h1>Cells</h1><p>Small.</p>"), ("y", "<h1>Energy</h1><p>Big.</p>"), contents="")
    assert outline(data) == [(("Cells",), "Small."), (("Energy",), "Big.")]


@pytest.mark.parametrize("contents", ["nav", "ncx"])
def test_a_line_break_in_the_contents_is_a_space(contents: str) -> None:
    data = documents.ebook(("Chapter 1<br/>Cells", "<p>Small.</p>"), contents=contents)
    assert outline(data) == [(("Chapter 1 Cells",), "Small.")]


def test_parts_of_the_contents_stand_above_their_chapters() -> None:
    links = [f'<li><a href="text/chapter{number}.xhtml">Chapter {number}</a></li>' for number in (1, 2, 3)]
    nav = f"<nav><ol><li><span>Part One</span><ol>{links[0]}{links[1]}</ol></li>{links[2]}</ol></nav>"
    data = documents.ebook(("a", "<p>One.</p>"), ("b", "<p>Two.</p>"), ("c", "<h1>Three</h1><p>Text.</p>"))
    assert outline(rewritten(data, "OPS/nav.xhtml", nav)) == [
        (("Part One", "Chapter 1"), "One."),
        (("Part One", "Chapter 2"), "Two."),
        (("Chapter 3", "Three"), "Text."),
    ]


def rewritten(data: bytes, name: str, text: str | None) -> bytes:
    """The e-book with one part replaced, or left out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for part in old.namelist():
            if part != name:
                new.writestr(part, old.read(part))
        if text is not None:
            new.writestr(name, text)
    return buffer.getvalue()


def encryption(algorithm: str, name: str) -> str:
    return (
        '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
        f'<e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{name}"/></e:CipherData>'
        "</e:EncryptedData></encryption>"
    )


def test_a_protected_book_is_named_and_protected_fonts_are_not() -> None:
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    name = "META-INF/encryption.xml"
    data = documents.ebook(("One", "<p>Text.</p>"))
    with pytest.raises(UnreadableDocument, match="protected against copying"):
        parse(rewritten(data, name, encryption(aes, "OPS/text/chapter1.xhtml")))
    for algorithm, part in ((aes, "OPS/font.otf"), ("http://www.idpf.org/2008/embedding", "OPS/font.otf")):
        assert outline(rewritten(data, name, encryption(algorithm, part))) == [(("One",), "Text.")]


def test_a_missing_chapter_is_noted() -> None:
    data = documents.ebook(("One", "<p>Text.</p>"), ("Two", "<p>More.</p>"))
    parsed = parse(rewritten(data, "OPS/text/chapter2.xhtml", None))
    assert [section.text for section in parsed.sections] == ["Text."]
    assert parsed.notes == ("1 of its 2 parts are missing from the file.",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("META-INF/container.xml", None),
        ("META-INF/container.xml", "<container/>"),
        ("OPS/book.opf", None),
        ("OPS/book.opf", ""),
        ("OPS/text/chapter1.xhtml", None),
    ],
)
def test_a_damaged_book_is_named(name: str, text: str | None) -> None:
    with pytest.raises(UnreadableDocument, match="e-book is damaged"):
        parse(rewritten(documents.ebook(("One", "<p>Text.</p>")), name, text))


def test_broken_contents_do_no_harm() -> None:
    data = documents.ebook(("One", "<h1>Cells</h1><p>Small.</p>"))
    for text in (None, "", "<nav><ol><li><a", "<p>no list</p>"):
        assert outline(rewritten(data, "OPS/nav.xhtml", text)) == [(("Cells",), "Small.")]


def test_a_book_of_pictures_is_named() -> None:
    with pytest.raises(UnreadableDocument, match="has no text"):
        parse(documents.ebook(("", '<img src="page1.png"/>')))


def test_entities_are_not_expanded_and_named_ones_are_read() -> None:
    data = documents.ebook(("One", "<p>Text&#160;with&nbsp;spaces &amp; more.</p>"))
    doctype = '<!DOCTYPE package [<!ENTITY c SYSTEM "/etc/passwd">]>'
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        package = archive.read("OPS/book.opf").decode()
    parsed = parse(rewritten(data, "OPS/book.opf", doctype + package.replace("A book", "A &c; book")))
    assert "root:" not in (parsed.title or "")
    assert parsed.sections[0].text == "Text with spaces & more."


def test_a_book_that_unpacks_too_large_is_refused() -> None:
    buffer = io.BytesIO(documents.ebook(("One", "<p>Text.</p>")))
    with (
        zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("OPS/picture.png", "w") as part,
    ):
        for _ in range(MAX_UNPACKED // 2**20 + 1):
            part.write(bytes(2**20))
    with pytest.raises(UnreadableDocument, match="unpacks to more than"):
        parse(buffer.getvalue())
