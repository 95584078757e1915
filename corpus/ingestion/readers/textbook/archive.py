"""The Markdown files of a ZIP archive, unpacked in memory and within limits.

Nothing is written to the disk, so a path that leads out of the archive is harmless. Such a file is left out anyway.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from corpus.ingestion.readers.decoding import is_text
from corpus.ingestion.readers.markdown.parse_warnings import MAX_PLACES
from corpus.ingestion.readers.sniffing import is_hidden_path, is_markdown
from corpus.ingestion.readers.structure import UnreadableDocument, one_line
from corpus.ingestion.readers.zip_package import MAX_PARTS, MAX_XML, ErrorMessages

MESSAGES = ErrorMessages("ZIP file", "Pack the Markdown files again, and upload that.")
ORDER_FILES = ("mkdocs.yml", "mkdocs.yaml", "_category_.json")
"""Files that define the reading order."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods cannot be unpacked with a limit
_OUTSIDE = re.compile(r"/|[A-Za-z]:|(?:.*/)?\.\.(?:/|$)")  # paths that lead out of the archive
_UTF8 = 0x800  # a flag


@dataclass
class ArchiveContents:
    """Markdown files and order files by path, and the paths that were left out by reason."""

    files: dict[str, bytes] = field(default_factory=dict)
    order_files: dict[str, bytes] = field(default_factory=dict)
    left_out: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"Left out, {why}: {_listed(paths)}." for why, paths in self.left_out.items())


def unpack(data: bytes) -> ArchiveContents:
    unpacked, room = ArchiveContents(), MAX_XML
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for part, path in _parts(archive, unpacked):
                if part.flag_bits & 1:
                    raise UnreadableDocument(MESSAGES.protected)
                if part.file_size > room:
                    raise UnreadableDocument(MESSAGES.too_large)
                content = _content(archive, part)
                if content is None:
                    unpacked.left_out["as they are damaged"].append(path)
                    continue
                room -= len(content)
                _keep(unpacked, path, content)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError):
        raise UnreadableDocument(MESSAGES.damaged) from None
    return unpacked


def _parts(archive: zipfile.ZipFile, unpacked: ArchiveContents) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    """The entries to read with their paths. Of two entries with one path the last one counts, as in other programs."""
    parts = archive.infolist()
    if len(parts) > MAX_PARTS:
        raise UnreadableDocument(
            f"This ZIP file has {len(parts):,} files; at most {MAX_PARTS:,} are possible. Split it into parts."
        )
    wanted: dict[str, zipfile.ZipInfo] = {}
    for part in parts:
        path = _path(part)
        if part.is_dir() or is_hidden_path(path):
            continue
        if _OUTSIDE.match(path):
            unpacked.left_out["as their paths lead out of the archive"].append(path)
        elif stat.S_ISLNK(part.external_attr >> 16):
            unpacked.left_out["as they are links to other files"].append(path)
        elif not is_markdown(path) and PurePosixPath(path).name not in ORDER_FILES:
            unpacked.left_out["as they are not Markdown"].append(path)
        else:
            if path in wanted:
                unpacked.left_out["as a later file has the same path"].append(path)
            wanted[path] = part
    for path, part in wanted.items():
        yield part, path


def _path(part: zipfile.ZipInfo) -> str:
    """The path as text. Archives of macOS have UTF-8 names without the flag for it."""
    name = part.filename
    if not part.flag_bits & _UTF8:
        with suppress(UnicodeEncodeError, UnicodeDecodeError):
            name = name.encode("cp437").decode("utf-8")
    return one_line(name.replace("\\", "/")).removeprefix("./")[-500:]


def _content(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes | None:
    """The unpacked content, never more than the declared size. None if it cannot be unpacked."""
    if part.compress_type not in _METHODS:
        return None
    try:
        with archive.open(part) as file:
            return file.read(part.file_size)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        return None


def _keep(unpacked: ArchiveContents, path: str, content: bytes) -> None:
    if PurePosixPath(path).name in ORDER_FILES:
        unpacked.order_files[path] = content
    elif not content.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        unpacked.left_out["as they are empty"].append(path)
    elif not is_text(content):
        unpacked.left_out["as they are not text"].append(path)
    else:
        unpacked.files[path] = content


def _listed(paths: list[str]) -> str:
    if len(paths) <= MAX_PLACES:
        return ", ".join(paths)
    return f"{len(paths):,} files, such as {', '.join(paths[:MAX_PLACES])}"
