"""Builders of files that mean harm, small on disk and made in a moment."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache

from tests import documents

MEGABYTE = 1 << 20
_MARK = "where the text goes"
PACKAGES = ("docx", "pptx", "xlsx", "epub")


def package(kind: str, content: str = "Text.", *, before: str = "", more: Mapping[str, bytes] | None = None) -> bytes:
    """A sound DOCX, PPTX, XLSX or EPUB, but with `content` as its text, `before` in front of that part's root, `more`
    parts."""
    parts = dict(_sound(kind))
    for name, data in parts.items():
        if _MARK.encode() in data:
            root = data.index(b"?>") + 2 if data.startswith(b"<?xml") else 0
            parts[name] = data[:root] + before.encode() + data[root:].replace(_MARK.encode(), content.encode())
    return archive(parts | dict(more or {}))


@cache
def _sound(kind: str) -> dict[str, bytes]:
    if kind == "epub":
        return _epub()
    builders = {
        "docx": lambda: documents.word(("Normal", _MARK)),
        "pptx": lambda: documents.presentation(("A slide", [_MARK])),
        "xlsx": lambda: documents.workbook({"A sheet": [["Name", "Number"], [_MARK, 1]]}),
    }
    with zipfile.ZipFile(io.BytesIO(builders[kind]())) as file:
        return {name: file.read(name) for name in file.namelist()}


def _epub() -> dict[str, bytes]:
    container = (
        "<container version='1.0' xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
        "<rootfile full-path='book.opf' media-type='application/oebps-package+xml'/></rootfiles></container>"
    )
    book = (
        "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata/>"
        "<manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>"
        "<spine><itemref idref='a'/></spine></package>"
    )
    chapter = f"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>{_MARK}</p></body></html>"
    texts = {"META-INF/container.xml": container, "book.opf": book, "a.xhtml": chapter}
    packed = {name: f"<?xml version='1.0'?>{text}".encode() for name, text in texts.items()}
    return {"mimetype": b"application/epub+zip", **packed}


def archive(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return buffer.getvalue()


def zip_bomb(kind: str, megabytes: int = 250) -> bytes:
    """A sound package with a picture of zeros."""
    buffer = io.BytesIO(package(kind))
    kept = zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED, compresslevel=1)
    with kept, kept.open("media/picture.png", "w") as part:
        for _ in range(megabytes):
            part.write(bytes(MEGABYTE))
    return buffer.getvalue()


def text_bomb(kind: str, megabytes: int = 40) -> bytes:
    """The main part itself is huge and well formed, just below what the readers unpack."""
    return package(kind, "word " * (megabytes * MEGABYTE // 5))


def lying(kind: str) -> bytes:
    """A package whose part declares ten bytes and unpacks to sixty megabytes."""
    data = zip_bomb(kind, 60)
    return data.replace(struct.pack("<I", 60 * MEGABYTE), struct.pack("<I", 10))


def encrypted(kind: str) -> bytes:
    """Every part says that it is encrypted."""
    data = bytearray(package(kind))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.find(mark)
        while start >= 0:
            data[start + offset] |= 1
            start = data.find(mark, start + 4)
    return bytes(data)


def billion_laughs(kind: str) -> bytes:
    entities = "<!ENTITY a0 'lol'>" + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 11))
    return package(kind, "&a10;", before=f"<!DOCTYPE x [{entities}]>")


def quadratic_blowup(kind: str) -> bytes:
    return package(kind, "&a;" * 20_000, before=f"<!DOCTYPE x [<!ENTITY a '{'a' * 100_000}'>]>")


def foreign_entity(kind: str, address: str) -> bytes:
    return package(kind, "Before &x; after.", before=f"<!DOCTYPE x [<!ENTITY x SYSTEM '{address}'>]>")


def deep(kind: str, depth: int = 100_000) -> bytes:
    return package(kind, "<x>" * depth + "</x>" * depth)


def truncated(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def many_parts() -> bytes:
    return package("docx", more={f"word/part{number}.xml": b"" for number in range(12_000)})


def wide_and_long_table() -> bytes:
    """One row of 5,000 cells and 5,000 rows of one: as a grid it has 25 million."""
    cell = "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
    rows = f"<w:tr>{cell * 5000}</w:tr>" + f"<w:tr>{cell}</w:tr>" * 5000
    return package("docx", f"</w:t></w:r></w:p><w:tbl>{rows}</w:tbl><w:p><w:r><w:t>")


def sheet(rows: str) -> bytes:
    """A workbook with these rows as they stand in its XML."""
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    xml = f"<worksheet xmlns='{namespace}'><sheetData>{rows}</sheetData></worksheet>"
    return package("xlsx", "a" * 500_000, more={"xl/worksheets/sheet1.xml": xml.encode()})


def far_cells() -> bytes:
    """Ten thousand rows, each with one cell, in the last column."""
    return sheet("".join(f"<row r='{n}'><c r='XFD{n}'><v>1</v></c></row>" for n in range(1, 10_001)))


def one_string_everywhere() -> bytes:
    """Half a megabyte of text, which five thousand cells say is theirs."""
    return sheet("".join(f"<row r='{n}'><c r='A{n}' t='s'><v>2</v></c></row>" for n in range(1, 5001)))


# PDF ---------------------------------------------------------------------------------------------------------

PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<</Font<</F 4 0 R>>>>>>"
_TEXT = b"BT /F 12 Tf 72 700 Td (A line of text on a page.) Tj ET"


def pdf(
    *pages: bytes,
    content: bytes | None = None,
    count: int | None = None,
    catalog: bytes = b"",
    more: tuple[bytes, ...] = (),
    trailer: bytes = b"",
) -> bytes:
    """A PDF by hand. Objects: 1 catalogue, 2 page tree, 3 content, 4 font, then `pages` and `more`. The pages appear
    again until they are `count`."""
    kids = [b"%d 0 R" % number for number in range(5, 5 + len(pages))]
    kids *= (count or len(pages)) // len(pages)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R %s>>" % catalog,
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids)),
        content or stream(_TEXT),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *pages,
        *more,
    ]
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size + b"".join(places)
    out += b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (
        size,
        trailer % {b"start": start},
        start,
    )
    return bytes(out)


def stream(data: bytes, filters: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), filters, data)


@cache
def packed(megabytes: int, block: bytes = b" ") -> bytes:
    """Deflate of that many megabytes, without having them in memory."""
    packer, part = zlib.compressobj(1), block * (MEGABYTE // len(block))
    return b"".join(packer.compress(part) for _ in range(megabytes)) + packer.flush()


_FLATE = b"/Filter/FlateDecode"
_FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>"

_CIRCLE = (b"<</First 7 0 R/Last 7 0 R/Count 9>>", b"<</Title(A)/Parent 6 0 R/First 7 0 R/Next 7 0 R>>")
_ITSELF = stream(b"/X Do " * 99, _FORM)

PDFS: dict[str, Callable[[], bytes]] = {
    "spaces": lambda: pdf(PAGE, content=stream(packed(600), _FLATE)),
    "packed twice": lambda: pdf(PAGE, content=stream(zlib.compress(packed(600)), b"/Filter[/FlateDecode/FlateDecode]")),
    "letters": lambda: pdf(PAGE, content=stream(zlib.compress(b"BT /F 9 Tf " + b"(Words.)Tj " * 3_000_000, 1), _FLATE)),
    "states": lambda: pdf(PAGE, content=stream(packed(40, b"q "), _FLATE)),
    "20,000 pages": lambda: pdf(*[PAGE] * 20_000),
    "one page 1,500 times": lambda: pdf(PAGE, count=1500),
    "encrypted by nobody": lambda: pdf(PAGE, trailer=b"/Encrypt<</Filter/Unknown/V 99>>"),
    "nothing but a header": lambda: b"%PDF-1.7\n" + b"\n" * 1000,
}
ODD_PDFS: dict[str, Callable[[], bytes]] = {  # with a page that can be read, perhaps
    "tree in a circle": lambda: pdf(PAGE, b"2 0 R", count=1000),
    "deep arrays": lambda: pdf(PAGE, catalog=b"/X " + b"[" * 500_000 + b"]" * 500_000),
    "outline in a circle": lambda: pdf(PAGE, catalog=b"/Outlines 6 0 R", more=_CIRCLE),
    "drawing that draws itself": lambda: pdf(
        PAGE.replace(b"/Font", b"/XObject<</X 6 0 R>>/Font"), content=stream(b"/X Do " * 99), more=(_ITSELF,)
    ),
    "table that goes before itself": lambda: pdf(PAGE, trailer=b"/Prev %(start)d"),
    "endless page": lambda: pdf(PAGE.replace(b"612 792", b"1e38 1e38")),
    "truncated": lambda: truncated(pdf(*[PAGE] * 50)),
}


# Pictures ----------------------------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    """One bit a pixel, all of them the same, packed a thousandfold."""
    row = bytes(1 + (width + 7) // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def tiff_in_a_circle() -> bytes:
    """Its first page says that the next one is itself."""
    entries = [(256, 4, 1, 8), (257, 4, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8)]
    body = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\x00" + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + body + struct.pack("<I", 8)


PICTURES: dict[str, Callable[[], bytes]] = {
    "900 million pixels": lambda: png(30_000, 30_000),
    "99 million pixels": lambda: png(9900, 9900),
    "truncated": lambda: truncated(png(3000, 3000)),
    "noise": lambda: png(8, 8)[:33] + bytes(range(256)) * 99,
    "pages in a circle": tiff_in_a_circle,
}
