"""Topics as a CSV file: a line for each address, with the name of its topic and its keywords."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from corpus.web.csv_file import decode_csv, guess_delimiter, unescape_cell, write_csv
from references.approved import topics
from references.approved.topics import TopicRefused, check_addresses
from references.models import ApprovedTopic
from schools.models import School

COLUMNS = ("name", "keywords", "address")
BETWEEN = ", "
"""What stands between keywords."""

MAX_LINES = 5000


class NoTable(Exception):
    """What was sent cannot be read as such a table. The message says why."""


@dataclass(frozen=True)
class WrongLine:
    """A line that was not taken, why, and how to send it again."""

    number: int
    reason: str
    line: str


@dataclass
class ImportResult:
    """What an import has done."""

    topics: int = 0
    pages: int = 0
    wrong: list[WrongLine] = field(default_factory=list)

    def remaining(self) -> str:
        """The lines that were not taken, with the line of columns, to be corrected and sent again."""
        return "\n".join([";".join(COLUMNS), *(one.line for one in self.wrong)]) if self.wrong else ""


@dataclass
class _Topic:
    keywords: list[str] = field(default_factory=list)
    lines: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)


def export_topics(school: School) -> str:
    """All topics of a school, as `import_topics` takes them."""
    rows: list[tuple[str, str, str]] = []
    for topic in ApprovedTopic.objects.for_school(school).prefetch_related("pages"):
        keywords = BETWEEN.join(topic.keywords)
        rows += [(topic.name, keywords, page.address) for page in topic.pages.all()] or [(topic.name, keywords, "")]
    return write_csv(COLUMNS, rows)


def import_topics(*, school: School, table: bytes | str) -> ImportResult:
    """Take the lines that are right; name the others. Nothing that is listed already is removed.

    Keywords and addresses are added to a topic of the same name. Raises NoTable.
    """
    done = ImportResult()
    wanted: dict[str, _Topic] = {}
    names: dict[str, str] = {}
    for number, row in _rows(table):
        name = " ".join(row["name"].split())
        if not name:
            done.wrong.append(_wrong(number, row, "It names no topic."))
            continue
        topic = wanted.setdefault(names.setdefault(name.casefold(), name), _Topic())
        topic.keywords += split_keywords(row["keywords"])
        checked = check_addresses(school, [row["address"]])
        if checked.wrong:
            done.wrong.append(_wrong(number, row, checked.wrong[0]))
        else:
            topic.addresses += checked.addresses
            topic.lines.append((number, row))
    for name, topic in wanted.items():
        if topic.lines:
            _take(school, name, topic, done)
    done.wrong.sort(key=lambda one: one.number)
    return done


def split_keywords(text: str) -> list[str]:
    """Keywords as people write them: separated by commas, semicolons or lines."""
    return [word for part in text.replace(";", ",").splitlines() for word in part.split(",") if word.strip()]


def _take(school: School, name: str, topic: _Topic, done: ImportResult) -> None:
    existing = ApprovedTopic.objects.for_school(school).filter(name__iexact=name).first()
    try:
        if existing:
            before = existing.pages.count()
            topics.change_topic(topic=existing, keywords=[*existing.keywords, *topic.keywords])
            topics.add_addresses(topic=existing, addresses=topic.addresses)
            done.pages += existing.pages.count() - before
        else:
            made = topics.create_topic(school=school, name=name, keywords=topic.keywords, addresses=topic.addresses)
            done.topics += 1
            done.pages += made.pages.count()
    except TopicRefused as reason:
        done.wrong += [_wrong(number, row, str(reason)) for number, row in topic.lines]


def _rows(table: bytes | str) -> Iterator[tuple[int, dict[str, str]]]:
    """Lines of the table with their number, by column; the order of the columns does not matter."""
    try:
        text = decode_csv(table) if isinstance(table, bytes) else table.replace("\x00", "").lstrip("\ufeff")
        lines = csv.reader(io.StringIO(text.lstrip()), delimiter=guess_delimiter(text.lstrip(), also="\t"), strict=True)
        columns = [cell.strip().casefold() for cell in next(lines, [])]
        missing = [name for name in COLUMNS if name not in columns]
        if missing:
            raise NoTable(f"The first line must name the columns: {'; '.join(COLUMNS)}.")
        for count, cells in enumerate(lines, 1):
            if count > MAX_LINES:
                raise NoTable(f"These are more than {MAX_LINES} lines. Send them in several parts.")
            row = dict(zip(columns, map(unescape_cell, cells), strict=False))
            if any(row.values()):
                yield lines.line_num, {name: row.get(name, "") for name in COLUMNS}
    except (csv.Error, ValueError) as error:
        raise NoTable(f"This cannot be read as a table: {error}") from None


def _wrong(number: int, row: Mapping[str, str], reason: str) -> WrongLine:
    file = io.StringIO()
    csv.writer(file, delimiter=";", lineterminator="").writerow([row[name] for name in COLUMNS])
    return WrongLine(number, reason, file.getvalue())
