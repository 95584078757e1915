"""How well tables in PDFs are read, and what looking for them costs.

    python -m benchmarks.pdf_tables [--json result.json] [--show NAME]

Thirty files of different make: twenty with reportlab, ten printed by Chromium, if that is installed. *Cells* is the
share of cells in the right row and the right column of a Markdown table, empty ones included. A file is *in order* if
words before, within and after the table stand once each and in that order, and no filled cell is lost or stands twice.
Files without tables count the tables found in them. The bar is 96 % of the cells.

*Time* reads a file of running text with and without looking for tables, by turns, in one process; the ratio is that of
the medians.
"""

from __future__ import annotations

import re
import statistics
import time
from collections import Counter
from typing import Any
from unittest.mock import patch

from benchmarks.ground import options, table, write
from benchmarks.tables import with_chromium, with_reportlab
from benchmarks.tables.content import AFTER, BEFORE, BETWEEN, PROSE, Case, Rows

PAGES, ROUNDS = 60, 7


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--show", help="print what is read of the files whose names have this in them")
    chosen = parser.parse_args()
    cases = [*with_reportlab.cases(), *with_chromium.cases()]
    plain = [*with_reportlab.without_tables(), *with_chromium.without_tables()]
    if chosen.show:
        for case in (case for case in [*cases, *plain] if chosen.show in case.name):
            print(f"--- {case.name}\n{read_text(case)}")
        return
    rows = {case.name: measured(case) for case in cases}
    print(table(rows, f"{len(cases)} files"))
    right, cells = (sum(row[key] for row in rows.values()) for key in ("right", "of"))
    summary = {
        "cells": round(right / cells, 4),
        "mean of files": round(statistics.mean(row["right"] / row["of"] for row in rows.values()), 4),
        "in order": sum(row["in order"] for row in rows.values()),
        "files": len(cases),
        "files without tables": len(plain),
        "tables found in them": sum(len(found_tables(read_text(case))) for case in plain),
        **timed(),
    }
    print(table({"all": summary}, "together"))
    write({"files": rows, "all": summary}, chosen.json)


def measured(case: Case) -> dict[str, Any]:
    text = read_text(case)
    found = found_tables(text)
    right = sum(best_match(expected, found) for expected in case.tables)
    cells = sum(len(row) for expected in case.tables for row in expected)
    return {"right": right, "of": cells, "tables": len(found), "in order": int(is_in_order(case, text))}


def read_text(case: Case) -> str:
    from corpus.ingestion.parsing import parse

    return "\n\n".join(section.text for section in parse(case.data, filename="file.pdf").sections)


def found_tables(text: str) -> list[Rows]:
    """The tables of a text. Parts with one header that follow each other are one table; empty rows are left out."""
    from text.tables import table_rows

    found: list[Rows] = []
    for block in text.split("\n\n"):
        rows = [[cell.replace("\\|", "|") for cell in row.cells] for row in table_rows(block)]
        if found and rows and found[-1][0] == rows[0]:
            found[-1] += rows[1:]
        elif rows:
            found.append(rows)
    return found


def best_match(expected: Rows, found: list[Rows]) -> int:
    """The most cells of a found table that stand in the expected row and column."""
    return max((sum(map(same_cells, expected, rows)) for rows in found), default=0)


def same_cells(expected: list[str], found: list[str]) -> int:
    return sum(one == other for one, other in zip(expected, found, strict=False))


def is_in_order(case: Case, text: str) -> bool:
    places = [text.find(word) for word in case.order]
    around = words(BEFORE + BETWEEN + AFTER + PROSE)
    have = words(text)
    wanted = Counter(
        word for rows in case.tables for row in rows[1:] for cell in row for word in words(cell).elements()
    )
    once = [word for word in wanted if word not in around and wanted[word] == 1] + [
        word for word in case.order if word in around
    ]
    lost = any(have[word] < count for word, count in wanted.items())
    return -1 not in places and places == sorted(places) and all(have[word] == 1 for word in once) and not lost


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def timed() -> dict[str, float]:
    """Milliseconds a page of running text, with and without looking for tables."""
    from corpus.ingestion.readers.pdf import lines, reader

    data = with_reportlab.prose_pages(PAGES)
    looking, not_looking = [], []
    for _ in range(ROUNDS):
        looking.append(seconds(reader.read, data))
        with patch.object(lines, "hints_at_columns", lambda *_: False):
            not_looking.append(seconds(reader.read, data))
    with_tables, without = (1000 * statistics.median(times) / PAGES for times in (looking, not_looking))
    return {"ms a page": round(with_tables, 2), "without": round(without, 2), "ratio": round(with_tables / without, 2)}


def seconds(read: Any, data: bytes) -> float:
    started = time.perf_counter()
    read(data)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
