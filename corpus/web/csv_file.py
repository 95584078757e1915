"""CSV for spreadsheet programs, safe from formula injection."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation.trans_real import parse_accept_lang_header

MAX_ROWS = 10_000
"""Of a log that is exported: the newest. The page says if there are more."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The table as CSV. All cells are quoted, as some programs split at semicolons; formulas get an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([f"'{cell}" if is_formula(cell) else cell for cell in row])
    return file.getvalue()


def decode_csv(raw: bytes) -> str:
    """The text of an uploaded file, also of one from a spreadsheet program for Windows. Raises ValueError."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise ValueError("This is not a CSV file.")
    return text


def guess_delimiter(text: str, *, also: str = "") -> str:
    """What the first line of a CSV file has most of: commas, semicolons, or another sign."""
    head = text.partition("\n")[0]
    return max(f",;{also}", key=head.count)


def unescape_cell(cell: str) -> str:
    """A cell as it was before `write_csv` put an apostrophe before a formula."""
    text = cell.replace("\x00", "").replace("\r\n", "\n").strip()
    return text[1:] if text.startswith("'") and is_formula(text) else text


def adapt_to_reader(table: str, request: HttpRequest) -> str:
    """The table as the reader's Excel splits it: at semicolons where numbers have a decimal comma, as in German. A byte
    order mark tells spreadsheet programs that it is UTF-8."""
    table = table.removeprefix("\ufeff")
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    language = accepted[0][0] if accepted else None
    if language and get_format("DECIMAL_SEPARATOR", lang=language, use_l10n=True) == ",":
        file = io.StringIO()
        csv.writer(file, quoting=csv.QUOTE_ALL, delimiter=";").writerows(csv.reader(io.StringIO(table, newline="")))
        table = file.getvalue()
    return f"\ufeff{table}"


def csv_time(moment: datetime, timespec: str = "minutes") -> str:
    """A time as spreadsheet programs read it, in the installation's time zone."""
    return timezone.localtime(moment).replace(tzinfo=None).isoformat(" ", timespec)


def csv_response(request: HttpRequest, content: str, *, name: str) -> HttpResponse:
    """CSV as a download."""
    response = HttpResponse(adapt_to_reader(content, request), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response["Cache-Control"] = "private, no-store"
    return response


def is_formula(cell: str) -> bool:
    """Whether a cell begins like a formula, also after apostrophes: the import takes one off."""
    return cell.lstrip("'").startswith(_FORMULA)
