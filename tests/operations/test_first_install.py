"""`make run` says before it begins what it downloads, and takes PyTorch without CUDA where it can."""

import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from operations import first_install
from operations.requirements import find_requirement


def test_sizes_are_said_with_what_is_free(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(first_install, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=7.2e9))
    first_install.main()
    said = capsys.readouterr().out
    assert "3 GB and 6.5 GB" in said and "7 GB are free" in said


def test_a_disk_that_is_too_small_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_install, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2e9))
    with pytest.raises(SystemExit, match="Nothing was installed"):
        first_install.main()


def test_what_is_installed_is_only_brought_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    first_install.main()
    assert capsys.readouterr().out.startswith("Bringing")


def test_the_advice_stands_in_the_readme() -> None:
    readme = (Path(settings.BASE_DIR) / "README.md").read_text()
    assert "PyTorch without CUDA" in first_install.WORDS
    assert "## PyTorch without CUDA" in readme


def test_an_index_is_handed_to_pip() -> None:
    command = ["make", "--dry-run", "--always-make", ".venv/runtime.installed", "TORCH_INDEX=https://index.example/cpu"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "--extra-index-url 'https://index.example/cpu'" in line]
    assert ["pip install" in line for line in lines] == [True]


@pytest.mark.parametrize("name", ["torch", "sentence-transformers", "tzdata"])
def test_they_are_declared(name: str) -> None:
    assert find_requirement(name).startswith(f"{name}>=")
