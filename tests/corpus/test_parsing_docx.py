"""Word: reading order, headings of any language, lists, tables, footnotes, and files that would do harm."""

import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.oxml.parser import parse_xml

from corpus.ingestion.parsing import UnreadableDocument, parse
from corpus.ingestion.readers.zip_package import MAX_UNPACKED
from tests import documents

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def body(*xml: str) -> bytes:
    """A Word document whose body is this XML."""
    document = docx.Document()
    for element in xml:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(element))
    return documents.saved(document)


def rewritten(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The package with every part passed through `change`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p {W}><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_lists_and_tables_in_order() -> None:
    parsed = parse(
        documents.word(
            ("Title", "Lesson notes"),
            ("Normal", "Before any heading."),
            ("Heading 1", "Photosynthesis"),
            ("Normal", "Plants need:"),
            ("List Bullet", "light"),
            ("List Bullet", "water"),
            [["Gas", "Formula"], ["Oxygen", "O2 | dioxygen"]],
            ("Heading 3", "Chlorophyll"),
            ("Normal", "It is green."),
            ("Heading 2", "Starch"),
            ("Normal", "It is stored."),
        )
    )
    assert parsed.title == "Lesson notes"
    assert parsed.pages is None
    assert [(section.heading_path, section.text) for section in parsed.sections] == [
        ((), "Before any heading."),
        (
            ("Photosynthesis",),
            "Plants need:\n\n- light\n- water\n\n| Gas | Formula |\n| --- | --- |\n| Oxygen | O2 \\| dioxygen |",
        ),
        (("Photosynthesis", "Chlorophyll"), "It is green."),
        (("Photosynthesis", "Starch"), "It is stored."),
    ]


def test_the_title_property_counts_when_no_paragraph_is_the_title() -> None:
    assert parse(documents.word(("Normal", "Text."), title="Field trip")).title == "Field trip"


@pytest.mark.parametrize("name", ["Überschrift 2", "Titre 2", "Título 2", "Заголовок 2", "标题 2"])
def test_heading_styles_of_other_languages(name: str) -> None:
    document = docx.Document()
    document.styles.add_style(name, docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Energie", style=name)
    document.add_paragraph("Text.")
    assert parse(documents.saved(document)).sections[0].heading_path == ("Energie",)


def test_outline_levels_and_styles_based_on_headings_are_headings() -> None:
    document = docx.Document()
    own = document.styles.add_style("Our chapter", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    own.base_style = document.styles["Heading 1"]
    document.add_paragraph("Forces", style="Our chapter")
    document.element.body.insert(1, parse_xml(paragraph("Friction", '<w:outlineLvl w:val="1"/>')))
    document.add_paragraph("It slows things down.")
    assert parse(documents.saved(document)).sections[0].heading_path == ("Forces", "Friction")


def test_content_controls_are_read_and_tables_of_contents_are_not() -> None:
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    data = body(
        f"<w:sdt {W}>{gallery}<w:sdtContent>{paragraph('Forces 1')}</w:sdtContent></w:sdt>",
        f"<w:sdt {W}><w:sdtContent>{paragraph('A force pulls.')}</w:sdtContent></w:sdt>",
    )
    assert [section.text for section in parse(data).sections] == ["A force pulls."]


def test_tracked_changes_read_as_accepted_and_hidden_codes_stay_hidden() -> None:
    data = body(
        f"<w:p {W}><w:r><w:t>Iron melts at </w:t></w:r>"
        "<w:del><w:r><w:delText>15</w:delText></w:r></w:del><w:ins><w:r><w:t>1538</w:t></w:r></w:ins>"
        "<w:r><w:instrText> PAGEREF _x </w:instrText></w:r>"
        "<w:hyperlink><w:r><w:t> degrees</w:t></w:r></w:hyperlink><w:r><w:noBreakHyphen/><w:t>C.</w:t></w:r></w:p>"
    )
    assert parse(data).sections[0].text == "Iron melts at 1538 degrees-C."


def test_formulas_become_one_line() -> None:
    run = "<m:r><m:t>{}</m:t></m:r>"
    data = body(
        f"<w:p {W} {M}><w:r><w:t>Speed is </w:t></w:r><m:oMath>{run.format('v=')}<m:f><m:num>{run.format('d')}</m:num>"
        f"<m:den><m:sSup><m:e>{run.format('t')}</m:e><m:sup>{run.format('2')}</m:sup></m:sSup></m:den></m:f></m:oMath></w:p>"
    )
    assert parse(data).sections[0].text == "Speed is $v=(d)/(t^(2))$"


def test_merged_cells_are_not_repeated_and_frames_are_not_tables() -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Both"
    table.cell(0, 2).text = "Third\ncolumn"
    for index in range(3):
        table.cell(1, index).text = str(index)
    frame = document.add_table(1, 1)
    frame.cell(0, 0).text = "Framed advice."
    text = parse(documents.saved(document)).sections[0].text
    assert text.split("\n\n") == [
        "| Both |  | Third column |\n| --- | --- | --- |\n| 0 | 1 | 2 |",
        "Framed advice.",
    ]


def test_footnotes_follow_the_paragraph_that_mentions_them() -> None:
    data = body(
        f'<w:p {W}><w:r><w:t>Radium glows.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>',
        paragraph("Next."),
    )
    note = f'<w:footnotes {W}><w:footnote w:id="2">{paragraph("Found in 1898.")}</w:footnote></w:footnotes>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    override = (
        '<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.footnotes+xml"/></Types>'
    )

    def change(name: str, part: bytes) -> bytes:
        if name == "[Content_Types].xml":
            return part.replace(b"</Types>", override.encode())
        if name == "word/_rels/document.xml.rels":
            relation = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
            return part.replace(b"</Relationships>", relation.encode())
        return part

    buffer = io.BytesIO(rewritten(data, change))
    with zipfile.ZipFile(buffer, "a") as package:
        package.writestr("word/footnotes.xml", note)
    assert parse(buffer.getvalue()).sections[0].text == "Radium glows.[^2]\n\n[^2]: Found in 1898.\n\nNext."


def test_entities_are_not_expanded() -> None:
    laugh, laughs = b"ha" * 50, b"&a;" * 50
    entities = b'<!ENTITY a "%s"><!ENTITY b "%s"><!ENTITY c SYSTEM "/etc/passwd">' % (laugh, laughs)

    def change(name: str, part: bytes) -> bytes:
        if name != "word/document.xml":
            return part
        declaration, _, rest = part.partition(b"?>")
        return declaration + b"?><!DOCTYPE x [" + entities + b"]>" + rest.replace(b"MARK", b"&b;&c;")

    parsed = parse(rewritten(documents.word(("Normal", "Safe text."), ("Normal", "x MARK y")), change))
    assert "haha" not in parsed.sections[0].text
    assert "root:" not in parsed.sections[0].text


def bomb(declared: int | None) -> bytes:
    """A package with a part of more than the limit in zeros, which may declare another size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", "<x/>")
        with package.open("word/media/image1.png", "w") as part:
            for _ in range(MAX_UNPACKED // 2**20 + 1):
                part.write(bytes(2**20))
    data = buffer.getvalue()
    if declared is None:
        return data
    size = (MAX_UNPACKED // 2**20 + 1) * 2**20
    return data.replace(size.to_bytes(4, "little"), declared.to_bytes(4, "little"))


def test_a_package_that_unpacks_too_large_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="unpacks to more than"):
        parse(bomb(None))


def test_a_package_that_lies_about_its_size_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="is damaged"):
        parse(bomb(1000))


def test_a_damaged_file_is_named() -> None:
    data = documents.word(("Normal", "Text."))
    with pytest.raises(UnreadableDocument, match="is damaged"):
        parse(data[: len(data) // 2])
    with pytest.raises(UnreadableDocument, match="is damaged"):
        parse(rewritten(data, lambda name, part: part[:100] if name == "word/document.xml" else part))


def test_a_file_with_macros_is_named() -> None:
    def change(name: str, part: bytes) -> bytes:
        old = b"openxmlformats-officedocument.wordprocessingml.document.main+xml"
        return part.replace(b"application/vnd." + old, b"application/vnd.ms-word.document.macroEnabled.main+xml")

    with pytest.raises(UnreadableDocument, match="macros"):
        parse(rewritten(documents.word(("Normal", "Text.")), change))


def test_a_document_without_text_is_named() -> None:
    with pytest.raises(UnreadableDocument, match="no text"):
        parse(documents.word(("Normal", " ")))
