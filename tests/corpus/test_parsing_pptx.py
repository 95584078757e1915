"""PowerPoint: slides are pages, boxes in reading order, tables, groups, notes; what is hidden or damaged is named."""

import io
import zipfile
from collections.abc import Callable
from copy import deepcopy

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from corpus.ingestion.parsing import UnreadableDocument, parse
from tests import documents


def deck_of(draw: Callable[[pptx.slide.Slide], None]) -> bytes:
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

    [section] = parse(deck_of(draw)).sections
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

    [section] = parse(deck_of(draw)).sections
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
        parse(deck_of(lambda slide: None))


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
