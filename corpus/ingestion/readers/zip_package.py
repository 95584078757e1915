"""Checks that an Office file or e-book is safe to unpack, before a library opens it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from corpus.ingestion.readers.structure import UnreadableDocument
from corpus.ingestion.readers.titles import sensible_title

MAX_UNPACKED = 200 * 1024 * 1024  # bytes of all parts, including pictures
MAX_XML = 50 * 1024 * 1024  # bytes of one XML part; parsed, it needs about ten times as much memory
MAX_PARTS = 10_000
_SLICE = 1 << 14  # bytes unpacked at once; they grow a thousandfold at most
_XML_NAMES = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")


_SMALLER = "Remove large pictures or split it into parts."


class ErrorMessages:
    """What teachers read of a broken file. `name` is that of its format; `advice` says how to make a valid one."""

    def __init__(self, name: str, advice: str) -> None:
        self.damaged = f"This {name} is damaged and cannot be opened. {advice}"
        self.protected = f"This {name} is protected by a password. Remove it and upload the file again."
        self.too_large = f"This {name} unpacks to more than Lectern accepts. {_SMALLER}"


def check_package(data: bytes, messages: ErrorMessages) -> None:
    """Raise an error unless all parts unpack to their declared sizes, which libraries trust."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if any(part.flag_bits & 1 for part in parts):
        raise UnreadableDocument(messages.protected)
    longest = max((part.file_size for part in parts if part.filename.lower().endswith(_XML_NAMES)), default=0)
    if len(parts) > MAX_PARTS or longest > MAX_XML or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise UnreadableDocument(messages.too_large)
    if any(_measure(data, part) != part.file_size for part in parts):
        raise UnreadableDocument(messages.damaged)


def _measure(data: bytes, part: zipfile.ZipInfo) -> int:
    """The unpacked size of a part. Stops when it exceeds the declared size. -1 if it cannot be unpacked."""
    names = struct.unpack_from("<HH", data, part.header_offset + 26)  # lengths of name and extra field
    start = part.header_offset + 30 + sum(names)
    packed = memoryview(data)[start : start + part.compress_size]
    if part.compress_type == zipfile.ZIP_STORED:
        return len(packed)
    unpacker, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    for offset in range(0, len(packed), _SLICE):
        size += len(unpacker.decompress(packed[offset : offset + _SLICE]))
        if size > part.file_size or unpacker.eof:
            break
    return size if unpacker.eof and part.compress_type == zipfile.ZIP_DEFLATED else -1


def open_office_file(data: bytes, library: Callable[[IO[bytes]], object], *, other_kind: str) -> Any:
    """The document of python-docx or python-pptx. `other_kind` is the message for templates and files with macros."""
    try:
        return library(io.BytesIO(data))
    except ValueError as error:
        raise (UnreadableDocument(other_kind) if "content type" in str(error) else error) from error


def read_title(document: Any) -> str | None:
    with suppress(Exception):  # a document must not fail for it
        return sensible_title(document.core_properties.title)
    return None
