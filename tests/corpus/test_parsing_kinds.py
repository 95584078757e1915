"""The kind of a file is decided by its content; what cannot be read is named, with what to do."""

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from unicodedata import normalize

import docx
import pptx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from corpus.ingestion.parsing import UnreadableDocument, parse, sniff
from corpus.ingestion.sandbox import runner
from tests import documents

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def package(**parts: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def office(folder: str) -> bytes:
    return package(**{"[Content_Types].xml": "<Types/>", f"{folder}/main.xml": "<x/>"})


@pytest.mark.parametrize(
    ("data", "filename", "media_type"),
    [
        (documents.pdf([["Text."]]), "notes.txt", "application/pdf"),
        (b"\r\n" + documents.pdf([["Text."]]), "", "application/pdf"),
        (
            documents.word(("Normal", "Text.")),
            "notes.pdf",
            DOCX,
        ),
        (
            documents.presentation(("Cells", ["They live."])),
            "notes.docx",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
        (
            documents.workbook({"Marks": [["Name", "Mark"], ["Ada", 1]]}),
            "marks.csv",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (b"<!-- page --> <!DOCTYPE html><html><body>Hi</body></html>", "page.txt", "text/html"),
        (
            b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>Hi</p></html>',
            "",
            "text/html",
        ),
        (b"<h1>Cells</h1><p>They live.</p>", "part.html", "text/html"),
        (b"<h1>Cells</h1>\n\nThey live.", "part.md", "text/markdown"),
        (b"No marks here.", "notes.html", "text/plain"),
        (documents.ebook(("One", "<p>Hi</p>")), "book.zip", "application/epub+zip"),
        (b"Name,Mark\nAda,1\n", "marks.CSV", "text/csv"),
        (b"Name,Mark\nAda,1\n", "marks.txt", "text/plain"),
        (documents.MARKDOWN.encode(), "book", "text/markdown"),
        (documents.MARKDOWN.encode(), "book.txt", "text/markdown"),
        (b"No marks here.", "notes.MD", "text/markdown"),
        (rb"{\rtf1\ansi Hello}", "notes.doc", "application/rtf"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n", "film.txt", "text/vtt"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nHello\n", "film.srt", "text/vtt"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: Trip\nDate: today\n\nHello\n", "mail.txt", "message/rfc822"),
        (b"Name: Ada\nClass: 7a\nRoom: A1\n\nHello\n", "notes.txt", "text/plain"),
        (b'{"cells": [{"cell_type": "markdown", "source": ["Hi"]}]}', "a.txt", "application/x-ipynb+json"),
        (documents.open_document("text", "<text:p>Hi</text:p>"), "a.docx", "application/vnd.oasis.opendocument.text"),
        (b"No marks here.", "notes.pdf", "text/plain"),
        (b"# one comment\nx = 1\n# another\ny = 2\n", "script.txt", "text/plain"),
        (b"A PDF begins with %PDF- and a number.", "", "text/plain"),
        (b"BM stands for bench mark, MZ for nothing.", "", "text/plain"),
    ],
)
def test_kind_by_content(data: bytes, filename: str, media_type: str) -> None:
    assert sniff(data, filename) == media_type
    assert parse(data, filename=filename).media_type == media_type


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (bytes(5000), "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "This picture is damaged"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "This picture is damaged"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(100), "This picture is damaged"),
        (b"II*\x00" + bytes(100), "This picture is damaged"),
        (b"GIF89a" + bytes(100), "a picture in a format that cannot be read"),
        (b"\x00\x00\x00\x18ftypheic" + bytes(100), "save it as PNG or JPEG"),
        (b"\x00\x00\x00\x18ftypmp42" + bytes(100), "a video"),
        (documents.old_office("WordDocument", "Workbook"), r"old \.doc format"),
        (documents.old_office("Workbook", "WordDocument"), r"old \.xls format"),
        (documents.old_office() + "WordDocument".encode("utf-16-le"), "an old Microsoft Office file"),
        (documents.old_office("EncryptedPackage"), "protected by a password"),
        (office("xl"), "This Excel file is damaged"),
        (office("ppt"), "This PowerPoint file is damaged"),
        (package(mimetype="application/epub+zip"), "This e-book is damaged"),
        (package(mimetype="application/vnd.oasis.opendocument.text"), "This OpenDocument file is damaged"),
        (package(mimetype="application/vnd.oasis.opendocument.graphics"), "an OpenDocument file of a kind"),
        (package(notes="text"), "a ZIP archive"),
        (rb"{\rtf1\ansi" + b"{" * 1000, "rich text file is damaged"),
        (b'{"cells": [{"cell_type": "code"', "notebook is damaged"),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "an XML file"),
        (b"\x7fELF\x02\x01\x01" + bytes(50), "a program"),
        (bytes(range(256)) * 20, "not a document that can be read"),
        (b" \n\t\n", "no text"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, words: str) -> None:
    with pytest.raises(UnreadableDocument, match=words) as refusal:
        parse(data, filename="lesson.pdf")
    message = str(refusal.value)
    assert message.endswith(".")
    told = ("empty", "no text", "is damaged", "Lectern can read PDF, Word (.docx)")
    assert any(words in message for words in told)


@pytest.mark.parametrize(
    ("data", "filename"),
    [
        (documents.pdf([["Text."]]), ""),
        (documents.word(("Heading 1", "Cells"), ("Normal", "Text.")), ""),
        (documents.presentation(("Cells", ["They live.", "They grow."])), ""),
        (documents.workbook({"Marks": [["Name", "Mark"], ["Ada", 1]]}), ""),
        (documents.web_page("<h1>Cells</h1><p>They live."), ""),
        (documents.ebook(("Cells", "<p>They live.</p>")), ""),
        ("Schüler,Note\nJörg,1\n".encode("cp1252"), "marks.csv"),
        (documents.MARKDOWN.encode(), ""),
        (b"<b>Line one</b> of a file.\n\n<table><tr><th>A<th>B<tr><td>1<td>2</table>\n\nEnd.", "a.md"),
        (documents.open_document("text", "<text:p>Hi</text:p>"), ""),
        (rb"{\rtf1 Hello}", ""),
        (b"From: a@b.c\nSubject: Trip\nDate: x\n\nHello", "a.eml"),
        (b'{"cells": [{"cell_type": "markdown", "source": ["Hi"]}]}', "a.ipynb"),
    ],
)
def test_every_kind_is_read_in_confinement_as_it_is_outside(data: bytes, filename: str) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        assert runner.parse_in_sandbox(file, filename=filename) == parse(data, filename=filename)


def test_an_archive_whose_kind_cannot_be_unpacked_is_named() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip" * 3)
    data = bytearray(buffer.getvalue())
    data[30 + len("mimetype")] = 0xFF  # a block of a type that there is not
    with pytest.raises(UnreadableDocument, match="a ZIP archive"):
        parse(bytes(data))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for head in (b"", b"%PDF-1.4\n", b"PK\x03\x04", b"\xff\xfe"):
        try:
            parsed = parse(head + data)
        except UnreadableDocument:
            continue
        for section in parsed.sections:
            section.text.encode()
            assert "\x00" not in section.text


LONG = "a" * 40_000_000


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (documents.word(("Normal", "a")), lambda: documents.word(("Normal", LONG))),
        (documents.presentation(("a", ["b"])), lambda: documents.presentation((LONG, ["b"]))),
        (documents.ebook(("a", "<p>b")), lambda: documents.ebook(("a", f"<p>{LONG}"))),
    ],
)
def test_a_lack_of_memory_is_no_damage(small: bytes, large: Callable[[], bytes]) -> None:
    code = (
        "import resource, sys; from corpus.ingestion.parsing import parse; data = sys.stdin.buffer.read();"
        "parse(data[:int(sys.argv[1])]);"  # loads the library
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize();"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (16 << 20),) * 2);"
        "parse(data[int(sys.argv[1]):])"
    )
    command = [sys.executable, "-c", code, str(len(small))]
    run = subprocess.run(command, input=small + large(), capture_output=True, check=False)
    assert run.stderr.decode().splitlines()[-1].startswith("MemoryError")


def test_reading_text_does_not_load_the_office_and_pdf_libraries() -> None:
    code = (
        "import sys, corpus.ingestion.parsing; corpus.ingestion.parsing.parse(b'# A\\n\\ntext', filename='a.md');"
        "print([name for name in ('docx', 'pptx', 'openpyxl', 'lxml', 'pypdfium2', 'django') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_letters_are_composed_in_text_headings_and_title() -> None:
    text = normalize("NFD", "# Übung\n\n## Lösung\n\nDie Säure löst Kalk.\n")
    parsed = parse(text.encode(), filename="a.md")
    [section] = parsed.sections
    assert (parsed.title, section.heading_path, section.text) == ("Übung", ("Übung", "Lösung"), "Die Säure löst Kalk.")


def word_with_looks() -> bytes:
    document = docx.Document()
    document.add_paragraph("A heading of its own").runs[0].bold = True
    paragraph = document.add_paragraph("Water moves by ")
    for part in ("osm", "osis"):  # a word is often cut into runs
        paragraph.add_run(part).bold = True
    paragraph.add_run(" in ")
    paragraph.add_run("plant cells").italic = True
    paragraph.add_run(".")
    table = document.add_table(2, 2)
    for cell, text in zip((*table.rows[0].cells, *table.rows[1].cells), ("Name", "Place", "Root", "Soil"), strict=True):
        cell.paragraphs[0].add_run(text).bold = text == "Name"
        cell.paragraphs[0].add_run(" here")
    return documents.saved(document)


def slide_with_looks() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Cells"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, look in (
        ("Water moves by ", ""),
        ("osmosis", "bold"),
        (" in ", ""),
        ("plant cells", "italic"),
        (".", ""),
    ):
        run = paragraph.add_run()
        run.text = text
        if look:
            setattr(run.font, look, True)
    return documents.saved(presentation)


def pdf_with_looks() -> bytes:
    styles, buffer = getSampleStyleSheet(), io.BytesIO()
    text = (
        "<b>Water</b> moves by <b>osmosis</b> in plant cells. " + "It flows on. " * 8 + "It needs a <b>cell wall</b>."
    )
    story = [PageBreak(), Paragraph("<b>A heading of its own</b>", styles["Normal"]), Paragraph(text, styles["Normal"])]
    SimpleDocTemplate(buffer).build(story)
    return buffer.getvalue()


BOLD_STYLE = (
    '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
)


@pytest.mark.parametrize(
    ("data", "marks"),
    [
        (word_with_looks(), {"**osmosis**", "*plant cells*"}),
        (slide_with_looks(), {"**osmosis**", "*plant cells*"}),
        (
            documents.web_page(
                "<p><b>A heading</b></p><p>Water moves by <strong>osmosis</strong> in <a><em>plant cells</em></a>.</p>"
            ),
            {"**osmosis**", "*plant cells*"},
        ),
        (
            documents.web_page(
                "<p><span><b><i>A heading</i></b></span></p>"
                "<p>Water moves by <b>osm</b><strong>osis</strong> in <i>plant</i> <em>cells</em>.</p>"
            ),
            {"**osmosis**", "*plant cells*"},
        ),
        (rb"{\rtf1\ansi Water moves by {\b osmosis} in {\i plant cells}.\par}", {"**osmosis**", "*plant cells*"}),
        (  # each sign of its own is a piece of the bold text
            rb"{\rtf1 {\b \'dcber Wasser}\par Water moves by osmosis in plant cells. Das ist {\b L\'f6slichkeit}.}",
            {"**Löslichkeit**"},
        ),
        (
            documents.open_document(
                "text",
                '<text:p>Water moves by <text:span text:style-name="B">osmosis</text:span> in plant cells.</text:p>',
                BOLD_STYLE,
            ),
            {"**osmosis**"},
        ),
        (pdf_with_looks(), {"**Water**", "**osmosis**", "**cell wall**"}),
    ],
)
def test_emphasised_words_are_kept_beside_the_text(data: bytes, marks: set[str]) -> None:
    """A line that is bold as a whole is a heading, and so is the first row of a table. A blank page has no words."""
    sections = parse(data).sections
    assert "Water moves by osmosis in plant cells." in "".join(section.text for section in sections)
    assert {mark for section in sections if section.text for mark in section.marks} == marks
