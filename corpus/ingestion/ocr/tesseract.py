"""Tesseract, if it is installed: reads the text of one picture in a sandboxed process (ADR 9).

Its TSV output, which has one word in each row, becomes paragraphs.
"""

from __future__ import annotations

import logging
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import IO

from django.conf import settings

from corpus.ingestion.readers.images import DPI
from corpus.ingestion.readers.pdf.paragraphs import collect_words, join_lines
from corpus.ingestion.readers.pdf.words import tidy
from corpus.ingestion.sandbox.runner import run_worker

logger = logging.getLogger(__name__)

MAX_LANGUAGES = 4
"""The most languages that are used if the settings name none. Each one costs time and adds mistakes."""

_ORIENTATION = "osd"  # the data for orientation detection
_NO_LANGUAGES = (_ORIENTATION, "equ", "snum")
_MAX_BYTES = 1 << 20  # of a reply; a dense page has about 60,000


class RecognitionTimeout(Exception):
    """Drawing or recognising a page took too long."""


@dataclass(frozen=True)
class Tesseract:
    program: tuple[str, ...]  # absolute path; a stand-in in tests adds arguments
    languages: tuple[str, ...] = ()
    detects_orientation: bool = False

    def read(self, picture: bytes) -> str | None:
        """The paragraphs of a picture in PGM. None if Tesseract failed. Raises RecognitionTimeout, or OSError."""
        mode = "1" if self.detects_orientation else "3"
        arguments = ["stdin", "stdout", "--dpi", str(DPI), "--psm", mode, "-c", "tessedit_create_tsv=1"]
        with tempfile.TemporaryFile() as file:
            file.write(picture)
            file.flush()
            reply = page_reply("Tesseract", *_run((*self.program, *arguments, "-l", "+".join(self.languages)), file))
        return None if reply is None else text_from_tsv(reply.decode("utf-8", "replace"))


def page_reply(what: str, reply: bytes, code: int | None) -> bytes | None:
    """The output of a process that worked on a page. None if it failed. Raises RecognitionTimeout."""
    if code is None:
        raise RecognitionTimeout
    if code != 0:
        logger.error("%s ended with code %d.", what, code)
    return None if code else reply


def find_tesseract() -> Tesseract | None:
    """The Tesseract of the settings with the languages to use. None if it is not installed or knows none of them."""
    found = shutil.which(settings.LECTERN_TESSERACT)
    if found is None:
        return None
    program = str(Path(found).resolve())
    with tempfile.TemporaryFile() as nothing:
        reply, code = _run((program, "--list-langs"), nothing)
    lines = map(str.strip, reply.decode("utf-8", "replace").splitlines())
    known = [line for line in lines if re.fullmatch("[A-Za-z_]{3,20}", line)]  # neither the heading nor scripts
    languages = _chosen([name for name in known if name not in _NO_LANGUAGES])
    if not languages:
        logger.error(
            "Tesseract (%s, code %s) has data for none of the wanted languages: scans are not read.", program, code
        )
        return None
    return Tesseract((program,), languages, _ORIENTATION in known)


def _run(command: tuple[str, ...], file: IO[bytes]) -> tuple[bytes, int | None]:
    return run_worker(file, *command, seconds=settings.LECTERN_OCR_SECONDS, limit=_MAX_BYTES)


def _chosen(known: list[str]) -> tuple[str, ...]:
    wanted = settings.LECTERN_OCR_LANGUAGES
    if missing := [name for name in wanted if name not in known]:
        logger.warning("Tesseract has no data for %s.", ", ".join(missing))
    return tuple([name for name in wanted if name in known] if wanted else sorted(known)[:MAX_LANGUAGES])


MIN_CONFIDENCE = 40  # percent, of a word; nearly all correct words have more than 60
MIN_MEAN_CONFIDENCE = 60  # percent, mean of a paragraph; a lower mean is taken for a picture
_ENDS = ".!?:;…"
_WORD_ROW, _COLUMNS = "5", 12


@dataclass(frozen=True)
class _Word:
    paragraph: tuple[str, str]  # numbers of the block and of the paragraph in it
    line: str
    confidence: float  # percent
    text: str


def text_from_tsv(table: str) -> str:
    """The paragraphs of a page, separated by blank lines; "" if there is no text.

    Words with low confidence are left out. So are paragraphs with a low mean and those without letters or digits: they
    are specks, frames or drawings. Malformed rows are skipped.
    """
    paragraphs: list[str] = []
    for _, words in groupby(_words(table), key=lambda word: word.paragraph):
        if not (paragraph := _paragraph(list(words))):
            continue
        if paragraphs and paragraph[0].islower() and paragraphs[-1][-1] not in _ENDS:  # widely spaced lines
            paragraphs[-1] = join_lines(paragraphs[-1], paragraph, False, frozenset())
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def _words(table: str) -> Iterator[_Word]:
    for row in table.splitlines():
        cells = row.split("\t", _COLUMNS - 1)
        if len(cells) != _COLUMNS or cells[0] != _WORD_ROW or not (text := tidy(cells[-1])):
            continue
        try:
            yield _Word((cells[2], cells[3]), cells[4], float(cells[10]), text)
        except ValueError:
            continue


def _paragraph(words: list[_Word]) -> str:
    letters = sum(len(word.text) for word in words)
    if sum(word.confidence * len(word.text) for word in words) < MIN_MEAN_CONFIDENCE * letters:
        return ""
    kept = [word for word in words if word.confidence >= MIN_CONFIDENCE]
    lines = [" ".join(word.text for word in line) for _, line in groupby(kept, key=lambda word: word.line)]
    known = collect_words(lines)
    text = reduce(lambda above, line: join_lines(above, line, False, known), lines, "").strip()
    return text if re.search(r"[^\W_]{2}|\d", text) else ""
