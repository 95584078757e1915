"""The content of one slide: boxes in reading order, lists, tables, charts, diagrams, speaker notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from corpus.ingestion.readers.lists import ListLines
from corpus.ingestion.readers.numerals import format_number
from corpus.ingestion.readers.office.cell_values import display_value
from corpus.ingestion.readers.office.slide_colours import SlideColours
from corpus.ingestion.readers.office.symbol_fonts import read_box
from corpus.ingestion.readers.office.table_grid import GridCell, write_table
from corpus.ingestion.readers.office.text_reader import HIDDEN, STRUCK, RunLook, Shift, TextReader
from corpus.ingestion.readers.office.word_styles import is_same_colour
from corpus.ingestion.readers.structure import clean, one_line
from corpus.ingestion.readers.xml import (
    attribute,
    child_elements,
    contains,
    descendants,
    find_child,
    has_any_text,
    local_name,
    unwrap,
)

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.chart.chart import Chart
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide
    from pptx.text.text import TextFrame

_SAME_ROW = 300_000  # EMU, about 8 mm: boxes with a smaller vertical distance are read from left to right
_FOOTERS = frozenset({"dt", "ftr", "hdr"})
_LISTS = frozenset({"", "obj", "body"})  # a placeholder without a type is the content of the slide
_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_SIGNS = {"ParenBoth": "({})", "ParenR": "{})", "Plain": "{}"}


class SlideReader:
    """Reads the slides of a presentation and remembers what it leaves out."""

    def __init__(self, width: int, height: int) -> None:
        self.text = TextReader(self._find_look)
        self.footers: dict[str, None] = {}
        self._size = (width, height)
        self._shape: BaseShape | None = None  # that is being read, None if nothing is known of its colours
        self._ground: str | None = None  # behind it, None before it is looked for

    def read(self, slide: Slide) -> tuple[str, list[str]]:
        """The title of the slide on one line, "" if it has none; its other texts, then the speaker notes."""
        unwrap(slide.element)
        self._slide, self._colours = slide, SlideColours(slide)
        title, heading, texts = slide.shapes.title, "", list[str]()
        for shape in _in_order(slide.shapes):
            if self._is_unseen(shape):
                continue
            if title is not None and shape.element is title.element and title.has_text_frame:
                self._shape, self._ground = shape, None
                heading = self.text.inner_text(title.element.txBody)
            else:
                texts += self._read(shape)
        self._shape = None
        if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
            spoken = self._box(frame, in_list=False)
            texts += [f"Speaker notes: {spoken}"] if spoken else []
        return heading, texts

    def _is_unseen(self, shape: BaseShape) -> bool:
        """Whether a shape is hidden or outside the slide."""
        left, top, width, height = (each or 0 for each in (shape.left, shape.top, shape.width, shape.height))
        is_inside = left + width >= 0 and top + height >= 0 and left <= self._size[0] and top <= self._size[1]
        properties = next(descendants(shape.element, "cNvPr"), None)
        is_unseen = not is_inside or attribute(properties, "hidden") in ("1", "true")
        if is_unseen:
            self.text.leave_out(HIDDEN, shape.element)
        return is_unseen

    def _read(self, shape: BaseShape) -> Iterator[str]:
        kind = _placeholder(shape)
        self._shape, self._ground = shape, None
        if kind in _FOOTERS and shape.has_text_frame and not contains(shape.element, "fld"):
            self.footers[self.text.inner_text(shape.element.txBody)] = None
        elif kind in _FOOTERS or kind == "sldNum":
            return
        elif local_name(shape.element) == "grpSp":
            for inner in _in_order(shape.shapes):
                yield from self._read(inner)
        elif shape.has_text_frame and has_any_text(shape.element):
            text = self._box(shape.text_frame, in_list=kind in _LISTS)
            yield from [text] if text else []
        elif getattr(shape, "has_table", False):
            self._shape = None
            yield from write_table([[self._cell(cell._tc) for cell in row.cells] for row in shape.table.rows])
        elif getattr(shape, "has_chart", False):
            try:
                yield from _chart(shape.chart)
            except MemoryError:
                raise
            except Exception:  # without readable numbers it is only a picture
                self.text.pictures += 1
        elif contains(shape.element, "relIds"):
            yield from self._diagram(shape)
        elif words := self.text.describe_picture(shape.element):
            yield words

    def _cell(self, cell: _Element) -> GridCell:
        across, down = (attribute(cell, name) in ("1", "true") for name in ("hMerge", "vMerge"))
        if across or down:
            return GridCell(covered="across" if across else "down")
        return GridCell(self.text.inner_text(cell))

    def _box(self, frame: TextFrame, *, in_list: bool) -> str:
        """The paragraphs of a box, items of lists as lines."""
        elements = [paragraph._p for paragraph in frame.paragraphs if contains(paragraph._p, "t")]
        texts = [clean(self.text.paragraph_text(element)).strip() for element in elements]
        in_list = in_list and sum(map(bool, texts)) > 1
        lines, counter, box = ListLines(), _Counter(frame._txBody, self._shape), ""
        for element, text in zip(elements, texts, strict=True):
            depth, label = counter.count(element, in_list=in_list)
            if text:
                glue, line = lines.write(text, depth, label)
                box += (glue if box else "") + line
        return box

    def _diagram(self, shape: BaseShape) -> Iterator[str]:
        """The words of a SmartArt diagram, which are in a separate part."""
        from pptx.oxml import parse_xml

        for mark in descendants(shape.element, "relIds"):
            points = descendants(parse_xml(self._slide.part.related_part(attribute(mark, "dm")).blob), "pt")
            words = [self.text.inner_text(point) for point in points if point.get("type", "node") == "node"]
            yield from filter(None, ["\n".join(f"- {text}" for text in words if text)])

    def _find_look(self, run: _Element) -> RunLook:
        properties = find_child(run, "rPr")
        baseline = attribute(properties, "baseline")
        shift: Shift = "" if baseline in ("", "0", "0%") else "_" if baseline.startswith("-") else "^"
        left_out = STRUCK if attribute(properties, "strike") not in ("", "noStrike") else ""
        if not left_out and self._is_unseen_run(properties):
            left_out = HIDDEN
        faces = (attribute(find_child(properties, name), "typeface") for name in ("sym", "latin"))
        return RunLook(shift, left_out, next(filter(None, faces), ""))

    def _is_unseen_run(self, properties: _Element | None) -> bool:
        """Whether text has the colour of its ground, or none."""
        colour = self._colours.find_colour(fill) if (fill := find_child(properties, "solidFill")) is not None else ""
        if colour and self._shape is not None:
            self._ground = self._colours.find_ground(self._shape) if self._ground is None else self._ground
            return bool(self._ground and is_same_colour(colour, self._ground))
        return find_child(properties, "noFill") is not None


class _Counter:
    """Counts the automatic numbers in one box."""

    def __init__(self, body: _Element, shape: BaseShape | None) -> None:
        base = getattr(shape, "_base_placeholder", None)
        self._styles = [find_child(body, "lstStyle")]
        self._styles += [find_child(base.element, "txBody", "lstStyle")] if base is not None else []
        self._counts: dict[int, tuple[str, int]] = {}  # by depth, with the kind of number

    def count(self, paragraph: _Element, *, in_list: bool) -> tuple[int | None, str]:
        """The depth of an item from 0, None for a plain paragraph, and its number, "" for a bullet."""
        own = find_child(paragraph, "pPr")
        level = attribute(own, "lvl") or "0"
        depth = min(int(level), 8) if level.isdecimal() else 0
        properties = [own, *(find_child(style, f"lvl{depth + 1}pPr") for style in self._styles)]
        mark = next((mark for each in properties for mark in child_elements(each, *_BULLETS)), None)
        kind = "" if mark is None else local_name(mark)
        before, number = self._counts.get(depth, ("", 0))
        self._counts = {one: count for one, count in self._counts.items() if one < depth}
        if kind == "buAutoNum":
            form, start = attribute(mark, "type"), attribute(mark, "startAt") or "1"
            number = number + 1 if before == form + start else int(start) if start.isdecimal() else 1
            self._counts[depth] = (form + start, number)
            sign = next((sign for name, sign in _SIGNS.items() if form.endswith(name)), "{}.")
            return depth, sign.format(format_number(number, _FORMS.get(form[:7], "decimal")))
        if kind == "buNone" or not (in_list or kind or level != "0"):
            return None, ""
        font = next(filter(None, (attribute(find_child(each, "buFont"), "typeface") for each in properties)), "")
        return depth, read_box(attribute(mark, "char"), font)


def is_hidden_slide(slide: Slide) -> bool:
    """Whether the slide is hidden."""
    return slide.element.get("show") in ("0", "false")


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


def _placeholder(shape: BaseShape) -> str | None:
    """The type of a placeholder, "" for the content of a slide. None for other shapes."""
    return str(next(descendants(shape.element, "ph")).get("type", "")) if shape.is_placeholder else None


def _chart(chart: Chart) -> list[str]:
    """The title of a chart and its numbers as a table."""
    title = one_line(chart.chart_title.text_frame.text) if chart.has_title and chart.chart_title.has_text_frame else ""
    series = list(chart.plots[0].series)
    columns = [["", *(one_line(str(label)) for label in chart.plots[0].categories)]]
    columns += [[one_line(each.name), *map(display_value, each.values)] for each in series]
    rows = [[GridCell(cell) for cell in row] for row in zip(*columns, strict=False)]
    return [*filter(None, [title]), *write_table(rows, 1)]
