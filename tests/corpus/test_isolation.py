"""A process that reads a file, whatever has become of it, harms nothing but itself and ends in words for a teacher.

The hostile ones are programs of a few lines that stand in for a reader which a file has taken over.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from pytest_django import Settings

from corpus.ingestion.parsing import Parsed, Section, UnreadableDocument, parse
from corpus.ingestion.sandbox import runner
from corpus.ingestion.sandbox.runner import PYTHON
from corpus.ingestion.sandbox.worker import encode_parsed
from tests import documents, hostile
from tests.running import wait_for
from tests.taken_over import LINUX, TELL, descendants, ignores, landlock, run, told


@pytest.fixture
def a_file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(documents.MARKDOWN)
    return path


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert descendants() == []


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (documents.MARKDOWN.encode(), "cells.md"),
        (documents.MARKDOWN.encode("utf-16"), "cells.markdown"),
        (documents.PLAIN.encode("cp1252"), "trip.txt"),
        (documents.book(), "cells.zip"),
        ('Ein Vogel flog über die Dächer. Grüße! 😀 "\\\n'.encode() * 9, "quotes.txt"),
        (documents.long_pdf(12), "handbook.pdf"),
        (
            documents.word(("Title", "Cells"), ("Heading 1", "Walls"), [["a", "b"], ["c", "d"]], title="T"),
            "c.docx",
        ),
    ],
)
def test_what_is_read_is_what_the_reader_read(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert run(path) == parse(data, filename=name)


def test_nothing_of_a_document_gets_lost_on_the_way(a_file: Path) -> None:
    """Every field of both classes, none with its default."""
    section = Section(
        heading_path=("Ä", "B"),
        text="Text\tand 😀\n",
        page=3,
        lines=(4, 9),
        file_path="ü/b.md",
        numbers=("Module 1", ""),
        line_numbers=(4, 9),
        marks=("**bold**", "*italic*"),
    )
    parsed = Parsed(
        media_type="text/x",
        title="Title",
        sections=(section,),
        pages=7,
        notes=("One.", "Two."),
        page_labels=("i", "1"),
        picture_pages=(2,),
    )
    for thing in (section, parsed):
        for field in dataclasses.fields(thing):
            assert getattr(thing, field.name) != field.default, f"give {field.name} a value here"
    program = f"""
from corpus.ingestion.parsing import Parsed, Section
from corpus.ingestion.sandbox.worker import encode_parsed
os.write(1, json.dumps({{"parsed": encode_parsed({parsed!r})}}).encode())
"""
    assert run(a_file, program) == parsed


def test_the_words_of_a_reader_arrive(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(documents.pdf([["Secret."]], password="swordfish"))
    with pytest.raises(UnreadableDocument, match="protected by a password"):
        run(path)


# Time and memory ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        "time.sleep(3600)",
        "while True: pass",
        "os.close(1); time.sleep(3600)",
        "os.write(1, b'{'); time.sleep(3600)",
    ],
    ids=["sleeps", "spins", "closes its reply", "stops in the middle"],
)
def test_one_that_hangs_is_ended_in_time(a_file: Path, settings: Settings, program: str) -> None:
    """Whoever waits for it sits here for an hour."""
    settings.LECTERN_PARSE_SECONDS = 1
    assert "longer than the 1 seconds" in told(a_file, program)


def test_processor_time_is_limited_even_when_nobody_watches() -> None:
    order = json.dumps({"memory": 2**30, "seconds": 1, "parent": os.getpid()})
    command = [*PYTHON, "-c", TELL + "while True: pass", order]
    done = subprocess.run(command, env=runner._environment(), timeout=180, check=False)
    assert done.returncode == -signal.SIGXCPU


@LINUX
def test_too_much_processor_time_is_told_as_such(a_file: Path) -> None:
    program = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))\n" + TELL + "while True: pass"
    with pytest.raises(UnreadableDocument, match="takes longer"), a_file.open("rb") as file:
        runner.parse_in_sandbox(file, command=(*PYTHON, "-c", program))


@LINUX
def test_memory_is_limited(a_file: Path, settings: Settings) -> None:
    settings.LECTERN_PARSE_MEMORY_MB = 256
    program = """
taken = []
try:
    while len(taken) < 100: taken.append(bytes(10_000_000))
except MemoryError:
    count = len(taken)
    taken.clear()
    tell(f"{count} times ten MB")
"""
    assert 0 < int(told(a_file, program).split()[0]) <= 26


@LINUX
def test_a_file_that_takes_too_much_memory_is_said_to(tmp_path: Path, settings: Settings) -> None:
    settings.LECTERN_PARSE_MEMORY_MB = 256
    path = tmp_path / "large.txt"
    path.write_bytes(b"A line of some forty letters in a file.\n" * 2_500_000)
    with pytest.raises(UnreadableDocument, match="more memory than is allowed"):
        run(path)


def test_too_much_text_is_refused_before_it_is_sent(tmp_path: Path, settings: Settings) -> None:
    settings.LECTERN_MAX_CHARACTERS = 1000
    path = tmp_path / "long.txt"
    path.write_text("word " * 199)
    assert run(path).sections
    path.write_text("word " * 201)
    with pytest.raises(UnreadableDocument, match="at most 1,000 characters"):
        run(path)


def test_an_endless_reply_is_cut_off(a_file: Path, settings: Settings) -> None:
    settings.LECTERN_MAX_CHARACTERS = 100_000
    before = psutil.Process().memory_info().rss
    assert "too much text" in told(a_file, "while True: os.write(1, b'[' * 100_000)")
    assert psutil.Process().memory_info().rss - before < 50_000_000


# Endings and replies -----------------------------------------------------------------------------------------


def test_one_that_is_killed_is_tried_again(a_file: Path) -> None:
    """As by a system that runs out of memory, which says nothing about the file."""

    def kill() -> None:
        wait_for(lambda: bool(descendants()))
        for child in descendants():
            child.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(RuntimeError, match="signal 9"):
        run(a_file, "os.write(1, b'{'); time.sleep(30)")
    killer.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_one_that_is_asked_to_stop_before_it_can_ignore_it_is_tried_again(a_file: Path, number: signal.Signals) -> None:
    program = f"import os, signal; signal.signal({number:d}, signal.SIG_DFL); os.kill(os.getpid(), {number:d})"
    with pytest.raises(RuntimeError, match=f"signal {number:d}"), a_file.open("rb") as file:
        runner.parse_in_sandbox(file, command=(*PYTHON, "-c", program))


@pytest.mark.parametrize("program", ["ctypes.string_at(0)", "os.abort()"], ids=["segfault", "abort"])
def test_a_crash_is_the_files(a_file: Path, program: str) -> None:
    assert "damaged" in told(a_file, program)


@LINUX
def test_a_polite_request_to_stop_does_not_end_a_reader(a_file: Path, tmp_path: Path) -> None:
    """A worker that is asked to stop finishes its document; where all of a service are asked at once, so must this."""
    asked = tmp_path / "asked"
    program = f"while not os.path.exists({str(asked)!r}): time.sleep(0.01)\ntell('finished')"

    def ask() -> None:
        wait_for(lambda: any(ignores(child, signal.SIGTERM) for child in descendants()))
        for child in descendants():
            child.terminate()
            child.send_signal(signal.SIGINT)
        asked.touch()

    asker = threading.Thread(target=ask)
    asker.start()
    assert told(a_file, program) == "finished"
    asker.join()


def section(**changes: Any) -> bytes:
    """A reply with one section in which something is not what it should be."""
    parsed = encode_parsed(Parsed("text/plain", None, (Section((), "Text.", 1),)))
    sections = [vars(Section((), "Text.", 1)) | changes]
    return json.dumps({"parsed": parsed | {"sections": sections}}).encode()


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"garbage",
        b"null",
        b"[]",
        b"{}",
        b'{"parsed":',
        b'{"parsed":{}}',
        json.dumps({"parsed": encode_parsed(Parsed("a", None, ())) | {"sections": [1]}}).encode(),
        section(marks=1),
        b'{"parsed":"\xff\xfe"}',
        b"[" * 50_000,
        b"9" * 5000,
        b"\x80\x04\x95cposix\nsystem\n",
        b'{"unreadable":1}',
        b'{"fault":7}',
        section(heading_path=[1]),
        section(text=None),
        section(page=-1),
        section(page=2**40),
        section(page=1.5),
        section(page=True),
        section(lines=[1]),
        section(lines=[1, 2, 3]),
        section(lines=["a", "b"]),
        section(file_path=None),
        section(numbers=[1]),
        section(line_numbers=[1, 2]),
        section(line_numbers=["1"]),
        section(line_numbers=None),
        section(numbers=None),
    ],
)
def test_a_reply_that_means_nothing_is_refused(a_file: Path, reply: bytes) -> None:
    assert "cannot be read" in told(a_file, f"os.write(1, {reply!r})")


def test_a_reply_is_made_fit_for_the_database(a_file: Path) -> None:
    reply = section(text="a\x00b\ud800c", heading_path=["x\x00"])
    (found,) = run(a_file, f"os.write(1, {reply!r})").sections
    assert found.heading_path == ("x",)
    assert found.page == 1
    found.text.encode()
    assert "\x00" not in found.text


def test_a_reply_with_very_many_sections_is_read_in_time() -> None:
    parsed = Parsed("text/plain", None, (Section(("Title",), "Text.", 1),) * 20_000)
    reply = json.dumps({"parsed": encode_parsed(parsed)}).encode()
    start = time.process_time()
    assert runner._parsed_reply(reply) == parsed
    assert time.process_time() - start < 2


def test_an_error_of_a_reader_is_logged_in_a_line_and_told_in_words(
    a_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    program = """os.write(1, json.dumps({"fault": "IndexError\\nin a_reader.py " + "x" * 9000}).encode())"""
    assert "cannot be read" in told(a_file, program)
    (record,) = caplog.records
    assert "a_reader.py" in record.getMessage()
    assert "\n" not in record.getMessage()
    assert len(record.getMessage()) < 6000


@pytest.mark.parametrize(
    ("name", "data", "breaks"),
    [
        ("n.rtf", rb"{\rtf1 Cells\par}", "from corpus.ingestion.readers import rich_text; rich_text._FORMATS = None"),
        (
            "c.docx",
            documents.word(("Title", "Cells")),
            "from corpus.ingestion.readers.office import word; word.Styles = None",
        ),
        ("c.docx", documents.word(("Title", "Cells"))[:-400], ""),
        ("n.rtf", b"{\\rtf1 " + b"{" * 600, ""),
    ],
)
def test_a_fault_of_ours_that_is_shown_as_damage_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, data: bytes, breaks: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    program = f"{breaks}\nfrom corpus.ingestion.sandbox import worker\nworker.main()"
    with pytest.raises(UnreadableDocument, match="damaged"), path.open("rb") as file:
        runner.parse_in_sandbox(file, filename=name, command=(*PYTHON, "-c", program))
    assert [one.getMessage()[:15] for one in caplog.records] == (["A reader failed"] if breaks else [])


def test_a_reason_is_a_sentence_and_no_book(a_file: Path) -> None:
    assert len(told(a_file, "tell('x' * 100_000)")) <= 1000


def test_a_program_that_fails_by_itself_is_a_fault_of_ours(a_file: Path) -> None:
    with pytest.raises(RuntimeError, match="code 3"):
        run(a_file, "os._exit(3)")
    with pytest.raises(FileNotFoundError), a_file.open("rb") as file:
        runner.parse_in_sandbox(file, command=["/nowhere/python"])


@pytest.mark.parametrize(
    ("name", "data", "library"),
    [
        ("notes.md", documents.MARKDOWN.encode(), "markdown_it"),
        ("c.docx", documents.word(("Title", "Cells")), "docx"),
        ("c.html", b"<!doctype html><p>Cells.", "lxml"),
        ("c.epub", hostile.package("epub"), "lxml"),  # its reader takes any error for a damaged file
    ],
)
def test_a_library_that_is_not_there_is_no_fault_of_the_file(
    tmp_path: Path, name: str, data: bytes, library: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    program = f"import sys; sys.modules[{library!r}] = None; from corpus.ingestion.sandbox import worker; worker.main()"
    with pytest.raises(RuntimeError, match=r"code 1\. .*ModuleNotFoundError"), path.open("rb") as file:
        runner.parse_in_sandbox(file, filename=name, command=(*PYTHON, "-c", program))


@LINUX
def test_a_library_that_may_not_be_read_is_no_fault_of_the_file(
    a_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is linked to from a folder of packages and lies outside of it."""
    if landlock() < 1:
        pytest.skip("this kernel has no Landlock")
    (tmp_path / "packages").mkdir()
    (tmp_path / "markdown_it.py").write_text("")
    (tmp_path / "packages" / "markdown_it.py").symlink_to(tmp_path / "markdown_it.py")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    with pytest.raises(RuntimeError, match=r"code 1\. .*PermissionError"):
        run(a_file)


@LINUX
def test_no_memory_left_for_a_library_is_the_files_doing(tmp_path: Path) -> None:
    path = tmp_path / "c.html"
    path.write_text("<!doctype html><p>Cells.")
    program = """
import resource
from corpus.ingestion import parsing
from corpus.ingestion.sandbox import worker
resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
taken = []
try:
    while True: taken.append(bytes(1_000_000))
except MemoryError:
    del taken[-3:]
worker.main()
"""
    with pytest.raises(UnreadableDocument, match="more memory than is allowed"), path.open("rb") as file:
        runner.parse_in_sandbox(file, filename=path.name, command=(*PYTHON, "-c", program))
