"""Reading ZIM files. Only this module reads with libzim, which is GPL and so an optional extra."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from libzim.reader import Entry

INSTALL = "pip install 'lectern[zim]'"

_HEADER = struct.Struct("<IHH16sIIQQQQIIQ")
_CHECKSUM = 16  # bytes, MD5, at the end of the file
_HTML = ("text/html", "application/xhtml+xml")


class ZimUnavailable(Exception):
    """libzim is not installed. The message says what to do."""


class ZimError(Exception):
    """A file cannot be read. The message says why, for the operator."""


@dataclass(frozen=True)
class ZimPage:
    """An article: its path after all redirects, its title, and its HTML."""

    path: str
    title: str
    html: str


def is_installed() -> bool:
    """Whether libzim can be imported."""
    try:
        _library()
    except ZimUnavailable:
        return False
    return True


def check_file(path: Path, *, read: Callable[[int, int], None] | None = None) -> None:
    """Check that a file is a whole ZIM file. Works without libzim. Raises ZimError.

    With `read` the whole file is read and compared with its checksum; it is called with the bytes read and all bytes.
    """
    try:
        with path.open("rb") as file:
            end = _end_of_content(path, file.read(_HEADER.size))
            size = path.stat().st_size
            if size < end + _CHECKSUM:
                done = f"{size:,} of {end + _CHECKSUM:,} bytes"
                raise ZimError(f"{path} is not complete: it has {done}. Copy or download it again.")
            if read:
                _compare_checksum(path, file, end, read)
    except FileNotFoundError:
        raise ZimError(f"There is no file {path}.") from None
    except OSError as error:
        raise ZimError(f"{path} cannot be read: {error.strerror or error}.") from error


def _end_of_content(path: Path, header: bytes) -> int:
    """The position of the checksum."""
    if path.suffix.startswith(".zima"):
        raise ZimError(
            f"{path} is one part of a split file. Join the parts first: cat {path.stem}.zim?? > {path.stem}.zim"
        )
    fields = _HEADER.unpack(header) if len(header) == _HEADER.size else None
    if header[:4] != struct.pack("<I", 72173914):
        raise ZimError(f"{path} is not a ZIM file.")
    if fields is None or not fields[-1]:
        raise ZimError(f"{path} is not complete: its header ends early. Copy or download it again.")
    return int(fields[-1])


def _compare_checksum(path: Path, file: Any, end: int, read: Callable[[int, int], None]) -> None:
    file.seek(0)
    digest, done = hashlib.md5(usedforsecurity=False), 0
    while done < end and (piece := file.read(min(1 << 22, end - done))):
        digest.update(piece)
        done += len(piece)
        read(done, end)
    stored = file.read(_CHECKSUM)
    if stored != digest.digest():
        raise ZimError(f"{path} is damaged: its content does not match its checksum. Copy or download it again.")


class ZimFile:
    """An open ZIM file. Thread-safe: libzim does not release the interpreter's lock inside a call.

    Raises ZimUnavailable without libzim, and ZimError for a file that cannot be opened. Its methods raise ZimError when
    the file turns out to be damaged.
    """

    def __init__(self, path: Path) -> None:
        library = _library()
        check_file(path)
        self.path = path
        with _readable(path):
            self._archive = library.reader.Archive(path)
            self._query = library.search.Query
            full_text = self._archive.has_fulltext_index
            self._searcher = library.search.Searcher(self._archive) if full_text else None
            titles = self._archive.has_title_index
            self._suggester = library.suggestion.SuggestionSearcher(self._archive) if titles else None
        self.uuid: UUID = self._archive.uuid
        self.entries: int = self._archive.entry_count
        self.articles = self._counted() or int(self._archive.article_count)
        self._articles_in = "" if self._archive.has_new_namespace_scheme else "A/"

    @property
    def has_full_text(self) -> bool:
        return self._searcher is not None

    def metadata(self, name: str) -> str:
        """An entry of the metadata, such as "Title"; "" where there is none."""
        try:
            return str(self._archive.get_metadata(name).decode(errors="replace").strip())
        except (KeyError, RuntimeError):
            return ""

    def _counted(self) -> int:
        """The number of articles without redirects, which libzim counts, too: "text/html=4;image/png=1"."""
        counts = re.findall(r"([\w/+.-]+)(?:;[^=;]*)?=(\d+)", self.metadata("Counter"))
        return sum(int(count) for media_type, count in counts if media_type in _HTML)

    def titles(self, start: int) -> Iterator[tuple[int, str, str] | None]:
        """For each entry from number `start` on: its number, title and path; None for what is no article.

        Redirects have their own titles and paths, since they are other names of an article.
        """
        find = self._archive._get_entry_by_id
        with _readable(self.path):
            for number in range(start, self.entries):
                entry = find(number)
                path: str = entry.path
                if not path.startswith(self._articles_in):
                    yield None
                elif entry.is_redirect or entry.get_item().mimetype.startswith(_HTML):
                    yield number, entry.title or path, path
                else:
                    yield None

    def find_path(self, path: str) -> str | None:
        """The path of the article that this path leads to, after all redirects."""
        entry = self._entry(path)
        return entry.path if entry and self._is_article(entry) else None

    def get_entry_title(self, path: str) -> str:
        """The title of the entry at a path, which may be a redirect; "" where there is none."""
        with _readable(self.path):
            try:
                return str(self._archive.get_entry_by_path(path).title)
            except KeyError:
                return ""

    def find_title(self, title: str) -> str | None:
        """The path of the article with exactly this title, after all redirects."""
        with _readable(self.path):
            try:
                entry = self._followed(self._archive.get_entry_by_title(title))
            except KeyError:
                return None
        return entry.path if entry and self._is_article(entry) else None

    def page(self, path: str) -> ZimPage | None:
        """The article at a path, after all redirects."""
        entry = self._entry(path)
        if entry is None or not self._is_article(entry):
            return None
        with _readable(self.path):
            html = bytes(entry.get_item().content).decode(errors="replace")
        return ZimPage(entry.path, entry.title or entry.path, html)

    def media(self, path: str, largest: int) -> tuple[str, bytes] | None:
        """The media type and content of an entry, such as a picture, after all redirects.

        None where there is none, and above `largest` bytes.
        """
        entry = self._entry(path)
        if entry is None:
            return None
        with _readable(self.path):
            item = entry.get_item()
            if item.size > largest:
                return None
            return item.mimetype.partition(";")[0].strip().lower(), bytes(item.content)

    def main_page(self) -> str | None:
        """The path of the page that the file begins with."""
        with _readable(self.path):
            entry = self._followed(self._archive.main_entry) if self._archive.has_main_entry else None
        return entry.path if entry and self._is_article(entry) else None

    def suggest(self, words: str, count: int) -> list[str]:
        """Paths of at most `count` articles and redirects whose title the file suggests for these words."""
        if self._suggester is None or not words.strip():
            return []
        with _readable(self.path):
            return list(self._suggester.suggest(words).getResults(0, count))

    def search(self, words: str, count: int) -> tuple[int, list[str]]:
        """About how many texts contain all of these words, and the paths of the `count` best."""
        if self._searcher is None or not words.strip():
            return 0, []
        with _readable(self.path):
            found = self._searcher.search(self._query().set_query(words))
            matches = int(found.getEstimatedMatches())
            return matches, list(found.getResults(0, count)) if matches and count else []

    def _entry(self, path: str) -> Entry | None:
        with _readable(self.path):
            try:
                return self._followed(self._archive.get_entry_by_path(path))
            except KeyError:
                return None

    def _followed(self, entry: Entry) -> Entry | None:
        for _ in range(8):
            if not entry.is_redirect:
                return entry
            entry = entry.get_redirect_entry()
        return None

    def _is_article(self, entry: Entry) -> bool:
        with _readable(self.path):
            return bool(entry.get_item().mimetype.startswith(_HTML))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn libzim's errors into ZimError."""
    try:
        yield
    except (RuntimeError, OSError, ValueError, IndexError) as error:
        raise ZimError(f"{path} cannot be read: {str(error).rstrip('.')}.") from error


@cache
def _library() -> ModuleType:
    """The package libzim with the modules that are used here."""
    try:
        import libzim
        import libzim.reader
        import libzim.search
        import libzim.suggestion
    except ImportError:
        message = f"Reading ZIM files needs libzim, which is not installed. Install it: {INSTALL}"
        raise ZimUnavailable(message) from None
    return libzim  # type: ignore[no-any-return]
