"""How fast scanned pages are recognised, and how well: pages a minute, and mistakes in a hundred characters.

    python -m benchmarks.recognition [--pages 3] [--json result.json]

Pages of known text are printed, scanned (drawn, made coarser, crooked, grainy, and packed as JPEG) and put into a PDF,
which is recognised as `corpus.ingestion.indexing` does it, with the languages of the settings. Mistakes are the edits
that make the text found into the text printed, white space aside. It needs Tesseract, and no database.
"""

from __future__ import annotations

import io
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks import ground
from benchmarks.indexing import timed

SCANS = {
    "300 dots an inch": (300, 0.0, 0),
    "200 dots an inch": (200, 0.0, 0),
    "150 dots an inch": (150, 0.0, 0),
    "200, crooked and grainy": (200, 1.5, 25),
    "100 dots an inch": (100, 0.0, 0),
}
"""Dots an inch, degrees that the page lies crooked, and grain (standard deviation of 255)."""


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--pages", type=int, default=3, help="of each kind of scan")
    options = parser.parse_args()
    rows = {name: measured(options.pages, *kind) for name, kind in ground.progress(list(SCANS.items()), "scans")}
    print(ground.table(rows, "scan"))
    ground.write(rows, options.json)


def measured(pages: int, dots: int, crooked: float, grain: int) -> dict[str, Any]:
    """Recognise a PDF of such scans: seconds a page in all, to draw it and to read it; mistakes in per cent."""
    from benchmarks.manuscripts import manuscript, pdf
    from corpus.ingestion.ocr import pipeline, tesseract
    from corpus.ingestion.parsing import parse

    printed = pdf(manuscript(pages))
    scanned = as_scans(printed, pages, dots, crooked, grain)
    found = tesseract.find_tesseract()
    if found is None:
        raise SystemExit("Tesseract is not installed, or knows none of the languages.")
    spent: dict[str, float] = {}
    drawn, read = pipeline._drawn, tesseract.Tesseract.read
    pipeline._drawn = timed(drawn, "draw", spent)
    tesseract.Tesseract.read = timed(read, "read", spent)  # type: ignore[method-assign]
    started = time.perf_counter()
    try:
        with tempfile.TemporaryFile() as file:
            file.write(scanned)
            file.flush()
            parsed, recognised = pipeline.recognise_pages(parse(scanned), file, found, lambda done, pages: None)
    finally:
        pipeline._drawn, tesseract.Tesseract.read = drawn, read  # type: ignore[method-assign]
    seconds = time.perf_counter() - started
    truth, text = (plain(section.text for section in one.sections) for one in (parse(printed), parsed))
    return {
        "pages": len(recognised),
        "s/page": round(seconds / pages, 2),
        "drawing": round(spent["draw"] / pages, 2),
        "reading": round(spent["read"] / pages, 2),
        "pages/minute": round(60 * pages / seconds, 1),
        "mistakes": f"{100 * edits(truth, text) / len(truth):.2f} %",
        "languages": "+".join(found.languages),
    }


def as_scans(data: bytes, pages: int, dots: int, crooked: float, grain: int) -> bytes:
    """A PDF of pictures of these pages."""
    from PIL import Image
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    from corpus.ingestion.readers.draw_page import DPI, draw_page

    random = np.random.default_rng(1)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for number in range(1, pages + 1):
        page = draw_page(data, "application/pdf", number)
        image = Image.frombytes("L", (page.width, page.height), page.pixels)
        size = round(page.width * dots / DPI), round(page.height * dots / DPI)
        image = image.resize(size, Image.Resampling.LANCZOS)
        image = image.rotate(crooked, Image.Resampling.BICUBIC, fillcolor=255)
        noise = random.normal(0, grain, (image.height, image.width))
        grey = np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8)
        jpeg = io.BytesIO()
        Image.fromarray(grey).save(jpeg, "JPEG", quality=75)
        canvas.drawImage(ImageReader(jpeg), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def plain(texts: Any) -> str:
    """All words, a space between two."""
    return " ".join(" ".join(texts).split())


def edits(one: str, other: str) -> int:
    """Characters to insert, delete or replace to make one text into the other (Levenshtein), row by row."""
    wanted = np.array([ord(character) for character in other])
    places = np.arange(len(other) + 1)
    row = places.copy()
    for number, character in enumerate(one, start=1):
        changed = np.minimum(row[1:] + 1, row[:-1] + (wanted != ord(character)))
        following = np.concatenate(([number], changed))
        row = np.minimum.accumulate(following - places) + places
    return int(row[-1])


if __name__ == "__main__":
    main()
