"""Converts the elements of a web page to headings, paragraphs, lists, tables and code in Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.ingestion.readers.html.text import BLOCKS, HEADINGS, add_inline, find_marks, line_text, read_html_table
from corpus.ingestion.readers.html.unseen import is_hidden_element
from corpus.ingestion.readers.signs import format_number
from corpus.ingestion.readers.structure import MAX_DEPTH, SectionBuilder, fence_code, one_line
from corpus.ingestion.readers.tables import MAX_SHORT, aligned_rows, table_parts, write_table
from corpus.ingestion.readers.xml import DEPTH, LABEL, TAB, Element, read_int

_FORMS = {
    **dict.fromkeys(("a", "lower-alpha", "lower-latin"), "lowerLetter"),
    **dict.fromkeys(("A", "upper-alpha", "upper-latin"), "upperLetter"),
    **{"i": "lowerRoman", "lower-roman": "lowerRoman", "I": "upperRoman", "upper-roman": "upperRoman"},
}
_STYLE = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:[^;]*?\b(decimal|(?:low|upp)er-(?:alpha|latin|roman))\b")
_NUMBER = re.compile(r"\d{1,4}[.)]")  # what Markdown numbers a list with
_QUESTION = re.compile(r"\W?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})?\W?|.*:")  # its label, or that of a line of a letter


class _ListLines:
    """Writes paragraphs and items. An item of a deeper level stands below the text of the item above it."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int, str]] = []  # depth of each open item, where its text begins, and its label

    def write(self, text: str, depth: int | None, label: str | None) -> tuple[str, str]:
        """What joins an item (of this number, "" for a bullet) or paragraph to the text before, and its lines."""
        glue = "\n" if self._open and depth is not None else "\n\n"
        before, mark = "", ""
        while self._open and (depth is None or self._open[-1][0] >= depth + (label is None)):
            before = self._open.pop()[2]
        indent = self._open[-1][1] if self._open else 0
        if label is not None and depth is not None:
            mark = f"{label} " if _follows(label, before) else f"- {label} " if label else "- "
            self._open.append((depth, indent + (len(mark) if mark[0] != "-" else 2), label))
        below = "\n" + " " * (self._open[-1][1] if self._open else 0)
        return glue, " " * indent + mark + text.replace("\n", below)


@dataclass
class _List:
    form: str = ""  # of its numbers, "" without
    number: int = 1
    step: int = 1


class HtmlBlocks:
    """Feeds the builder with elements. Headings are `shift` levels deeper; all is on `page`, if there is one."""

    def __init__(self, builder: SectionBuilder, *, shift: int = 0, page: int | None = None) -> None:
        self._builder, self._shift, self._page = builder, shift, page
        self._run: list[str] = []  # inline text since the last block
        self._lists: list[_List] = []  # outermost first
        self._lines = _ListLines()
        self._depth: int | None = None  # of the open item, from 0
        self._label: str | None = None  # of the next item
        self._tabbed: list[str] = []  # paragraphs with tabs

    def read(self, element: Element) -> None:
        self._inside(element, 0)
        self.finish()

    def finish(self) -> None:
        self._end()
        self._end_tabs()

    def add(self, element: Element) -> None:
        """Convert an element. Paragraphs with tabs wait for those that follow."""
        self._block(element, 0)
        self._end()

    def heading(self, level: int, title: str) -> None:
        self._end_tabs()
        self._builder.heading(level, title, page=self._page)
        self._lines = _ListLines()

    def table(self, element: Element) -> None:
        for caption in filter(None, map(line_text, element.iterchildren("caption"))):
            self._add(caption)
        shown = [row for row in element.xpath("tr | */tr") if not is_hidden_element(row)]
        rows = [[cell for cell in row.iterchildren("td", "th") if not is_hidden_element(cell)] for row in shown]
        if len(rows) == 2 and len(rows[0]) == len(rows[1]) and shown[1].find(".//table") is not None:
            for name, cell in zip(*rows, strict=True):  # each table below what heads it
                self._add(line_text(name))
                self._inside(cell, 0)
                self._end()
            return
        for row in shown[1:]:  # the first is the header
            self._builder.mark(find_marks(row))
        titles, table = read_html_table(element)
        for text in [*titles, *(part.text for part in (table_parts(table.header, table.rows) if table else ()))]:
            self._add(text)

    def _inside(self, element: Element, depth: int) -> None:
        self._run.append(element.text or "")
        for child in element:
            if not is_hidden_element(child):
                self._child(child, depth)
            self._run.append(child.tail or "")

    def _child(self, child: Element, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._run.append(" ".join(child.itertext()))
        elif child.tag not in BLOCKS and not any(inner.tag in BLOCKS for inner in child.iterdescendants()):
            add_inline(self._run, child)
            self._builder.mark(find_marks(child))
        else:
            self._end()
            self._block(child, depth + 1)
            self._end()

    def _block(self, element: Element, depth: int) -> None:
        tag = element.tag
        if tag in HEADINGS and (title := line_text(element)):
            self.heading(HEADINGS[tag] + self._shift, title)
        elif tag == "pre":
            self._add(fence_code("".join(element.itertext()).strip("\n")))
        elif tag == "table" and _is_data_table(element):
            self.table(element)
        elif tag in ("ul", "ol", "dl"):
            self._list(element, depth)
        elif tag in ("li", "dt"):
            before = self._depth
            self._depth, self._label = self._find_place(element)
            self._inside(element, depth)
            self._end()
            self._depth = before
        else:
            if tag == "section" and not self._lists:
                self._lines = _ListLines()
            self._inside(element, depth)

    def _list(self, element: Element, depth: int) -> None:
        if not self._lists:  # adjacent lists stay apart
            self._lines = _ListLines()
        self._lists.append(_numbering(element) if element.tag == "ol" else _List())
        before, self._depth = self._depth, len(self._lists) - 1
        self._inside(element, depth)
        self._end()
        self._lists.pop()
        self._depth, self._label = before, None

    def _find_place(self, element: Element) -> tuple[int | None, str]:
        if not self._lists:
            return read_int(element.get(DEPTH)), element.get(LABEL, "")
        numbering, depth = self._lists[-1], len(self._lists) - 1
        number = read_int(element.get("value"), numbering.number)
        numbering.number = number + numbering.step
        return depth, f"{format_number(number, numbering.form)}." if numbering.form else ""

    def _end(self) -> None:
        run = "".join(self._run).strip()
        self._run.clear()
        if TAB in run and self._depth is None:
            self._tabbed.append(run)
        elif text := "\n".join(filter(None, map(one_line, run.split("\v")))):
            self._add(text)

    def _end_tabs(self) -> None:
        """Add the paragraphs with tabs that follow each other: as a table if they have the same tabs."""
        tabbed, self._tabbed = self._tabbed, []
        texts = [text.replace(TAB, "\t").replace("\v", " ") for text in tabbed]
        rows = aligned_rows(texts) or aligned_rows([re.sub(r"\t+", "\t", text) for text in texts])
        for text in write_table(rows) if rows and _is_table(rows) else map(one_line, texts):
            self._write(text, None, None)

    def _add(self, text: str) -> None:
        self._end_tabs()
        self._write(text, self._depth, self._label)
        self._label = None

    def _write(self, text: str, depth: int | None, label: str | None) -> None:
        glue, lines = self._lines.write(text, depth, label)
        self._builder.paragraph(lines, page=self._page, glue=glue)


def _numbering(element: Element) -> _List:
    found = _STYLE.search(element.get("style") or "")
    form = _FORMS.get(found[1] if found else element.get("type") or "", "decimal")
    first, step = (len(element.findall("li")), -1) if element.get("reversed") is not None else (1, 1)
    return _List(form, read_int(element.get("start"), first), step)


def _is_table(rows: list[list[str]]) -> bool:
    """Whether lines with tabs are a table, and no questions with their marks, letter head or line for a signature."""
    longest = MAX_SHORT * len(rows)
    if len(rows) < (3 if len(rows[0]) == 2 else 2) or sum(len(row[0]) for row in rows) > longest:
        return False
    if all(_QUESTION.fullmatch(row[0]) for row in rows):
        return len(rows[0]) > 2 and sum(len(row[1]) for row in rows) <= longest
    return all(sum(any(map(str.isalnum, cell)) for cell in row) > 1 for row in rows)


def _follows(label: str, before: str) -> bool:
    """Whether Markdown shows this number, which counts a list by itself."""
    is_next = not _NUMBER.fullmatch(before) or f"{int(before[:-1]) + 1}" == label[:-1]
    return bool(_NUMBER.fullmatch(label)) and is_next


def _is_data_table(table: Element) -> bool:
    if table.get("role") in ("presentation", "none") or not table.xpath("descendant::tr/*[2]"):
        return False
    inside = {element.tag for element in table.iterdescendants() if isinstance(element.tag, str)}
    if inside & {"article", "section", "form", "h1", "h2", "h3", "pre"}:
        return False
    return "table" not in inside or bool(table.xpath("caption | thead | tr/th | tbody/tr/th"))
