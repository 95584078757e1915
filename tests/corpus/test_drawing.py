"""Pages as pictures: bounded in size, in grey, and as people see them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from corpus.ingestion.parsing import UnreadableDocument, parse
from corpus.ingestion.readers.draw_page import draw_page, fit_scale
from corpus.ingestion.readers.images import FORMATS, MAX_PIXELS, MAX_SIDE
from tests import hostile, scans

PDF = "application/pdf"
LINES = ["Respiration releases energy from sugar."]


def is_like(picture: Image.Image, page: Image.Image) -> bool:
    """Whether it looks like a page, seen from far off."""
    far, near = (image.convert("L").resize((80, 110)).tobytes() for image in (picture, page))
    return max(abs(a - b) for a, b in zip(far, near, strict=True)) < 60


def test_a_page_of_a_pdf_has_300_dots_an_inch() -> None:
    picture = draw_page(scans.pdf(LINES, scans.page(LINES)), PDF, 2)
    assert (picture.width, picture.height) == (2481, 3508)
    assert is_like(picture, scans.page(LINES))
    assert (picture.mode, picture.getextrema()) == ("L", (0, 255))
    assert draw_page(scans.pdf([]), PDF, 1).getextrema() == (255, 255)


PAGE = scans.page(LINES)
UPRIGHT = Image.Exif()
UPRIGHT[0x0112] = 8  # was turned a quarter to the right: a viewer turns it back
SEEN: dict[str, Callable[[], bytes]] = {
    "PNG": lambda: scans.picture(PAGE),
    "PNG in colour": lambda: scans.picture(PAGE.convert("RGB")),
    "PNG of a palette": lambda: scans.picture(PAGE.convert("P")),
    "PNG of 16 bits": lambda: scans.picture(PAGE.convert("I").point(lambda value: value * 256).convert("I;16")),
    "PNG on nothing": lambda: scans.picture(transparent(PAGE)),
    "JPEG": lambda: scans.picture(PAGE, "JPEG"),
    "JPEG for print": lambda: scans.picture(PAGE.convert("CMYK"), "JPEG"),
    "JPEG on its side": lambda: scans.picture(PAGE.transpose(Image.Transpose.ROTATE_270), "JPEG", exif=UPRIGHT),
    "JPEG of a camera": lambda: scans.picture(PAGE, "MPO", save_all=True, append_images=[PAGE]),
    "TIFF as a fax": lambda: scans.picture(PAGE.convert("1"), "TIFF", compression="group4"),
    "TIFF": lambda: scans.picture(PAGE, "TIFF", compression="tiff_lzw"),
    "WebP": lambda: scans.picture(PAGE, "WEBP"),
}


def transparent(page: Image.Image) -> Image.Image:
    """Black ink on nothing, as programs save drawings: without care black on black."""
    ink = Image.new("RGBA", page.size, (0, 0, 0, 0))
    ink.putalpha(page.point(lambda value: 255 - value))
    return ink


@pytest.mark.parametrize("name", SEEN)
def test_a_picture_is_read_as_people_see_it(name: str) -> None:
    data = SEEN[name]()
    parsed = parse(data, filename="picture")
    assert (parsed.pages, parsed.blank_pages, parsed.media_type in FORMATS.values()) == (1, (1,), True)
    assert is_like(draw_page(data, parsed.media_type, 1), PAGE)


def test_every_page_of_a_tiff_is_drawn() -> None:
    second = scans.page(["", "", "", *LINES])
    data = scans.picture(PAGE, "TIFF", save_all=True, append_images=[second])
    assert parse(data).blank_pages == (1, 2)
    assert is_like(draw_page(data, "image/tiff", 2), second)
    assert not is_like(draw_page(data, "image/tiff", 1), second)


def test_a_small_picture_is_enlarged() -> None:
    picture = draw_page(scans.picture(PAGE.resize((400, 566))), "image/png", 1)
    assert (picture.width, picture.height) == (800, 1132)


SIDES = st.floats(min_value=1, max_value=1e30)


@given(SIDES, SIDES, st.floats(min_value=0.1, max_value=10))
def test_a_scale_keeps_within_the_limits(width: float, height: float, scale: float) -> None:
    found = fit_scale(width, height, scale)
    assert found <= scale
    sides = math.floor(width * found), math.floor(height * found)
    assert max(sides) <= MAX_SIDE
    assert sides[0] * sides[1] <= MAX_PIXELS


@pytest.mark.parametrize("box", [b"0 0 14400 14400", b"0 0 1e6 1e6", b"0 0 1 1e6", b"0 0 1e30 1e30"])
def test_a_page_of_any_size_becomes_a_bounded_picture(box: bytes) -> None:
    data = hostile.pdf(hostile.PAGE.replace(b"0 0 612 792", box))
    try:
        picture = draw_page(data, PDF, 1)
    except Exception as refused:  # pdfium may refuse it
        assert isinstance(refused, UnreadableDocument | ValueError | RuntimeError), refused
        return
    assert max(picture.width, picture.height) <= MAX_SIDE + 1
    assert picture.width * picture.height <= MAX_PIXELS * 1.01


def test_a_picture_as_thin_as_a_line_is_drawn() -> None:
    for width, height in ((1, 60_000), (60_000, 1)):
        picture = draw_page(scans.picture(Image.new("L", (width, height), 255)), "image/png", 1)
        assert (max(picture.size), min(picture.size)) == (MAX_SIDE, 1)


def test_a_picture_that_claims_to_be_huge_is_refused_unseen() -> None:
    with pytest.raises(UnreadableDocument, match="900 million pixels; at most 100 million"):
        parse(hostile.png(30_000, 30_000))


def test_a_huge_photo_is_not_decoded_as_a_whole() -> None:
    data = scans.picture(Image.new("RGB", (9000, 9000), "white"), "JPEG")
    assert draw_page(data, "image/jpeg", 1).width <= 4500
