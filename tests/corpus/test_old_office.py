"""Old Office files: converted where LibreOffice is installed, and refused in plain words where it is not."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from corpus.ingestion.parsing import UnreadableDocument, find_early_refusal
from corpus.ingestion.sandbox import limits, runner
from corpus.ingestion.sandbox.office import find_office
from corpus.ingestion.sandbox.runner import PYTHON, parse_in_sandbox
from tests import documents
from tests.taken_over import TELL

DOC, XLS, PPT = "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"
WORD = documents.old_office("WordDocument")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs with a `soffice` in it, which is a link to where its library lies."""
    program = tmp_path / "office" / "program"
    program.mkdir(parents=True)
    (program / "soffice").write_text("#!/bin/sh\nexit 1\n")
    (program / "soffice").chmod(0o755)
    (program / "libsofficeapp.so").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "soffice").symlink_to(program / "soffice")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return program


needs_walls = pytest.mark.skipif(bool(limits.missing_protections()), reason="without Landlock nothing is converted")


@needs_walls
def test_the_library_lies_beside_the_program(installed: Path) -> None:
    assert find_office(DOC) == find_office(PPT) == installed / "libsofficeapp.so"
    assert find_office("application/pdf") is None
    assert find_early_refusal(WORD, "rules.doc") is None


@needs_walls
def test_spreadsheets_need_a_part_of_its_window(installed: Path) -> None:
    assert find_office(XLS) is None
    part = installed.parent / "share/config/soffice.cfg/modules/scalc/ui/inputbar.ui"
    part.parent.mkdir(parents=True)
    part.touch()
    assert find_office(XLS) == installed / "libsofficeapp.so"


def test_a_system_that_cannot_keep_it_in_a_folder_converts_nothing(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_libc", None)
    assert find_office(DOC) is None


def test_without_libreoffice_the_upload_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "save it as .docx" in str(find_early_refusal(WORD, "rules.doc"))


@needs_walls
def test_a_library_that_fails_leaves_the_word_on_what_to_do(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.doc").write_bytes(WORD)
    with (tmp_path / "rules.doc").open("rb") as file, pytest.raises(UnreadableDocument, match=r"save it as \.docx"):
        parse_in_sandbox(file, filename="rules.doc")


@needs_walls
def test_a_conversion_that_is_killed_is_no_fault_of_the_file(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.doc").write_bytes(WORD)
    monkeypatch.setattr(runner, "run_process", lambda *_: (b"", -signal.SIGKILL))
    with (tmp_path / "rules.doc").open("rb") as file, pytest.raises(RuntimeError, match="from outside by signal 9"):
        runner._convert_office(file)


@needs_walls
def test_conversion_and_reading_share_the_time(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.doc").write_bytes(WORD)
    allowed: list[float] = []

    def convert_slowly(_: object, __: object, seconds: float, ___: object) -> tuple[bytes, int]:
        allowed.append(seconds)
        time.sleep(0.01)
        return b"", 0

    monkeypatch.setattr(runner, "run_process", convert_slowly)
    with (tmp_path / "rules.doc").open("rb") as file, pytest.raises(UnreadableDocument):
        parse_in_sandbox(file, filename="rules.doc")
    assert allowed[1] < allowed[0]


@needs_walls
def test_what_takes_over_libreoffice_stays_in_its_folder(installed: Path, tmp_path: Path) -> None:
    """It may begin threads and write there, and nothing else."""
    secret, folder = tmp_path / "secret-key", tmp_path / "folder"
    secret.write_text("swordfish")
    folder.mkdir()
    program = f"""
import socket, subprocess, threading
thread = threading.Thread(target=time.sleep, args=(0,))
tell([attempt(thread.start), attempt(lambda: open({str(folder / "new")!r}, "w").close()),
      attempt(lambda: open({str(secret)!r}).read()), attempt(lambda: open({str(secret)!r}, "w")),
      attempt(lambda: os.rename({str(folder / "new")!r}, {str(tmp_path / "new")!r})),
      attempt(lambda: open({str(installed / "new")!r}, "w")), attempt(lambda: os.listdir({str(tmp_path)!r})),
      attempt(os.fork), attempt(lambda: os.execv("/bin/true", ["t"])), attempt(lambda: subprocess.run(["/bin/true"])),
      attempt(lambda: os.kill(os.getppid(), 0)), attempt(socket.socket), attempt(socket.socketpair)])
"""
    order = runner.process_limits(30) | {"office": [str(installed / "libsofficeapp.so"), str(folder)]}
    with (tmp_path / "rules.doc").open("wb+") as file:
        reply, code = runner.run_process([*PYTHON, "-c", TELL + program, json.dumps(order)], file, 60, 10_000)
    assert code == 0
    outcomes = ast.literal_eval(json.loads(reply)["unreadable"])
    assert outcomes == ["None"] * 2 + ["PermissionError"] * 5 + ["OSError"] * 6
    assert secret.read_text() == "swordfish"


@pytest.fixture
def old_files(tmp_path: Path) -> Path:
    """A folder in which LibreOffice has saved files in the old formats."""
    if find_office(DOC) is None:
        pytest.skip("LibreOffice is not installed")
    rules = documents.word(("Heading 1", "Rules"), ("Normal", "The pool opens at 7:15."))
    (tmp_path / "rules.docx").write_bytes(rules)
    (tmp_path / "etna.pptx").write_bytes(documents.presentation(("Volcanoes", ["Etna is 3,357 m high."])))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    for name, suffix in (("rules.docx", "doc"), ("etna.pptx", "ppt")):
        command = ["soffice", "--headless", profile, "--convert-to", suffix, "--outdir", str(tmp_path), name]
        done = subprocess.run(command, cwd=tmp_path, env=os.environ, timeout=300, capture_output=True, check=False)
        if done.returncode or not (tmp_path / name).with_suffix(f".{suffix}").exists():
            pytest.skip("LibreOffice has no program for these files")
    return tmp_path


def test_word_and_powerpoint_files_are_read(old_files: Path) -> None:
    with (old_files / "rules.doc").open("rb") as file:
        rules = parse_in_sandbox(file, filename="rules.doc")
    with (old_files / "etna.ppt").open("rb") as file:
        etna = parse_in_sandbox(file, filename="etna.ppt")
    assert [(one.heading_path, one.text) for one in rules.sections] == [(("Rules",), "The pool opens at 7:15.")]
    assert rules.media_type.endswith("wordprocessingml.document")
    assert "Etna is 3,357 m high." in etna.sections[0].text
