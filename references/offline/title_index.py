"""The title index of a ZIM file: an SQLite file with all titles, found by words, beginnings and spelling slips."""

from __future__ import annotations

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from text.stemming import stems

_VERSION = 1
_BATCH = 20_000
_COMMON = 20_000
"""A word of more titles than this is looked for only together with rarer ones."""
_ASCII_WORD = re.compile("[a-z0-9]+")

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE titles (id INTEGER PRIMARY KEY, key TEXT NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(stems, content='', tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE frequencies USING fts5vocab(words, 'row');
"""
_FINISH = """
CREATE INDEX titles_key ON titles (key);
CREATE VIRTUAL TABLE spellings USING fts5(word, tokenize='trigram', detail='none');
INSERT INTO spellings SELECT term FROM frequencies WHERE length(term) > 3 AND NOT term GLOB '*[0-9]*';
"""


class NoTitleIndex(Exception):
    """There is no usable title index. The message says why, for the operator."""


@dataclass(frozen=True)
class Title:
    """A title with the path of its article, or of a redirect to it. `stems` are those of its words."""

    title: str
    path: str
    stems: tuple[str, ...]


def title_key(title: str) -> str:
    """What equal titles share: letters and digits in lower case, without accents, words separated by spaces."""
    if title.isascii():
        return " ".join(_ASCII_WORD.findall(title.lower()))
    plain = unicodedata.normalize("NFKD", title).lower()
    kept = (" " if not char.isalnum() else char for char in plain if not unicodedata.combining(char))
    return " ".join("".join(kept).split())


def build_title_index(
    path: Path,
    edition: str,
    titles: Callable[[int], Iterable[tuple[int, str, str] | None]],
    *,
    language: str,
    limit: int | None = None,
    done: Callable[[int, int], None] = lambda entries, titles: None,
) -> int:
    """Build a title index at `path`, and return its number of titles.

    `titles(start)` yields number, title and path of each entry from `start` on, None for what is no article. An index
    that was interrupted is continued if it is of the same edition, language and limit. `done` is called now and then
    with the entries passed and the titles indexed. The file stands at `path` only when it is complete.
    """
    partial = path.with_name(path.name + ".partial")
    about = {"version": str(_VERSION), "edition": edition, "language": language, "limit": str(limit or "")}
    with closing(_open_partial(partial, about)) as database:
        begun, indexed = (int(_value(database, key)) for key in ("passed", "titles"))
        left = None if limit is None else limit - indexed
        for passed, rows in _batches(titles(begun), begun, left):
            indexed += len(rows)
            with database:
                _insert(database, rows, language)
                database.executemany("REPLACE INTO about VALUES (?, ?)", [("passed", passed), ("titles", indexed)])
            done(passed, indexed)
        with database:
            database.executescript(_FINISH)
        database.execute("PRAGMA journal_mode = DELETE")
    partial.replace(path)
    return indexed


def _open_partial(path: Path, about: dict[str, str]) -> sqlite3.Connection:
    """The interrupted index, or a new one where there is none of the same kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        database = sqlite3.connect(path)
        try:
            if all(_value(database, key) == value for key, value in about.items()) and not _is_finished(database):
                return database
        except sqlite3.DatabaseError:
            pass
        database.close()
        for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            file.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = OFF")
    try:
        database.executescript(_TABLES)
    except sqlite3.OperationalError as error:
        raise NoTitleIndex(f"Python’s SQLite {sqlite3.sqlite_version} cannot build a title index: {error}.") from error
    with database:
        rows = {**about, "passed": "0", "titles": "0"}
        database.executemany("INSERT INTO about VALUES (?, ?)", rows.items())
    return database


def _is_finished(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_master WHERE name = 'spellings'").fetchone() is not None


def _value(database: sqlite3.Connection, key: str) -> str:
    row = database.execute("SELECT value FROM about WHERE key = ?", [key]).fetchone()
    return str(row[0]) if row else ""


def _batches(
    entries: Iterable[tuple[int, str, str] | None], passed: int, most: int | None
) -> Iterator[tuple[int, list[tuple[int, str, str]]]]:
    """Batches of titles, each with the number of entries passed."""
    rest = iter(entries)
    while most is None or most > 0:
        batch = list(islice(rest, _BATCH if most is None else min(_BATCH, most)))
        if not batch:
            return
        passed += len(batch)
        rows = [entry for entry in batch if entry]
        most = None if most is None else most - len(rows)
        yield passed, rows


def _insert(database: sqlite3.Connection, rows: Sequence[tuple[int, str, str]], language: str) -> None:
    database.executemany(
        "INSERT INTO titles VALUES (?, ?, ?, ?)",
        ((number, title_key(title), title, path) for number, title, path in rows),
    )
    database.executemany(
        "INSERT INTO words (rowid, stems) VALUES (?, ?)",
        ((number, " ".join(stems(title, language))) for number, title, _ in rows),
    )


class TitleIndex:
    """A finished title index, opened for reading. Thread-safe. Raises NoTitleIndex where it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise NoTitleIndex(f"There is no title index {path}. Run manage.py add_zim on this server, too.")
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
            if _value(self._database, "version") != str(_VERSION) or not _is_finished(self._database):
                raise NoTitleIndex(f"{path} is of another version of Lectern, or not complete.")
        except sqlite3.DatabaseError as error:
            raise NoTitleIndex(f"{path} cannot be read: {error}.") from error
        self.edition = _value(self._database, "edition")
        self.language = _value(self._database, "language")
        self.titles = int(_value(self._database, "titles"))
        self.limit = int(_value(self._database, "limit") or 0) or None

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def exact(self, names: Collection[str]) -> list[Title]:
        """Titles that are one of these names, but for case, accents and signs."""
        keys = sorted({title_key(name) for name in names} - {""})
        marks = ", ".join("?" * len(keys))
        sql = f"SELECT title, path FROM titles WHERE key IN ({marks}) ORDER BY id LIMIT 100"  # noqa: S608 - question marks
        return self._titles(sql, keys)

    def frequency(self, word: str) -> int:
        """The number of titles that contain a stem."""
        rows = self._rows("SELECT doc FROM frequencies WHERE term = ?", [word])
        return int(rows[0][0]) if rows else 0

    def with_words(self, words: Collection[str], count: int) -> list[Title]:
        """Titles that contain any of these stems, best first by BM25. Very common stems do not count beside others."""
        rarest = sorted((frequency, word) for word in set(words) if (frequency := self.frequency(word)))
        kept = [word for frequency, word in rarest if frequency <= _COMMON] or [word for _, word in rarest[:1]]
        return self._matching(" OR ".join(map(_quoted, kept)), count) if kept else []

    def with_beginning(self, beginning: str, count: int) -> list[Title]:
        """Titles that contain a stem with this beginning."""
        return self._matching(f"{_quoted(beginning)}*", count)

    def similar_words(self, word: str) -> list[str]:
        """Stems of titles that a stem may be a misspelling of, the most common first."""
        if len(word) < 4:
            return []
        pieces = {word[start : start + 3] for start in range(len(word) - 2)}
        query = " OR ".join(map(_quoted, sorted(pieces)))
        rows = self._rows(
            "SELECT word FROM spellings WHERE spellings MATCH ? ORDER BY rank, rowid LIMIT ?", [query, 60]
        )
        near = [found for (found,) in rows if _is_slip(word, found)]
        return sorted(near, key=lambda found: (-self.frequency(found), found))

    def _matching(self, query: str, count: int) -> list[Title]:
        return self._titles(
            "SELECT title, path FROM (SELECT rowid AS found, rank AS place FROM words WHERE words MATCH ?"
            " ORDER BY rank, rowid LIMIT ?) JOIN titles ON titles.id = found ORDER BY place, found",
            [query, count],
        )

    def _titles(self, sql: str, parameters: Sequence[object]) -> list[Title]:
        return [Title(title, path, tuple(stems(title, self.language))) for title, path in self._rows(sql, parameters)]

    def _rows(self, sql: str, parameters: Sequence[object]) -> list[tuple[str, ...]]:
        try:
            with self._lock:
                return self._database.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            raise NoTitleIndex(f"The title index cannot be read: {error}.") from error


def _is_slip(word: str, other: str) -> bool:
    """Whether a few slips turn one word into the other: a letter too many, too few or wrong, or two swapped."""
    from rapidfuzz.distance import OSA

    most = 2 if min(len(word), len(other)) >= 7 else 1
    return OSA.distance(word, other, score_cutoff=most) <= most


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
