"""PowerPoint presentations (.pptx): a slide is a page, its title a heading, its boxes are in reading order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers import xml
from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.unseen import COMMENTS, CROSSED, UNSEEN
from corpus.ingestion.readers.office.cell_values import display_value
from corpus.ingestion.readers.office.text_reader import RunLook, TextReader
from corpus.ingestion.readers.office.word_styles import is_same_colour
from corpus.ingestion.readers.signs import format_number, read_box
from corpus.ingestion.readers.structure import PPTX, Parsed, SectionBuilder, UnreadableDocument, group_while, one_line
from corpus.ingestion.readers.xml import DEPTH, LABEL, add_element, descendants, make_element
from corpus.ingestion.readers.zip_package import open_office_file, read_title

if TYPE_CHECKING:
    from pptx.chart.chart import Chart
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide
    from pptx.text.text import TextFrame

_SHOW = "This is a PowerPoint show or template. Open it in PowerPoint and save it as a .pptx presentation."
_PICTURES = (
    "The slides of this presentation have no text: they may be pictures. Text in pictures cannot be read. "
    "Run it through text recognition (OCR) as a PDF and upload the result."
)


def read(data: bytes) -> Parsed:
    import pptx

    presentation = open_office_file(data, pptx.Presentation, other_kind=_SHOW)
    builder = SectionBuilder()
    reader = SlideReader(presentation.slide_width or 0, presentation.slide_height or 0)
    slides = list(presentation.slides)
    names = _section_names(presentation)
    section = first_title = ""
    notes: list[str] = []
    pictured: list[str] = []
    for number, slide in enumerate(slides, start=1):
        if slide.element.get("show") in ("0", "false"):
            notes.append(f"Slide {number} is hidden and was left out.")
            continue
        pictures = reader.text.pictures
        title, content = reader.read(slide)
        first_title = title if number == 1 else first_title
        if not "".join(content.itertext()).strip():
            content = make_element("p", title)  # a title alone can be found
            if not title:
                notes.append(f"Slide {number} has no text (it may be a picture).")
                continue
        pictured += [str(number)] * (reader.text.pictures > pictures)
        if names.get(slide.slide_id, section) != section:
            section = names[slide.slide_id]
            builder.heading(1, section, page=number)
        builder.heading(2 if section else 1, title or f"Slide {number}", page=number)
        HtmlBlocks(builder, page=number).read(content)
    sections = builder.finish()
    if not sections:
        raise UnreadableDocument(_PICTURES)
    if footers := "\n\n".join(filter(None, reader.footers)):
        sections = (replace(sections[0], text=f"{footers}\n\n{sections[0].text}"), *sections[1:])
    notes += [note for note in (CROSSED, UNSEEN) if note in reader.text.left_out]
    if any(relation.reltype.endswith("/comments") for slide in slides for relation in slide.part.rels.values()):
        notes.append(COMMENTS)
    if pictured:
        where = f"slide{'s' if len(pictured) > 1 else ''} {', '.join(pictured)}"
        notes.append(f"Pictures on {where} have no description; text in pictures was not read.")
    return Parsed(PPTX, read_title(presentation) or first_title or None, sections, len(slides), tuple(notes))


def _section_names(presentation: Presentation) -> dict[int, str]:
    return {
        int(entry.get("id")): name
        for section in descendants(presentation.element, "section")
        if (name := one_line(section.get("name") or "")) and name not in ("Default Section", "Standardabschnitt")
        for entry in descendants(section, "sldId")
    }


_SAME_ROW = 300_000  # EMU, about 8 mm: boxes with a smaller vertical distance are read from left to right
_FOOTERS = ("dt", "ftr", "hdr")
_LISTS = ("", "obj", "body")  # a placeholder without a type is the content of the slide
_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_SIGNS = {"ParenBoth": "({})", "ParenR": "{})", "Plain": "{}"}


class SlideReader:
    """Writes the slides of a presentation into HTML and remembers what it leaves out."""

    def __init__(self, width: int, height: int) -> None:
        self.text = TextReader(self._find_look)
        self.footers: dict[str, None] = {}
        self._size = (width, height)
        self._shape: BaseShape | None = None  # that is being read, None if nothing is known of its colours
        self._ground: str | None = None  # behind it, None before it is looked for

    def read(self, slide: Slide) -> tuple[str, xml.Element]:
        xml.unwrap(slide.element)
        self._slide, self._colours = slide, _SlideColours(slide)
        title, heading, target = slide.shapes.title, "", make_element("div")
        for shape in _in_order(slide.shapes):
            if self._is_unseen(shape):
                continue
            if title is not None and shape.element is title.element and title.has_text_frame:
                self._shape, self._ground = shape, None
                heading = self.text.read_line(title.element.txBody)
            else:
                self._write(shape, target)
        self._shape = None
        if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
            spoken = add_element(target, "section")
            self._write_box(frame, spoken, in_list=False)
            for first in spoken[:1]:
                first.text = f"Speaker notes: {first.text or ''}"
        return heading, target

    def _is_unseen(self, shape: BaseShape) -> bool:
        left, top, width, height = _find_box(shape)
        is_inside = left + width >= 0 and top + height >= 0 and left <= self._size[0] and top <= self._size[1]
        properties = next(xml.descendants(shape.element, "cNvPr"), None)
        if is_inside and xml.attribute(properties, "hidden") not in ("1", "true"):
            return False
        self.text.leave_out(UNSEEN, shape.element)
        return True

    def _write(self, shape: BaseShape, target: xml.Element) -> None:
        kind = str(next(xml.descendants(shape.element, "ph")).get("type", "")) if shape.is_placeholder else None
        self._shape, self._ground = shape, None
        if kind in _FOOTERS and shape.has_text_frame and not xml.contains(shape.element, "fld"):
            self.footers[self.text.read_line(shape.element.txBody)] = None
        elif kind in _FOOTERS or kind == "sldNum":
            return
        elif xml.local_name(shape.element) == "grpSp":
            for inner in _in_order(shape.shapes):
                self._write(inner, target)
        elif shape.has_text_frame and xml.has_any_text(shape.element):
            self._write_box(shape.text_frame, add_element(target, "section"), in_list=kind in _LISTS)
        elif getattr(shape, "has_table", False):
            self._shape = None
            self.text.write_table(shape.table._tbl, target)
        elif getattr(shape, "has_chart", False):
            try:
                _write_chart(shape.chart, target)
            except MemoryError:
                raise
            except Exception:  # without readable numbers it is only a picture
                self.text.pictures += 1
        elif xml.contains(shape.element, "relIds"):
            self._write_diagram(shape, target)
        elif words := self.text.describe_picture(shape.element):
            add_element(target, "p", words)

    def _write_box(self, frame: TextFrame, target: xml.Element, *, in_list: bool) -> None:
        sources = [paragraph._p for paragraph in frame.paragraphs if xml.contains(paragraph._p, "t")]
        written = [make_element("p") for _ in sources]
        for source, element in zip(sources, written, strict=True):
            self.text.write_paragraph(source, element)
        filled = ["".join(element.itertext()).strip() for element in written]
        in_list, counter = in_list and sum(map(bool, filled)) > 1, _Counter(frame._txBody, self._shape)
        for source, element, is_filled in zip(sources, written, filled, strict=True):
            depth, label = counter.count(source, in_list=in_list)
            if depth is not None:
                element.tag = "li"
                element.attrib.update({DEPTH: str(depth), LABEL: label})
            if is_filled:
                target.append(element)

    def _write_diagram(self, shape: BaseShape, target: xml.Element) -> None:
        """Write the words of a SmartArt diagram, which are in a separate part."""
        from pptx.oxml import parse_xml

        for mark in xml.descendants(shape.element, "relIds"):
            points = xml.descendants(parse_xml(self._slide.part.related_part(xml.attribute(mark, "dm")).blob), "pt")
            words = [self.text.read_line(point) for point in points if point.get("type", "node") == "node"]
            box = add_element(target, "section")
            for text in filter(None, words):
                add_element(box, "li", text)

    def _find_look(self, run: xml.Element) -> RunLook:
        properties = xml.find_child(run, "rPr")
        baseline = xml.attribute(properties, "baseline")
        shift = "" if baseline in ("", "0", "0%") else "sub" if baseline.startswith("-") else "sup"
        is_crossed = xml.attribute(properties, "strike") not in ("", "noStrike")
        left_out = CROSSED if is_crossed else UNSEEN if self._is_unseen_run(properties) else ""
        faces = (xml.attribute(xml.find_child(properties, name), "typeface") for name in ("sym", "latin"))
        mark = next((name for name in ("b", "i") if xml.attribute(properties, name) in ("1", "true")), "")
        return RunLook(shift, left_out, next(filter(None, faces), ""), mark)

    def _is_unseen_run(self, properties: xml.Element | None) -> bool:
        """Whether text has the colour of its ground, or none."""
        colour = self._colours.find_colour(xml.find_child(properties, "solidFill"))
        if colour and self._shape is not None:
            self._ground = self._colours.find_ground(self._shape) if self._ground is None else self._ground
            return bool(self._ground and is_same_colour(colour, self._ground))
        return xml.find_child(properties, "noFill") is not None


class _SlideColours:
    """Colours in hexadecimal digits, "" where they are not known: pictures, gradients, shades of the theme."""

    def __init__(self, slide: Slide) -> None:
        master = slide.slide_layout.slide_master
        self._layers: tuple[Any, ...] = (slide, slide.slide_layout, master)
        self._names = next(xml.descendants(master.element, "clrMap"))

    def find_colour(self, fill: xml.Element | None) -> str:
        colour = next(xml.child_elements(fill), None)
        if colour is not None and xml.local_name(colour) == "schemeClr" and not len(colour):
            from pptx.opc.constants import RELATIONSHIP_TYPE
            from pptx.oxml import parse_xml

            theme = parse_xml(self._layers[2].part.part_related_by(RELATIONSHIP_TYPE.THEME).blob)
            name = self._names.get(xml.val(colour), xml.val(colour))
            colour = next(xml.child_elements(xml.find_child(theme, "themeElements", "clrScheme", name)), None)
        code = xml.attribute(colour, "lastClr") or xml.val(colour)
        return code if len(code) == 6 and colour is not None and not len(colour) else ""

    def find_ground(self, shape: BaseShape) -> str:
        own = _find_fill(shape.element)
        if own is None and (base := getattr(shape, "_base_placeholder", None)) is not None:
            own = _find_fill(base.element)
        if own is not None and xml.local_name(own) != "noFill":
            return self.find_colour(own)
        if any(_covers(other, shape) for layer in self._layers for other in layer.shapes):
            return ""
        grounds = (xml.find_child(layer.element, "cSld", "bg") for layer in self._layers)
        ground = next((each for each in grounds if each is not None), None)
        if ground is None or (plain := xml.find_child(ground, "bgRef")) is None:
            return "FFFFFF" if ground is None else self.find_colour(_find_fill(ground))
        is_plain = xml.attribute(plain, "idx") in ("0", "1000", "1001")  # else the theme may have a picture
        return self.find_colour(plain) if is_plain else ""


class _Counter:
    def __init__(self, body: xml.Element, shape: BaseShape | None) -> None:
        base = getattr(getattr(shape, "_base_placeholder", None), "element", None)
        self._styles = [xml.find_child(body, "lstStyle"), xml.find_child(base, "txBody", "lstStyle")]
        self._counts: dict[int, tuple[str, int]] = {}  # by depth, with the kind of number

    def count(self, paragraph: xml.Element, *, in_list: bool) -> tuple[int | None, str]:
        """The depth of an item from 0, None for a plain paragraph, and its number, "" for a bullet."""
        own = xml.find_child(paragraph, "pPr")
        depth = xml.read_int(xml.attribute(own, "lvl"), most=8)
        properties = [own, *(xml.find_child(style, f"lvl{depth + 1}pPr") for style in self._styles)]
        mark = next((mark for each in properties for mark in xml.child_elements(each, *_BULLETS)), None)
        kind = "" if mark is None else xml.local_name(mark)
        before, number = self._counts.get(depth, ("", 0))
        self._counts = {one: count for one, count in self._counts.items() if one < depth}
        if kind == "buAutoNum":
            form, start = xml.attribute(mark, "type"), xml.read_int(xml.attribute(mark, "startAt"), 1)
            number = number + 1 if before == f"{form}{start}" else start
            self._counts[depth] = (f"{form}{start}", number)
            sign = next((sign for name, sign in _SIGNS.items() if form.endswith(name)), "{}.")
            return depth, sign.format(format_number(number, _FORMS.get(form[:7], "decimal")))
        if kind == "buNone" or not (in_list or kind or depth):
            return None, ""
        fonts = (xml.attribute(xml.find_child(each, "buFont"), "typeface") for each in properties)
        return depth, read_box(xml.attribute(mark, "char"), next(filter(None, fonts), ""))


def _in_order(shapes: Iterable[BaseShape]) -> list[BaseShape]:
    placed = sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    rows = group_while(placed, lambda row, shape: (shape.top or 0) - (row[0].top or 0) < _SAME_ROW)
    return [shape for row in rows for shape in sorted(row, key=lambda shape: shape.left or 0)]


def _find_box(shape: BaseShape) -> tuple[int, int, int, int]:
    return shape.left or 0, shape.top or 0, shape.width or 0, shape.height or 0


def _write_chart(chart: Chart, target: xml.Element) -> None:
    if chart.has_title and chart.chart_title.has_text_frame:
        add_element(target, "p", one_line(chart.chart_title.text_frame.text))
    series = list(chart.plots[0].series)
    columns = [["", *(one_line(str(label)) for label in chart.plots[0].categories)]]
    columns += [[one_line(each.name), *map(display_value, each.values)] for each in series]
    table = add_element(target, "table")
    for number, row in enumerate(zip(*columns, strict=False)):
        line = add_element(table, "tr")
        for cell in row:
            add_element(line, "td" if number else "th", cell)


def _find_fill(element: xml.Element | None) -> xml.Element | None:
    """The fill of a shape or background by its properties, or else by its style."""
    properties = next(xml.child_elements(element, "spPr", "grpSpPr", "bgPr"), None)
    fills = xml.child_elements(properties, "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
    reference = xml.find_child(element, "style", "fillRef")
    return next(fills, None if xml.attribute(reference, "idx") == "0" else reference)


def _covers(other: BaseShape, shape: BaseShape) -> bool:
    """Whether another shape with a fill of its own, or a picture, touches this one."""
    fill = _find_fill(other.element)
    is_clear = other.has_text_frame if fill is None else xml.local_name(fill) == "noFill"
    if is_clear or other.element is shape.element:
        return False
    one, two = _find_box(other), _find_box(shape)
    return all(one[n] < two[n] + two[n + 2] and two[n] < one[n] + one[n + 2] for n in (0, 1))
