"""`make run` says before it begins what it downloads, and takes PyTorch without CUDA where it can."""

import platform
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from operations.first_install import TORCH_INSTALLED, UNKNOWN, WITH_CUDA, WITHOUT_CUDA, choose_plan, notice
from operations.requirements import find_requirement

HERE = platform.system()
CUDA = [f'nvidia-nccl-cu13==2.29.7; platform_system == "{HERE}"', "filelock"]


def test_what_pip_would_take_is_named_with_its_size() -> None:
    assert choose_plan("", ("2.13.0", CUDA)) == (WITH_CUDA, "2.13.0")
    assert choose_plan("", ("2.13.0+cpu", ["filelock"])) == (WITHOUT_CUDA, "2.13.0+cpu")
    assert WITH_CUDA.download > WITHOUT_CUDA.download and WITH_CUDA.disk > WITHOUT_CUDA.disk


def test_cuda_for_other_machines_does_not_count() -> None:
    for marker in ('platform_system == "Elsewhere"', 'platform_machine == "abacus"', 'extra == "gpu"'):
        assert choose_plan("", ("2.13.0", [f"cuda-bindings<14; {marker}"]))[0] == WITHOUT_CUDA


def test_an_installed_pytorch_stays() -> None:
    plan, version = choose_plan("2.12.1+cpu", None)
    assert plan == TORCH_INSTALLED
    assert "PyTorch 2.12.1+cpu is installed in .venv already and stays" in notice(plan, version, 50)


def test_where_pip_does_not_say_the_larger_size_is_told() -> None:
    assert choose_plan("", None)[0] == UNKNOWN
    assert "3 GB to download and 6.5 GB of disk, of which 7 GB are free" in notice(UNKNOWN, "", 7.2)


def test_the_advice_stands_in_the_readme() -> None:
    readme = (Path(settings.BASE_DIR) / "README.md").read_text()
    assert "PyTorch without CUDA" in WITH_CUDA.sentence
    assert "## PyTorch without CUDA" in readme


def test_an_index_is_handed_to_pip_and_to_what_is_said() -> None:
    command = ["make", "--dry-run", "--always-make", ".venv/runtime.installed", "TORCH_INDEX=https://index.example/cpu"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "--extra-index-url 'https://index.example/cpu'" in line]
    assert ["first_install" in line or "pip install" in line for line in lines] == [True, True]


@pytest.mark.parametrize("name", ["torch", "sentence-transformers", "tzdata"])
def test_they_are_declared(name: str) -> None:
    assert find_requirement(name).startswith(f"{name}>=")
