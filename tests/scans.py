"""Scans made by a test: pages of text as pictures, alone or in a PDF, and documents around them."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

NEEDS_TESSERACT = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="Tesseract is not installed on this machine"
)
FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
DOTS = 150  # an inch: enough to be read, and soon
SIZE = (round(A4[0] / 72 * DOTS), round(A4[1] / 72 * DOTS))


def page(lines: Sequence[str], *, turned: int = 0, mode: str = "L") -> Image.Image:
    """An A4 page in black on white, these lines at its top; turned by so many degrees."""
    image = Image.new("L", SIZE, 255)
    draw, font = ImageDraw.Draw(image), ImageFont.truetype(FONT, 26)
    for number, line in enumerate(lines):
        draw.text((120, 140 + 48 * number), line, font=font, fill=0)
    return image.rotate(turned, expand=True).convert(mode)


def picture(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def pdf(*pages: Sequence[str] | Image.Image, outline: Sequence[tuple[str, int]] = (), rotated: int = 0) -> bytes:
    """A PDF with a page of text for each list of lines, and a scan for each picture. `outline`: titles with pages."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for number, content in enumerate(pages, start=1):
        for title in (title for title, at in outline if at == number):
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, 0)
        if rotated:
            canvas.setPageRotation(rotated)
        if isinstance(content, Image.Image):
            canvas.drawImage(ImageReader(content), 0, 0, *A4)
        else:
            for line, text in enumerate(content):
                canvas.drawString(72, A4[1] - 96 - 14 * line, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def alike(text: str, lines: Sequence[str]) -> bool:
    """Whether a text is these lines but for a letter in twenty: no test is about how well Tesseract reads."""
    return SequenceMatcher(None, text, " ".join(lines), autojunk=False).ratio() > 0.95
