"""Tables as CSV for spreadsheet programs, in which no cell is taken for a formula. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """No cell is taken for a formula, not even a part of one by programs that part cells at semicolons."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([f"'{cell}" if is_formula(cell) else cell for cell in row])
    return file.getvalue()


def is_formula(cell: str) -> bool:
    """Whether a cell begins as a formula does, or as one after quotes, which get one more to be taken off."""
    return cell.lstrip("'").startswith(_FORMULA)
