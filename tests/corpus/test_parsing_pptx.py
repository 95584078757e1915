"""PowerPoint: slides are pages, boxes in reading order, tables, groups, notes; what is hidden or damaged is named."""

import io
import zipfile
from collections.abc import Callable
from copy import deepcopy

import pptx
import pytest
from lxml import etree
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Cm

from corpus.ingestion.parsing import UnreadableDocument, parse
from tests import documents, scans

NAMESPACES = " ".join(
    f'xmlns:{prefix}="http://schemas.{name}"'
    for prefix, name in {
        "a": "openxmlformats.org/drawingml/2006/main",
        "p": "openxmlformats.org/presentationml/2006/main",
        "m": "openxmlformats.org/officeDocument/2006/math",
        "a14": "microsoft.com/office/drawing/2010/main",
    }.items()
)


def make_deck(draw: Callable[[pptx.slide.Slide], None]) -> bytes:
    """A presentation of one slide without placeholders."""
    deck = pptx.Presentation()
    draw(deck.slides.add_slide(deck.slide_layouts[6]))
    return documents.saved(deck)


def box(shapes: pptx.shapes.shapetree.SlideShapes, text: str, left: float, top: float) -> None:
    shapes.add_textbox(Cm(left), Cm(top), Cm(5), Cm(1)).text_frame.text = text


def rewritten(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The package with every part passed through `change`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def test_a_slide_is_a_page_and_its_title_the_heading() -> None:
    parsed = parse(
        documents.presentation(
            ("Cells", ["They are small.", "They live."]),
            ("Energy", ["Plants store it as starch."]),
            ("Any questions?", []),
            title="Biology 7",
        )
    )
    assert (parsed.title, parsed.pages, parsed.notes) == ("Biology 7", 3, ())
    assert [(section.heading_path, section.page, section.text) for section in parsed.sections] == [
        (("Cells",), 1, "- They are small.\n- They live."),
        (("Energy",), 2, "Plants store it as starch."),
        (("Any questions?",), 3, "Any questions?"),
    ]


def test_the_first_slide_names_a_presentation_without_a_title_of_its_own() -> None:
    assert parse(documents.presentation(("Cells", ["x y"]), title="PowerPoint Presentation")).title == "Cells"


def test_sections_stand_above_the_slides() -> None:
    data = documents.presentation(("Cells", ["Small."]), ("Energy", ["Starch."]), ("Water", ["Wet."]))
    sections = (
        '<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst '
        'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">'
        '<p14:section name="Biology" id="{1}"><p14:sldIdLst><p14:sldId id="256"/><p14:sldId id="257"/>'
        '</p14:sldIdLst></p14:section><p14:section name="Chemistry" id="{2}"><p14:sldIdLst>'
        '<p14:sldId id="258"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>'
    )

    def change(name: str, part: bytes) -> bytes:
        return part.replace(b"</p:presentation>", sections.encode()) if name == "ppt/presentation.xml" else part

    assert [section.heading_path for section in parse(rewritten(data, change)).sections] == [
        ("Biology", "Cells"),
        ("Biology", "Energy"),
        ("Chemistry", "Water"),
    ]


def test_boxes_are_read_from_top_to_bottom_and_side_by_side_from_the_left() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        box(slide.shapes, "Fourth.", 2, 9)
        box(slide.shapes, "Third.", 12, 5)
        box(slide.shapes, "First.", 2, 1)
        group = slide.shapes.add_group_shape()
        box(group.shapes, "in a group.", 2, 5.6)
        box(group.shapes, "Second,", 2, 5.1)

    [section] = parse(make_deck(draw)).sections
    assert section.heading_path == ("Slide 1",)
    assert section.text.split("\n\n") == ["First.", "Second,", "in a group.", "Third.", "Fourth."]


def wrapped(shape: pptx.shapes.base.BaseShape) -> None:
    """The shape as PowerPoint writes one with a formula: with a picture for programs that do not know it."""
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    wrapper = etree.Element(f"{{{mc}}}AlternateContent", nsmap={"mc": mc})
    shape.element.addprevious(wrapper)
    fallback = deepcopy(shape.element)
    fallback.txBody.p_lst[0].r_lst[0].text = "Another"
    etree.SubElement(wrapper, f"{{{mc}}}Choice", Requires="a14").append(shape.element)
    etree.SubElement(wrapper, f"{{{mc}}}Fallback").append(fallback)


def test_boxes_with_formulas_and_boxes_of_the_same_id_are_read() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Squares"
    box(slide.shapes, "On its own.", 2, 6)
    box(slide.shapes, "Same id.", 2, 8)
    slide.shapes[2].element.nvSpPr.cNvPr.set("id", str(slide.shapes.title.shape_id))
    group = slide.shapes.add_group_shape()
    box(group.shapes, "In a group.", 2, 10)
    for shape in (slide.shapes.title, slide.shapes[1], group.shapes[0]):
        wrapped(shape)
    [section] = parse(documents.saved(deck)).sections
    assert (section.heading_path, section.text) == (("Squares",), "On its own.\n\nSame id.\n\nIn a group.")


def test_tables_and_charts_become_markdown_tables() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        table = slide.shapes.add_table(3, 2, Cm(1), Cm(1), Cm(8), Cm(3)).table
        for row, cells in enumerate([["Gas", "Share"], ["Nitrogen", "78 %"], ["Oxygen", "21 % | O2"]]):
            for column, text in enumerate(cells):
                table.cell(row, column).text = text
        data = CategoryChartData()
        data.categories = ["2020", "2021"]
        data.add_series("Pupils", (412, 430.5))
        slide.shapes.add_chart(XL_CHART_TYPE.LINE, Cm(1), Cm(8), Cm(8), Cm(6), data)

    [section] = parse(make_deck(draw)).sections
    assert section.text.split("\n\n") == [
        "| Gas | Share |\n| --- | --- |\n| Nitrogen | 78 % |\n| Oxygen | 21 % \\| O2 |",
        "|  | Pupils |\n| --- | --- |\n| 2020 | 412 |\n| 2021 | 430.5 |",
    ]


def test_nested_lists_keep_their_depth() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.placeholders[1].text = "Plants\nTrees\nAnimals"
    slide.placeholders[1].text_frame.paragraphs[1].level = 1
    assert parse(documents.saved(deck)).sections[0].text == "- Plants\n  - Trees\n- Animals"


def paragraphs(shapes: pptx.shapes.shapetree.SlideShapes, *xml: str, top: float = 1) -> pptx.shapes.base.BaseShape:
    """A box of paragraphs given by the XML inside each."""
    shape = shapes.add_textbox(Cm(2), Cm(top), Cm(9), Cm(1))
    body = shape.text_frame._txBody
    body.remove(body.p_lst[0])
    for inner in xml:
        body.append(parse_xml(f"<a:p {NAMESPACES}>{inner}</a:p>"))
    return shape


def run(text: str, attributes: str = "", inner: str = "") -> str:
    return f"<a:r><a:rPr {attributes}>{inner}</a:rPr><a:t>{text}</a:t></a:r>"


def colour(code: str) -> str:
    return f'<a:solidFill><a:srgbClr val="{code}"/></a:solidFill>'


def test_raised_lowered_and_crossed_out_text() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        powers = run("10") + run("23", 'baseline="30000"') + run(", CO") + run("2", 'baseline="-25000"')
        prices = run("Entry ") + run("4 euros", 'strike="sngStrike"') + run(" 3 euros")
        paragraphs(
            slide.shapes, powers, prices, run("x\u2011axis") + run("\u00fe", "", '<a:latin typeface="Wingdings"/>')
        )

    parsed = parse(make_deck(draw))
    assert parsed.sections[0].text.split("\n\n") == ["10^(23), CO2", "Entry 3 euros", "x-axis☑"]
    assert parsed.notes == ("Crossed-out text was left out.",)


def test_hidden_text_is_left_out_and_noted() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        paragraphs(slide.shapes, run("Shown.") + run("Answer 1", "", colour("FFFFFF")))
        theme = '<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'
        paragraphs(slide.shapes, run("Answer 2", "", theme), top=4)
        dark = paragraphs(slide.shapes, run("White on blue.", "", colour("FFFFFF")), top=7)
        dark.fill.solid()
        dark.fill.fore_color.rgb = RGBColor(0, 0, 99)
        paragraphs(slide.shapes, run("On the dark box.", "", colour("FFFFFF")), top=7.5)
        paragraphs(slide.shapes, run("Answer 3")).left = Cm(60)
        hidden = paragraphs(slide.shapes, run("Answer 4"))
        hidden._element.nvSpPr.cNvPr.set("hidden", "1")

    parsed = parse(make_deck(draw))
    assert parsed.sections[0].text.split("\n\n") == ["Shown.", "White on blue.", "On the dark box."]
    assert parsed.notes == ("Hidden text was left out.",)


def test_automatic_numbers_are_counted() -> None:
    def numbered(text: str, kind: str, start: int = 1, level: int = 0) -> str:
        return f'<a:pPr lvl="{level}"><a:buAutoNum type="{kind}" startAt="{start}"/></a:pPr>{run(text)}'

    def draw(slide: pptx.slide.Slide) -> None:
        steps = ("Heat it.", 0), ("slowly", 1), ("gently", 1), ("Cool it.", 0)
        kinds = "arabicPeriod", "alphaLcParenBoth"
        paragraphs(slide.shapes, *(numbered(text, kinds[level], 3 - 2 * level, level) for text, level in steps))

    assert parse(make_deck(draw)).sections[0].text == "3. Heat it.\n   - (a) slowly\n   - (b) gently\n4. Cool it."


def test_merged_cells_of_tables() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        cells = [["Team", "Term 1", ""], ["", "Test", "Project"], ["Heron", "8", "11"], ["", "7", "9"]]
        table = slide.shapes.add_table(4, 3, Cm(1), Cm(1), Cm(8), Cm(3)).table
        for row, texts in enumerate(cells):
            for column, text in enumerate(texts):
                table.cell(row, column).text = text
        for first, last in (((0, 1), (0, 2)), ((0, 0), (1, 0)), ((2, 0), (3, 0))):
            table.cell(*first).merge(table.cell(*last))

    rows = "| Team | Term 1 Test | Term 1 Project |\n| --- | --- | --- |\n| Heron | 8 | 11 |\n| Heron | 7 | 9 |"
    assert parse(make_deck(draw)).sections[0].text == rows


def test_cells_merged_in_both_directions_take_no_more_columns() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        table = slide.shapes.add_table(3, 3, Cm(1), Cm(1), Cm(20), Cm(5)).table
        for number, text in enumerate(["Time", "", "May", "", "", "June", "8:00", "Maths", "Art"]):
            table.cell(*divmod(number, 3)).text = text
        table.cell(0, 0).merge(table.cell(1, 1))

    [section] = parse(make_deck(draw)).sections
    assert section.text == "| Time |  | May June |\n| --- | --- | --- |\n| 8:00 | Maths | Art |"


def test_formulas_and_pictures() -> None:
    def draw(slide: pptx.slide.Slide) -> None:
        base = "<m:d><m:e><m:r><m:t>r+1</m:t></m:r></m:e></m:d>"
        power = f"<m:sSup><m:e>{base}</m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
        paragraphs(slide.shapes, f"<a14:m><m:oMath>{power}</m:oMath></a14:m>")
        for words in ("Map of the harbour", ""):
            picture = slide.shapes.add_picture(io.BytesIO(scans.picture(Image.new("RGB", (1, 1)))), Cm(1), Cm(9))
            picture._element.nvPicPr.cNvPr.set("descr", words)

    parsed = parse(make_deck(draw))
    assert parsed.sections[0].text == "$(r+1)^(2)$\n\n[Picture: Map of the harbour]"
    assert parsed.notes == ("Pictures on slide 1 have no description; text in pictures was not read.",)


def test_footers_stand_once_at_the_beginning() -> None:
    deck = pptx.Presentation(io.BytesIO(documents.presentation(("Cells", ["Small."]), ("Energy", ["Starch."]))))
    for slide in deck.slides:
        box(slide.shapes, "Version 5", 2, 17)
        placeholder = parse_xml(f'<p:ph {NAMESPACES} type="ftr" idx="11"/>')
        slide.shapes[-1]._element.nvSpPr.nvPr.append(placeholder)
    texts = [section.text for section in parse(documents.saved(deck)).sections]
    assert texts == ["Version 5\n\nSmall.", "Starch."]


def test_speaker_notes_are_marked_as_such() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Photosynthesis"
    slide.notes_slide.notes_text_frame.text = "Show the leaf first."
    [section] = parse(documents.saved(deck)).sections
    assert (section.heading_path, section.text) == (
        ("Photosynthesis",),
        "Speaker notes: Show the leaf first.",
    )


def test_hidden_slides_and_slides_without_text_are_noted() -> None:
    deck = pptx.Presentation()
    for words in ("Question", "Answer", ""):
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = words
    deck.slides[1].element.set("show", "0")
    parsed = parse(documents.saved(deck))
    assert [section.text for section in parsed.sections] == ["Question"]
    assert parsed.notes == (
        "Slide 2 is hidden and was left out.",
        "Slide 3 has no text (it may be a picture).",
    )


def test_pictures_of_slides_are_named() -> None:
    with pytest.raises(UnreadableDocument, match="have no text"):
        parse(make_deck(lambda slide: None))


def test_entities_are_not_expanded() -> None:
    def change(name: str, part: bytes) -> bytes:
        if name != "ppt/slides/slide1.xml":
            return part
        declaration, _, rest = part.partition(b"?>")
        entities = b'<!ENTITY a "haha"><!ENTITY c SYSTEM "/etc/passwd">'
        return declaration + b"?><!DOCTYPE x [" + entities + b"]>" + rest.replace(b"MARK", b"&a;&c;")

    text = parse(rewritten(documents.presentation(("Safe", ["x MARK y"])), change)).sections[0].text
    assert "haha" not in text
    assert "root:" not in text


def test_a_damaged_file_is_named() -> None:
    data = documents.presentation(("Cells", ["Small."]))
    cut = rewritten(data, lambda name, part: part[:100] if name == "ppt/slides/slide1.xml" else part)
    for broken in (data[: len(data) // 2], cut):
        with pytest.raises(UnreadableDocument, match="PowerPoint file is damaged"):
            parse(broken)


def test_a_show_is_named() -> None:
    def change(name: str, part: bytes) -> bytes:
        return part.replace(b"presentation.main+xml", b"slideshow.main+xml")

    with pytest.raises(UnreadableDocument, match="show or template"):
        parse(rewritten(documents.presentation(("Cells", ["Small."])), change))
