"""The content of one slide: boxes in reading order, lists, tables, charts, diagrams, speaker notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.office.cell_values import display_value
from corpus.ingestion.readers.office.word_text import attribute, descendants, inner_text, local_name, paragraph_text
from corpus.ingestion.readers.structure import clean, one_line
from corpus.ingestion.readers.tables import table_parts

if TYPE_CHECKING:
    from pptx.chart.chart import Chart
    from pptx.parts.slide import SlidePart
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide
    from pptx.text.text import TextFrame

_SAME_ROW = 300_000  # EMU, about 8 mm: boxes with a smaller vertical distance are read from left to right
_MARGINALIA = frozenset({"dt", "ftr", "hdr", "sldNum"})
_LISTS = frozenset({"", "obj", "body"})  # a placeholder without a type is the content of the slide
_BULLETS = frozenset({"buChar", "buAutoNum", "buBlip"})
_SHAPES = frozenset({"sp", "grpSp", "graphicFrame", "cxnSp", "pic"})


def unwrap(slide: Slide) -> None:
    """Replace AlternateContent wrappers, such as around boxes with formulas, by the shapes in them.

    Choice is preferred to Fallback (ISO/IEC 29500-3, 10.2.1).
    """
    for wrapper in list(descendants(slide.element, "AlternateContent")):
        parent = wrapper.getparent()
        if parent is None or local_name(parent) not in ("spTree", "grpSp"):
            continue
        versions = (list(version) for version in wrapper)
        for shape in next((found for found in versions if _SHAPES & set(map(local_name, found))), []):
            wrapper.addprevious(shape)
        parent.remove(wrapper)


def is_hidden_slide(slide: Slide) -> bool:
    """Whether the slide is hidden."""
    return slide.element.get("show") in ("0", "false")


def find_slide_title(slide: Slide) -> str:
    """The title of the slide on one line, "" if it has none."""
    title = slide.shapes.title
    return inner_text(title.element.txBody) if title is not None and title.has_text_frame else ""


def slide_texts(slide: Slide) -> list[str]:
    """The paragraphs, lists and tables of the slide without its title, then the speaker notes."""
    title = slide.shapes.title
    shapes = (shape for shape in slide.shapes if title is None or shape.element is not title.element)
    texts = [text for shape in _in_order(shapes) for text in _shape_texts(shape, slide.part)]
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        spoken = _box(frame, in_list=False)
        texts += [f"Speaker notes: {spoken}"] if spoken else []
    return texts


def _in_order(shapes: Iterable[BaseShape]) -> list[BaseShape]:
    """The shapes from top to bottom, those side by side from left to right."""
    placed = sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    rows: list[list[BaseShape]] = []
    for shape in placed:
        if rows and (shape.top or 0) - (rows[-1][0].top or 0) < _SAME_ROW:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [shape for row in rows for shape in sorted(row, key=lambda shape: shape.left or 0)]


def _shape_texts(shape: BaseShape, part: SlidePart) -> Iterator[str]:
    kind = _placeholder(shape)
    if kind in _MARGINALIA:
        return
    if local_name(shape.element) == "grpSp":
        for inner in _in_order(shape.shapes):
            yield from _shape_texts(inner, part)
    elif shape.has_text_frame:
        text = _box(shape.text_frame, in_list=kind in _LISTS)
        yield from [text] if text else []
    elif getattr(shape, "has_table", False):
        rows = [["" if cell.is_spanned else inner_text(cell._tc) for cell in row.cells] for row in shape.table.rows]
        yield from _table(rows)
    elif getattr(shape, "has_chart", False):
        try:
            yield from _chart(shape.chart)
        except MemoryError:
            raise
        except Exception:  # without readable numbers it is only a picture
            return
    else:
        yield from _diagram(shape, part)


def _placeholder(shape: BaseShape) -> str | None:
    """The type of a placeholder, "" for the content of a slide. None for other shapes."""
    return str(next(descendants(shape.element, "ph")).get("type", "")) if shape.is_placeholder else None


def _box(frame: TextFrame, *, in_list: bool) -> str:
    """The paragraphs of a box, list items as "- " lines."""
    elements = [(paragraph._p, clean(paragraph_text(paragraph._p)).strip()) for paragraph in frame.paragraphs]
    filled = [(element, text) for element, text in elements if text]
    box, before = "", False
    for element, text in filled:
        depth = _depth(element, in_list=in_list and len(filled) > 1)
        glue = "\n" if before and depth is not None else "\n\n"
        item = text if depth is None else "  " * depth + "- " + text.replace("\n", "\n" + "  " * (depth + 1))
        box, before = f"{box}{glue}{item}" if box else item, depth is not None
    return box


def _depth(paragraph: Any, *, in_list: bool) -> int | None:
    """The depth of a list item, from 0. None for a plain paragraph."""
    properties = next((child for child in paragraph if local_name(child) == "pPr"), None)
    marks = {local_name(child) for child in properties} if properties is not None else set()
    level = properties.get("lvl", "0") if properties is not None else "0"
    if "buNone" in marks or not (in_list or marks & _BULLETS or level != "0"):
        return None
    return min(int(level), 8) if level.isdecimal() else 0


def _table(rows: list[list[str]]) -> Iterator[str]:
    filled = [row for row in rows if any(row)]
    if filled:
        yield from (part.text for part in table_parts(filled[0], filled[1:]))


def _chart(chart: Chart) -> list[str]:
    """The title of a chart and its numbers as a table."""
    title = one_line(chart.chart_title.text_frame.text) if chart.has_title and chart.chart_title.has_text_frame else ""
    series = list(chart.plots[0].series)
    header = ["", *(one_line(each.name) for each in series)]
    columns = [[one_line(str(label)) for label in chart.plots[0].categories]]
    columns += [[display_value(value) for value in each.values] for each in series]
    rows = [list(row) for row in zip(*columns, strict=False)]
    return [*filter(None, [title]), *_table([header, *rows] if rows else [])]


def _diagram(shape: BaseShape, part: SlidePart) -> Iterator[str]:
    """The words of a SmartArt diagram, which are in a separate part."""
    from pptx.oxml import parse_xml

    for mark in descendants(shape.element, "relIds"):
        points = descendants(parse_xml(part.related_part(attribute(mark, "dm")).blob), "pt")
        words = [text for point in points if point.get("type", "node") == "node" and (text := inner_text(point))]
        if words:
            yield "\n".join(f"- {text}" for text in words)
