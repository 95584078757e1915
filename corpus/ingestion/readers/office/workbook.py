"""Excel workbooks (.xlsx): a sheet is a heading, its tables are Markdown, values are as displayed."""

from __future__ import annotations

import io
import mimetypes
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.html.unseen import CROSSED, UNSEEN
from corpus.ingestion.readers.office.cell_values import display_value
from corpus.ingestion.readers.rows import MAX_CELLS, MAX_COLUMNS, Merge, NumberedRow, describe_hidden, read_rows
from corpus.ingestion.readers.signs import lower_text, raise_text, read_symbols
from corpus.ingestion.readers.structure import XLSX, Parsed, Section, UnreadableDocument, clean, one_line
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import Element, attribute, descendants, parse_xml

if TYPE_CHECKING:
    from openpyxl.cell.read_only import ReadOnlyCell
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet._reader import WorkSheetParser

_BINARY = "This is an Excel workbook in the .xlsb format. Open it in Excel and save it as .xlsx."
# A formula without a stored value: written by a program that does not calculate.
_NO_RESULT = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v></v>|</c>)")
_UNCALCULATED = (
    "Some formulas have no result stored in the file. Open it in Excel, save it, and upload it again to have them read."
)
_SHIFTS: dict[str, Callable[[str], str]] = {"superscript": raise_text, "subscript": lower_text}
_CODES = re.compile(r'&(?:"[^"]*"|K[0-9A-F+-]{6}|\[\w+\]|\d+|[A-Z])')  # of page headers: fonts, numbers of pages


def read(data: bytes) -> Parsed:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        notes = _check_parts(archive)
        return _parsed(_open(data), archive, notes)


def _check_parts(archive: zipfile.ZipFile) -> list[str]:
    """Refuse parts with entities, which the format forbids and openpyxl expands. Returns a note on missing results."""
    notes, names = dict[str, None](), archive.namelist()
    if "xl/workbook.bin" in names:
        raise UnreadableDocument(_BINARY)
    for name in (one for one in names if one.lower().endswith((".xml", ".rels"))):
        part = archive.read(name).replace(b"\0", b"")  # finds it in UTF-16, too
        if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
            raise ValueError("The format has no entities.")
        if name.startswith("xl/worksheets/") and not notes and _NO_RESULT.search(part):
            notes[_UNCALCULATED] = None
    return [*notes]


def _open(data: bytes) -> Workbook:
    # openpyxl reads the system's list of media types, which the sandbox may forbid.
    with suppress(OSError):
        mimetypes.init()
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about features that are not read
        options = {"read_only": True, "data_only": True, "keep_links": False, "rich_text": True}
        return openpyxl.load_workbook(io.BytesIO(data), **options)


def _parsed(workbook: Workbook, archive: zipfile.ZipFile, notes: list[str]) -> Parsed:
    left = MAX_CELLS
    sections: list[Section] = []
    noticed: dict[str, None] = {}
    for sheet in workbook.worksheets:
        name = one_line(sheet.title)
        if sheet.sheet_state != "visible":
            notes.append(f"The sheet “{name}” is hidden and was left out.")
            continue
        rows = _Rows(sheet, _read_comments(archive, sheet._worksheet_path))
        found, note, left = read_rows(rows, (name,), left=left, merges=rows.merges, remarks=rows.remarks)
        said = "\n".join(section.text for section in found)
        far = (text for texts in rows.remarks.values() for text in texts if text not in said)
        lines = [*_read_shapes(archive, sheet._worksheet_path), *far]
        sections += [*(Section((name,), text) for text in rows.margins), *found]
        sections += [Section((name,), "\n\n".join(lines))] if lines else []
        notes += filter(None, [*rows.left_out(name), note])
        noticed |= rows.noticed
    return Parsed(XLSX, sensible_title(workbook.properties.title), tuple(sections), None, (*notes, *noticed))


class _Rows:
    """The visible cells of a sheet by row. What stands below in the file is known when all rows were read."""

    def __init__(self, sheet: Any, comments: Sequence[tuple[str, str]]) -> None:
        self._sheet = sheet
        self._comments = comments
        self._columns = dict[int, bool]()  # hidden ones, and whether they have values
        self._filled = 0  # hidden rows with values
        self.merges: list[Merge] = []
        self.margins: list[str] = []  # header and footer of the pages
        self.remarks: dict[int, list[str]] = {}  # comments by row
        self.noticed: dict[str, None] = {}
        self._is_wide = False

    def __iter__(self) -> Iterator[NumberedRow]:
        from openpyxl.cell.read_only import ReadOnlyCell
        from openpyxl.utils.cell import coordinate_to_tuple
        from openpyxl.worksheet._reader import WorkSheetParser

        book, before, hidden = self._sheet.parent, 0, set[int]()
        with self._sheet._get_source() as source:
            # openpyxl's own rows say neither what is hidden nor which letters of a cell are raised
            formats = {"date_formats": book._date_formats, "timedelta_formats": book._timedelta_formats}
            options = {"data_only": True, "epoch": book.epoch, "rich_text": True, **formats}
            parser = WorkSheetParser(source, self._sheet._shared_strings, **options)
            for number, values in parser.parse():
                if number > before + 1:
                    yield before + 1, []
                before = number
                self._columns = self._columns or dict.fromkeys(_hidden_columns(parser), False)
                cells = [ReadOnlyCell(self._sheet, **value) for value in values if value["value"] is not None]
                if _is_hidden(parser.row_dimensions.get(str(number), {})):
                    hidden.add(number)
                    self._filled += bool(cells)
                    continue
                row = [""] * max((min(cell.column, MAX_COLUMNS) for cell in cells), default=0)
                for cell in cells:
                    if cell.column > MAX_COLUMNS:
                        self._is_wide = True
                    else:
                        row[cell.column - 1] = self._text(cell)
                yield number, row
            ranges = parser.merged_cells.mergeCell if parser.merged_cells else ()
            self.merges += [(one.min_row, one.max_row, one.min_col - 1, one.max_col - 1) for one in ranges]
            for name, text in self._comments:
                number, column = coordinate_to_tuple(name)
                if number not in hidden and column not in self._columns:
                    self.remarks.setdefault(number, []).append(f"{name}: {text}")
            margins = getattr(parser, "HeaderFooter", None)
            for part in (margins.oddHeader, margins.oddFooter) if margins else ():
                said = (one_line(_CODES.sub(" ", side.text or "")) for side in (part.left, part.center, part.right))
                text = " ".join(words for words in said if sum(map(str.isalpha, words)) > 6)
                self.margins += [text] if text else []

    def left_out(self, name: str) -> list[str]:
        wide = f"Of the sheet “{name}” only the first {MAX_COLUMNS} columns were read." if self._is_wide else ""
        return [describe_hidden(self._filled, sum(self._columns.values()), name), wide]

    def _text(self, cell: ReadOnlyCell) -> str:
        if cell.column in self._columns:
            self._columns[cell.column] = True
            return ""
        runs = cell.value if isinstance(cell.value, list) else [cell.value]
        return clean("".join(self._run_text(run, cell) for run in runs))

    def _run_text(self, run: object, cell: ReadOnlyCell) -> str:
        own: Any = getattr(run, "font", None)  # if letters of the cell have formats of their own
        font = own or cell.font
        if reason := CROSSED if font and font.strike else UNSEEN if _is_unseen(font, cell) else "":
            self.noticed[reason] = None
            return ""
        text = display_value(getattr(run, "text", run), cell.number_format)
        shift = _SHIFTS.get(own and own.vertAlign, str)
        return shift(read_symbols(text, getattr(font, "rFont" if own else "name", None) or ""))


def _hidden_columns(parser: WorkSheetParser) -> Iterator[int]:
    for column in filter(_is_hidden, parser.column_dimensions.values()):
        yield from range(int(column["min"]), min(int(column["max"]), MAX_COLUMNS) + 1)


def _is_hidden(row_or_column: Mapping[str, str]) -> bool:
    sizes = (row_or_column.get("ht"), row_or_column.get("width"))
    return row_or_column.get("hidden") in ("1", "true") or "0" in sizes


def _is_unseen(font: Any, cell: ReadOnlyCell) -> bool:
    """Whether the format of a cell hides its value, or its letters have the colour of the ground."""
    if ";;" in cell.number_format and not cell.number_format.strip('";'):
        return True
    colour, ground = (_colour(one) for one in (font and font.color, cell.fill and cell.fill.fgColor))
    return bool(colour) and colour == (ground if cell.fill and cell.fill.patternType else "FFFFFF")


def _colour(colour: Any) -> str:
    if colour is None:
        return ""
    if colour.type == "rgb":
        return str(colour.rgb)[-6:].upper()
    is_white = colour.value in (1, 9) if colour.type == "indexed" else colour.value == 0 and not colour.tint
    return "FFFFFF" if is_white else f"{colour.type} {colour.value} {colour.tint}"


def _read_comments(archive: zipfile.ZipFile, path: str) -> list[tuple[str, str]]:
    roots = [*_related(archive, path, "/comments"), *_related(archive, path, "/threadedComment")]
    comments = [one for root in roots for one in descendants(root, "comment", "threadedComment")]
    texts = [one_line("".join(part.text or "" for part in descendants(one, "t", "text"))) for one in comments]
    said = [(comment.get("ref", ""), text) for comment, text in zip(comments, texts, strict=True) if text]
    return [(name, text) for name, text in said if not text.startswith("[Threaded comment]")]  # a threaded one says it


def _read_shapes(archive: zipfile.ZipFile, path: str) -> list[str]:
    lines: list[str] = []
    for root in _related(archive, path, "/drawing"):
        for shape in descendants(root, "sp", "pic", "graphicFrame"):
            properties = next(descendants(shape, "cNvPr"), None)
            if attribute(properties, "hidden") not in ("1", "true"):
                paragraphs = descendants(shape, "p")
                lines += (one_line("".join(run.text or "" for run in descendants(one, "t"))) for one in paragraphs)
                said = one_line(attribute(properties, "descr"))
                lines.append(f"[Picture: {said}]" if said else "")
    return list(filter(None, lines))


def _related(archive: zipfile.ZipFile, path: str, kind: str) -> Iterator[Element]:
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    names, relations = archive.namelist(), get_rels_path(path.lstrip("/"))
    for one in get_dependents(archive, relations) if relations in names else ():
        if one.Type.endswith(kind) and one.target in names:
            yield parse_xml(archive.read(one.target))
