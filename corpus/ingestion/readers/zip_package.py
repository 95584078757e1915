"""Checks that an Office file or e-book is safe to unpack, before a library opens it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from corpus.ingestion.readers.structure import UnreadableDocument, report_damage
from corpus.ingestion.readers.titles import sensible_title

MAX_UNPACKED = 200 * 1024 * 1024  # bytes of all parts, including pictures
MAX_XML = 50 * 1024 * 1024  # bytes of one XML part; parsed, it needs about ten times as much memory
MAX_PARTS = 10_000
_SLICE = 1 << 14  # bytes unpacked at once; they grow a thousandfold at most

_SMALLER = "Remove large pictures or split it into parts."
_XML_NAMES = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")


class ErrorMessages:
    def __init__(self, name: str, advice: str) -> None:
        """`name` is that of a format; `advice` says how to make a valid file."""
        self.damaged = f"This {name} is damaged and cannot be opened. {advice}"
        self.protected = f"This {name} is protected by a password. Remove it and upload the file again."
        self.too_large = f"This {name} unpacks to more than Lectern accepts. {_SMALLER}"


def office_messages(program: str) -> ErrorMessages:
    return ErrorMessages(f"{program} file", f"Open it in {program}, save it again, and upload that.")


def open_office_file(data: bytes, library: Callable[..., object], messages: ErrorMessages, *, other_kind: str) -> Any:
    """The document of python-docx or python-pptx. `other_kind` is the message for templates and files with macros."""
    check_package(data, messages)
    with report_damage(messages.damaged):
        try:
            document = library(io.BytesIO(data))
        except ValueError as error:
            if "content type" in str(error):
                raise UnreadableDocument(other_kind) from error
            raise
    return document


def stated_title(document: Any) -> str | None:
    """The sensible title in the properties of a python-docx or python-pptx document."""
    try:
        return sensible_title(document.core_properties.title)
    except MemoryError:
        raise
    except Exception:  # a document must not fail for it
        return None


def open_package(data: bytes, messages: ErrorMessages) -> zipfile.ZipFile:
    check_package(data, messages)
    return zipfile.ZipFile(io.BytesIO(data))


def check_package(data: bytes, messages: ErrorMessages) -> None:
    """Raise UnreadableDocument unless all parts unpack to their declared sizes, which libraries trust."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError):
        raise UnreadableDocument(messages.damaged) from None
    if any(part.flag_bits & 1 for part in parts):
        raise UnreadableDocument(messages.protected)
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise UnreadableDocument(messages.too_large)
    for part in parts:
        if part.filename.lower().endswith(_XML_NAMES) and part.file_size > MAX_XML:
            raise UnreadableDocument(messages.too_large)
        if _actual_size(data, part) != part.file_size:
            raise UnreadableDocument(messages.damaged)


def _actual_size(data: bytes, part: zipfile.ZipInfo) -> int:
    """The unpacked size of a part. Stops when it exceeds the declared size. -1 if it cannot be unpacked."""
    try:
        names = struct.unpack_from("<HH", data, part.header_offset + 26)  # lengths of name and extra field
        start = part.header_offset + 30 + sum(names)
        packed = memoryview(data)[start : start + part.compress_size]
        if part.compress_type == zipfile.ZIP_STORED:
            return len(packed)
        return _inflated_size(packed, part.file_size) if part.compress_type == zipfile.ZIP_DEFLATED else -1
    except (struct.error, zlib.error):
        return -1


def _inflated_size(packed: memoryview, declared: int) -> int:
    unpacker, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    for offset in range(0, len(packed), _SLICE):
        size += len(unpacker.decompress(packed[offset : offset + _SLICE]))
        if size > declared or unpacker.eof:
            break
    return size if unpacker.eof else -1
