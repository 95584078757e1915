"""The processes that draw a page and recognise its text harm nothing, whatever has become of them (ADR 9).

Programs of a few lines stand in for a Tesseract or a drawing process that a file has taken over, or that hangs.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from pytest_django import Settings

from corpus.ingestion.ocr import pipeline
from corpus.ingestion.ocr.pipeline import recognise_pages
from corpus.ingestion.ocr.tesseract import RecognitionTimeout, Tesseract
from corpus.ingestion.parsing import Parsed, UnreadableDocument, parse
from corpus.ingestion.sandbox import runner
from tests import hostile, scans
from tests.running import wait_for
from tests.taken_over import LINUX, descendants, landlock

PICTURE = b"P5\n2 1\n255\n\x00\xff"
PRINTED = ["This page has text of its own."]
TELL = """
import ctypes, os, resource, sys
def attempt(action):
    try: return repr(action())
    except BaseException as error: return type(error).__name__
def tell(words):
    sys.stdout.write("5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\t" + str(words).replace(" ", "_"))
"""


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert descendants() == []
    assert [child for child in psutil.Process().children() if "stdin" in child.cmdline()] == []


@pytest.fixture(autouse=True)
def soon(settings: Settings) -> None:
    settings.LECTERN_OCR_SECONDS = 20


def stand_in(program: str) -> Tesseract:
    """A program that is started as Tesseract is, with its arguments."""
    python = str(Path(sys.executable).resolve())
    return Tesseract((python, "-S", "-B", "-c", TELL + textwrap.dedent(program)), ("eng",))


def told(program: str) -> str:
    text = stand_in(program).read(PICTURE)
    assert text is not None
    return text.replace("_", " ")


def recognised(data: bytes, tesseract: Tesseract, path: Path) -> tuple[Parsed, tuple[int, ...]]:
    path.write_bytes(data)
    with path.open("rb") as file:
        return recognise_pages(parse(data), file, tesseract, lambda done, pages: None)


# What it may not do ------------------------------------------------------------------------------------------


def test_it_gets_the_picture_and_what_it_needs_to_know() -> None:
    program = "tell([sys.stdin.buffer.read(), sys.argv[1:], dict(os.environ)])"
    picture, arguments, environment = ast.literal_eval(told(program).replace("--dpi", "--dpi"))
    assert picture == b"P5\n2 1\n255\n\x00\xff"
    assert arguments[:2] == ["stdin", "stdout"]
    assert arguments[-2:] == ["-l", "eng"]
    assert set(environment) - {"LC CTYPE"} == {"LC ALL", "OMP THREAD LIMIT"}


@LINUX
def test_it_has_no_network_and_starts_no_programs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = f"""
            import socket
            libc = ctypes.CDLL(None, use_errno=True)
            tell([attempt(lambda: socket.create_connection(("127.0.0.1", {port}), 2)), attempt(socket.socketpair),
                  attempt(os.fork), attempt(lambda: os.kill(os.getppid(), 0)), libc.socket(2, 1, 0)])
        """
        assert ast.literal_eval(told(program)) == ["PermissionError"] * 4 + [-1]


@LINUX
def test_it_reads_no_other_file_and_becomes_no_other_program(tmp_path: Path) -> None:
    if landlock() < 3:
        pytest.skip("this kernel's Landlock does not know of truncating")
    secret = tmp_path / "secret-key"
    secret.write_text("swordfish")
    project = Path(runner.__file__).parents[2]
    program = f"""
        tell([attempt(lambda: open({str(secret)!r}).read()), attempt(lambda: open({str(secret)!r}, "w")),
              attempt(lambda: os.listdir({str(project)!r})), attempt(lambda: open("/etc/passwd").read()),
              attempt(lambda: open("/proc/%d/environ" % os.getppid()).read()),
              attempt(lambda: os.unlink({str(secret)!r})),
              attempt(lambda: os.execv("/bin/echo", ["echo"])), attempt(lambda: os.utime(0))])
    """
    assert ast.literal_eval(told(program)) == ["PermissionError"] * 8
    assert secret.read_text() == "swordfish"


@LINUX
def test_its_memory_is_limited(settings: Settings) -> None:
    settings.LECTERN_PARSE_MEMORY_MB = 256
    assert told("tell(attempt(lambda: len(bytes(300_000_000))))") == "MemoryError"


@LINUX
def test_its_processor_time_is_limited_even_when_nobody_watches() -> None:
    order = json.dumps({"memory": 2**30, "seconds": 1, "parent": os.getpid()})
    command = [*runner.WORKER, order, *stand_in("while True: pass").program]
    done = subprocess.run(command, env=runner._environment(), timeout=180, check=False)
    assert done.returncode == -signal.SIGXCPU


# What becomes of a page --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    ["import time; time.sleep(60)", "while True: pass", "while True: sys.stdout.write('x' * 100_000)"],
    ids=["sleeps", "spins", "writes without end"],
)
def test_one_that_hangs_is_ended_in_time(settings: Settings, program: str) -> None:
    settings.LECTERN_OCR_SECONDS = 1
    with pytest.raises(RecognitionTimeout):
        stand_in(program).read(PICTURE)


@pytest.mark.parametrize("program", ["sys.exit(1)", "os.abort()", "ctypes.string_at(0)"])
def test_one_that_fails_has_no_text(program: str) -> None:
    assert stand_in(program).read(PICTURE) is None


def test_a_program_that_cannot_be_started_has_no_text() -> None:
    assert Tesseract(("/nowhere/tesseract",)).read(PICTURE) is None


def test_what_it_writes_is_not_believed() -> None:
    assert stand_in("sys.stdout.buffer.write(b'\\xff\\x00' * 999)").read(PICTURE) == ""


def test_a_document_that_hangs_holds_nobody_up_for_long(settings: Settings, tmp_path: Path) -> None:
    settings.LECTERN_OCR_SECONDS = 1
    data = scans.pdf(PRINTED, *[scans.page(["word"])] * 50)
    parsed, pages = recognised(data, stand_in("import time; time.sleep(60)"), tmp_path / "scan.pdf")
    assert pages == ()
    assert [section.text for section in parsed.sections] == PRINTED
    assert parsed.notes[0] == f"Pages 2, {pipeline.MAX_SLOW_PAGES + 1} could not be recognised."
    assert "Pages 4–51 have no text that could be searched: it took too long" in parsed.notes[1]


def test_a_page_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    """This stand-in fails where the first dark pixel comes late."""
    program = """
        data = sys.stdin.buffer.read().partition(b"255\\n")[2]
        dark = next(place for place, grey in enumerate(data) if grey < 99) / len(data)
        sys.exit(1) if dark > 0.3 else tell("recognised")
    """
    upright, late = scans.page(["word"]), scans.page([""] * 20 + ["word"])
    data = scans.pdf(upright, late, upright, PRINTED)
    parsed, pages = recognised(data, stand_in(program), tmp_path / "scan.pdf")
    assert pages == (1, 3)
    assert [section.text for section in parsed.sections] == ["recognised", "recognised", *PRINTED]
    assert parsed.notes == ("Page 2 could not be recognised.",)


def test_a_page_that_cannot_be_drawn_is_told(tmp_path: Path) -> None:
    data = scans.picture(scans.page(["word"]), "TIFF", save_all=True, append_images=[scans.page(["word"])])
    broken = data[: len(data) // 2] + bytes(len(data) - len(data) // 2)
    parsed, pages = recognised(data, stand_in("tell('recognised')"), tmp_path / "a.tiff")
    assert (pages, parsed.notes) == ((1, 2), ())
    (tmp_path / "b.tiff").write_bytes(broken)
    with (tmp_path / "b.tiff").open("rb") as file:
        assert pipeline._draw(file, "image/tiff", 2) is None


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"P5\n",
        b"P5\n2 1\n255\n",
        b"P5\n2 1\n255\nabc",
        b"P5\n0 0\n255\n",
        b"P5\n-2 -1\n255\nab",
        b"P5\n2\n255\nab",
        b"P5\n" + b"9" * 5000 + b" 1\n255\nab",
        "P5\n²  1\n255\nab".encode(),
        b"P6\n2 1\n255\nab",
        b"\x89PNG",
        b"{}",
    ],
)
def test_a_picture_that_means_nothing_is_none(reply: bytes) -> None:
    assert not pipeline.is_picture(reply)
    assert pipeline.is_picture(PICTURE)


def test_too_much_text_is_refused(settings: Settings, tmp_path: Path) -> None:
    settings.LECTERN_MAX_CHARACTERS = 1000
    with pytest.raises(UnreadableDocument, match="at most 1,000 characters"):
        recognised(scans.pdf(scans.page(["word"])), stand_in("tell('word' * 300)"), tmp_path / "scan.pdf")


def test_it_stops_where_it_is_told_to(tmp_path: Path) -> None:
    path, asked = tmp_path / "scan.pdf", []
    path.write_bytes(scans.pdf(*[scans.page(["word"])] * 4))

    def note(done: int, pages: int) -> None:
        asked.append((done, pages))
        if done:
            raise InterruptedError

    with path.open("rb") as file, pytest.raises(InterruptedError):
        recognise_pages(parse(path.read_bytes()), file, stand_in("tell('recognised')"), note)
    assert asked == [(0, 4), (1, 4)]


@LINUX
def test_it_does_not_outlive_its_worker() -> None:
    program = f"""
from django.conf import settings
settings.configure(LECTERN_OCR_SECONDS=60, LECTERN_PARSE_MEMORY_MB=1024)
from corpus.ingestion.ocr.tesseract import Tesseract
Tesseract({stand_in("import time; time.sleep(600)").program!r}).read({PICTURE!r})
"""
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=runner._ROOT)
    found = psutil.Process(worker.pid)
    wait_for(
        lambda: any("stdin" in child.cmdline() and "-P" not in child.cmdline() for child in found.children()),
    )
    (child,) = found.children()
    wait_for(lambda: os.getpgid(child.pid) == child.pid)
    worker.kill()
    worker.wait()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize("name", hostile.PICTURES)
def test_a_hostile_picture_is_drawn_or_refused(tmp_path: Path, settings: Settings, name: str) -> None:
    settings.LECTERN_PARSE_MEMORY_MB = 512
    path = tmp_path / "picture.png"
    path.write_bytes(hostile.PICTURES[name]())
    with path.open("rb") as file:
        pipeline._draw(file, "image/png", 1)
