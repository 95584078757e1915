"""Excel workbooks (.xlsx): a sheet is a heading, its rows are tables, values are as displayed."""

from __future__ import annotations

import io
import mimetypes
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.office.cell_values import display_value
from corpus.ingestion.readers.rows import MAX_CELLS, NumberedRow, read_rows
from corpus.ingestion.readers.structure import (
    XLSX,
    Parsed,
    Section,
    UnreadableDocument,
    clean,
    damage_reported,
    one_line,
)
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.zip_package import check_package, office_messages

if TYPE_CHECKING:
    from openpyxl.cell import Cell
    from openpyxl.workbook import Workbook

_WORDS = office_messages("Excel")
_BINARY = "This is an Excel workbook in the .xlsb format. Open it in Excel and save it as .xlsx."
_MOST_COLUMNS = 256
# A formula without a stored value: written by a program that does not calculate.
_NO_RESULT = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v></v>|</c>)")
_UNCALCULATED = (
    "Some formulas have no result stored in the file. Open it in Excel, save it, and upload it again to have them read."
)


@damage_reported(_WORDS.damaged)
def read(data: bytes) -> Parsed:
    """Sections of a workbook. Hidden sheets are left out and noted."""
    check_package(data, _WORDS)
    notes = _check_parts(data)
    return _parsed(_open(data), notes)


def _check_parts(data: bytes) -> list[str]:
    """Refuse parts with entities, which the format forbids and openpyxl expands. Returns a note on missing results."""
    notes: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        if "xl/workbook.bin" in names:
            raise UnreadableDocument(_BINARY)
        for name in names:
            if not name.lower().endswith((".xml", ".rels")):
                continue
            part = archive.read(name).replace(b"\0", b"")  # finds it in UTF-16, too
            if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
                raise UnreadableDocument(_WORDS.damaged)
            if name.startswith("xl/worksheets/") and not notes and _NO_RESULT.search(part):
                notes.append(_UNCALCULATED)
    return notes


def _open(data: bytes) -> Workbook:
    # openpyxl reads the system's list of media types, which the sandbox may forbid.
    with suppress(OSError):
        mimetypes.init()
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about features that are not read
        return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)


def _parsed(workbook: Workbook, notes: list[str]) -> Parsed:
    left = MAX_CELLS
    sections: list[Section] = []
    for sheet in workbook.worksheets:
        name = one_line(sheet.title)
        if sheet.sheet_state != "visible":
            notes.append(f"The sheet “{name}” is hidden and was left out.")
            continue
        if (sheet.max_column or 0) > _MOST_COLUMNS:
            notes.append(f"Of the sheet “{name}” only the first {_MOST_COLUMNS} columns were read.")
        sheet.reset_dimensions()  # the declared dimensions are not always true
        found, note, left = read_rows(_rows(sheet), (name,), left=left)
        sections += found
        notes += [note] if note else []
    return Parsed(XLSX, sensible_title(workbook.properties.title), tuple(sections), None, tuple(notes))


def _rows(sheet: Any) -> Iterator[NumberedRow]:
    before: object = None
    for number, row in enumerate(sheet.iter_rows(max_col=_MOST_COLUMNS), start=1):
        # openpyxl fills a gap, maybe a million rows, with the same row object
        yield number, [] if row is before else [_text(cell) for cell in row]
        before = row


def _text(cell: Cell) -> str:
    if cell.value is None:
        return ""
    return clean(cell.value if isinstance(cell.value, str) else display_value(cell.value, cell.number_format))
