"""Files with tables as Chromium prints them from HTML."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from benchmarks.tables.content import (
    AFTER,
    BEFORE,
    CENSUS,
    MARKS,
    METALS,
    ORGANELLES,
    PRICES,
    PROSE,
    TIMETABLE,
    TOPICS,
    WORDS,
    Case,
    Rows,
)

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PAGE = "<!doctype html><meta charset=utf-8><style>body {{ font: 11pt sans-serif }} {style}</style>{body}"
UPRIGHT = "th + th { writing-mode: vertical-rl } table { border-collapse: collapse } td, th { border: 1px solid }"
STRIPED = "tr:nth-child(even) { background: #ddd } td { padding: 3px; text-align: right }"
COLLAPSED = "table { border-collapse: collapse } "


def cases() -> Iterator[Case]:
    """The files with tables; none where there is no Chromium."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        return
    for name, rows, style in (
        ("borders of each cell", MARKS, "td, th { border: 1px solid; padding: 3px }"),
        ("joined borders", METALS, COLLAPSED + "td, th { border: 1px solid; padding: 3px }"),
        ("lines below rows", PRICES, COLLAPSED + "tr { border-bottom: 1px solid } td, th { padding: 4px 12px }"),
        ("no borders", TOPICS, "td, th { padding: 2px 12px; text-align: left }"),
        ("wrapped, lines below", ORGANELLES, COLLAPSED + "table { width: 12cm } td { border-bottom: 1px solid }"),
        ("turned header", MARKS, UPRIGHT),
        (
            "striped",
            CENSUS,
            COLLAPSED + STRIPED,
        ),
        ("timetable", TIMETABLE, COLLAPSED + "td, th { border: 1px solid #999; padding: 4px }"),
        ("wide", CENSUS, "@page { size: A4 landscape } table { width: 100% } td, th { text-align: right }"),
    ):
        body = f"<p>{BEFORE}</p>{markup(rows)}<p>{AFTER}</p>"
        yield Case(f"print: {name}", printed(program, style, body), (rows,), ("opening", rows[0][0], "closing"))
    columns = (
        f"<div style='columns: 2; text-align: justify'><p>{BEFORE}</p>{markup(WORDS)}<p>{PROSE * 5}{AFTER}</p></div>"
    )
    order = ("opening", "lighthouse", "Möwe", "closing")
    yield Case("print: in two columns", printed(program, "", columns), (WORDS,), order)


def without_tables() -> Iterator[Case]:
    """Files in which no table must be found."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program:
        prose = f"<div style='columns: 2; text-align: justify; hyphens: auto' lang=en><p>{PROSE * 6}</p></div>"
        yield Case("print: prose in two columns", printed(program, "", prose))
        items = "".join(f"<li>{part}.</li>" for part in PROSE.split(". ")[:-1])
        yield Case("print: list under a line", printed(program, "", f"<h1>Rules</h1><hr><ol>{items}</ol><hr>"))


def markup(rows: Rows) -> str:
    """A table with a header row."""
    lines = [
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(["th", *["td"] * (len(rows) - 1)], rows, strict=True)
    ]
    return f"<table>{''.join(lines)}</table>"


def printed(program: str, style: str, body: str) -> bytes:
    """The PDF that Chromium makes of a page."""
    with tempfile.TemporaryDirectory(prefix="lectern-tables-") as directory:
        page, target = Path(directory, "page.html"), Path(directory, "page.pdf")
        page.write_text(PAGE.format(style=style, body=body))
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        subprocess.run(
            [*command, f"--print-to-pdf={target}", page.as_uri()], check=True, capture_output=True, timeout=60
        )
        return target.read_bytes()
