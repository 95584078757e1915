"""Parses a file in a process of its own, so that a malicious file can only harm that process (ADR 9).

Each document gets a fresh interpreter. It has the file as standard input, but no environment, no open connection and no
rights (`sandbox.limits`). Its reply is not trusted.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path, PurePath
from types import NoneType
from typing import IO, Any, get_args, get_type_hints

from django.conf import settings

from corpus.ingestion.parsing import Parsed, Section, UnreadableDocument
from corpus.ingestion.readers.sniffing import OLE, sniff
from corpus.ingestion.readers.structure import MAX_LABEL, MAX_MARK, clean
from corpus.ingestion.sandbox.office import OFFICE_PREFIX, find_office

logger = logging.getLogger(__name__)

PYTHON = (sys.executable, "-P", "-S", "-B", "-X", "utf8")  # -S: the site module would take a third of the start
WORKER = (*PYTHON, "-m", "corpus.ingestion.sandbox.worker")
_ROOT = Path(__file__).resolve().parents[3]
_BYTES = 8  # of the reply for each accepted character: four for UTF-8, doubled for escapes and commas
_BLOCK = 1 << 20
_MAX_WORDS = 1000  # characters of a reason, a title or a note
_FROM_OUTSIDE = (-signal.SIGTERM, -signal.SIGINT, -signal.SIGKILL)  # a shutdown, or the kernel ran out of memory

_ADVICE = "Split it into parts, or save it again in the program it was made with, and upload that."
_SLOW = "Reading this file takes longer than the {seconds} seconds that are allowed. " + _ADVICE
_LARGE = "Reading this file takes more memory than is allowed. " + _ADVICE
TOO_MUCH_TEXT = "This file has too much text: at most {characters:,} characters can be indexed. Split it into parts."
_BROKEN = "This file cannot be read: it is damaged, or too large for the memory that is allowed. " + _ADVICE


def parse_in_sandbox(file: IO[bytes], *, filename: str = "", command: Sequence[str] = ()) -> Parsed:
    """The result of `corpus.ingestion.parsing.parse` for an open file on disk, within the limits of the settings.
    Raises UnreadableDocument, also if parsing takes too much memory or time (of the processor, thrice of the clock) or
    kills its process, since another attempt would end the same. Raises RuntimeError or OSError for internal errors.
    """
    seconds = settings.LECTERN_PARSE_SECONDS
    characters = settings.LECTERN_MAX_CHARACTERS
    order = {
        "characters": characters,
        "pages": settings.LECTERN_MAX_PAGES,
        "filename": "document" + PurePath(filename).suffix,  # other users can see the arguments of a command
    }
    with tempfile.TemporaryFile() as converted:
        begun = time.monotonic()
        if made := _convert_office(file):
            converted.write(made)
            converted.flush()
        wait, limit = 3 * seconds - (time.monotonic() - begun), characters * _BYTES
        source = converted if made else file
        reply, code = run_worker(source, seconds=seconds, limit=limit, wait=wait, command=command, order=order)
    if len(reply) > limit:
        raise UnreadableDocument(TOO_MUCH_TEXT.format(characters=characters))
    if code is None:
        raise UnreadableDocument(_SLOW.format(seconds=seconds))
    _raise_if_killed(code)
    if code > 0:
        where = ascii(reply[:5000]) if reply.startswith(b'{"fault"') else ""
        raise RuntimeError(f"The process that reads files ended with code {code}. {where}")
    if code < 0:
        logger.warning("A process that read a file was ended by signal %d.", -code)
        raise UnreadableDocument(_BROKEN)
    return _parsed_reply(reply)


def _convert_office(file: IO[bytes]) -> bytes:
    """An old Office file in the new format. Empty if it is none, or cannot be converted."""
    if os.pread(file.fileno(), len(OLE), 0) != OLE:
        return b""
    seconds, most = settings.LECTERN_PARSE_SECONDS, settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024
    library = find_office(sniff(os.pread(file.fileno(), most, 0)))
    if library is None:
        return b""
    with tempfile.TemporaryDirectory(prefix=OFFICE_PREFIX) as folder:
        office = {"office": [str(library), folder]}
        made, code = run_worker(file, seconds=seconds, limit=most, wait=3 * seconds, order=office)
    _raise_if_killed(code)
    if code != 0 or not made.startswith(b"PK"):
        logger.warning("LibreOffice converted no file (code %s).", code)
        return b""
    return made


def _raise_if_killed(code: int | None) -> None:
    """Raises RuntimeError, so that the file is read again later."""
    if code in _FROM_OUTSIDE:
        raise RuntimeError(f"The process that reads files was ended from outside by signal {-code}.")


def run_worker(
    file: IO[bytes],
    *program: str,
    seconds: int,
    limit: int,
    order: Mapping[str, object] | None = None,
    wait: float | None = None,
    command: Sequence[str] = (),
) -> tuple[bytes, int | None]:
    """What the worker writes that gets this order, or becomes this program: see `run_process`.

    It may take so many seconds of the processor, and as many of the clock unless it may `wait` longer.
    """
    os.lseek(file.fileno(), 0, os.SEEK_SET)  # a process before it read to the end
    arguments = json.dumps(process_limits(seconds) | dict(order or {}))
    return run_process([*(command or WORKER), arguments, *program], file, seconds if wait is None else wait, limit)


def process_limits(seconds: int) -> dict[str, object]:
    """The arguments of `sandbox.limits.confine` for a process that may take this many seconds of the processor."""
    memory = settings.LECTERN_PARSE_MEMORY_MB * 1024 * 1024
    return {"memory": memory, "seconds": seconds, "parent": os.getpid()}


def run_process(command: Sequence[str], file: IO[bytes], seconds: float, limit: int) -> tuple[bytes, int | None]:
    """The output of a process on a file, and its exit code; None after `seconds` (of any clock) or `limit` bytes."""
    deadline = time.monotonic() + seconds
    process = subprocess.Popen(
        command,
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=_environment(),
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with process.stdout as pipe:
            reply = _read_output(pipe.fileno(), deadline, limit)
            if len(reply) > limit:
                return reply, None
            code = process.wait(max(0.0, deadline - time.monotonic()))
            return reply, None if code == -signal.SIGXCPU else code
    except (TimeoutError, subprocess.TimeoutExpired):
        return b"", None
    finally:
        with suppress(ProcessLookupError, PermissionError):  # the group, in case it has children
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _environment() -> dict[str, str]:
    """The import path and little more: our own environment holds addresses, passwords and keys."""
    path = os.pathsep.join([str(_ROOT), *(entry for entry in sys.path if entry)])
    return {"PYTHONPATH": path, "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _read_output(descriptor: int, deadline: float, limit: int) -> bytes:
    """The output until the pipe is closed, or a little more than `limit` bytes. Raises TimeoutError."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    received = bytearray()
    while len(received) <= limit:
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        block = os.read(descriptor, _BLOCK)
        if not block:
            break
        received += block
    return bytes(received)


def _parsed_reply(reply: bytes) -> Parsed:
    """The Parsed in a reply. The reply is not trusted: a file may have taken over the process."""
    try:
        answer: dict[str, Any] = json.loads(reply)
        if "fault" in answer:
            logger.error("A reader failed: %s", ascii(answer["fault"])[:5000])
        if "unreadable" in answer or "fault" in answer:
            raise UnreadableDocument(_decode(str, answer.get("unreadable", _BROKEN), _MAX_WORDS))
        if answer.get("exceeded") == "memory":
            raise UnreadableDocument(_LARGE)
        if answer.get("exceeded") == "characters":
            raise UnreadableDocument(TOO_MUCH_TEXT.format(characters=settings.LECTERN_MAX_CHARACTERS))
        return _parsed(answer["parsed"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        logger.warning("A process that read a file sent %d bytes that are no valid reply.", len(reply))
        raise UnreadableDocument(_BROKEN) from None


def _parsed(answer: dict[str, Any]) -> Parsed:
    parsed: Parsed = _decode(Parsed, answer, _MAX_WORDS)
    for section in parsed.sections:
        if section.line_numbers and len(section.line_numbers) != section.text.count("\n") + 1:
            raise ValueError("a line has no number, or a number no line")
    return parsed


_TYPES = {kind: get_type_hints(kind) for kind in (Parsed, Section)}
_MOST: dict[str, int | None] = {"page_labels": MAX_LABEL, "marks": MAX_MARK, "heading_path": None, "text": None}
"""Characters of the texts of these names; of others there are at most `_MAX_WORDS`."""


def _decode(kind: Any, value: Any, most: int | None) -> Any:
    """The value, if it is of this type; texts with at most so many characters, numbers from 1 that fit the database."""
    if types := _TYPES.get(kind):
        return kind(**{name: _decode(types[name], value[name], _MOST.get(name, _MAX_WORDS)) for name in types})
    of = get_args(kind)
    if NoneType in of:
        return None if value is None else _decode(of[0], value, most)
    if of:
        kinds = repeat(of[0], len(value)) if of[1] is Ellipsis else of
        return tuple(_decode(one, part, most) for one, part in zip(kinds, value, strict=True))
    if type(value) is not kind or (kind is int and not 0 < value < 2**31):
        raise TypeError(f"not {kind}")
    return clean(value)[:most] if kind is str else value
