"""Says what `make run` and `make test` are about to download, and how much disk it takes, before they do.

    .venv/bin/python -m operations.first_install [PIP OPTION …]

Runs before anything is installed, so it needs the standard library and pip only. Exits with 1 if the disk is too small.
"""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from operations.requirements import PROJECT, find_requirement

ADVICE = "README says under “PyTorch without CUDA” how to take 0.6 GB instead."


@dataclass(frozen=True)
class Plan:
    """What will be installed. Sizes in GB: to download, and on the disk with the first data of an installation."""

    sentence: str
    download: float
    disk: float


# Measured with Python 3.11 on Linux (x86-64) in November 2026.
TORCH_INSTALLED = Plan("PyTorch {} is installed in .venv already and stays as it is.", 0.4, 1.5)
WITHOUT_CUDA = Plan("PyTorch {} comes without CUDA.", 0.6, 2.4)
WITH_CUDA = Plan("PyTorch {} brings CUDA along, which Lectern does not use. " + ADVICE, 3, 6.5)
UNKNOWN = Plan("pip does not say which PyTorch it will take; with CUDA it is this much. " + ADVICE, 3, 6.5)


def main() -> None:
    """Print the plan; say nothing but a line if Lectern is installed and only brought up to date."""
    if _installed("django"):
        print("Bringing what is installed in .venv up to date …")
        return
    plan, torch = _plan(sys.argv[1:])
    free = shutil.disk_usage(PROJECT.parent).free / 1e9
    print(notice(plan, torch, free))
    if free < plan.disk:
        sys.exit("That is not enough. Nothing was installed.")


def notice(plan: Plan, torch: str, free: float) -> str:
    """Return what a person reads before the download; `free` GB are left on the disk."""
    sizes = f"about {plan.download:g} GB to download and {plan.disk:g} GB of disk, of which {free:.0f} GB are free."
    return f"Everything is installed into .venv, once: {sizes}\n{plan.sentence.format(torch)}"


def choose_plan(installed: str, found: tuple[str, list[str]] | None) -> tuple[Plan, str]:
    """Return the plan, and the version of PyTorch.

    `installed` is the version in .venv that stays, or "". `found` is the version that pip would install, with its
    requirements; None where pip does not say.
    """
    if installed:
        return TORCH_INSTALLED, installed
    if found is None:
        return UNKNOWN, ""
    torch, requirements = found
    cuda = any(one.startswith(("nvidia-", "cuda-")) and _applies(one) for one in requirements)
    return (WITH_CUDA if cuda else WITHOUT_CUDA), torch


def _plan(options: list[str]) -> tuple[Plan, str]:
    wanted = find_requirement("torch")
    installed = _installed("torch")
    if installed and _fits(installed, wanted):
        return choose_plan(installed, None)
    return choose_plan("", _found_by_pip(wanted, options))


def _found_by_pip(wanted: str, options: list[str]) -> tuple[str, list[str]] | None:
    """Return version and requirements of what pip would install. It reads the description only, not the wheel."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps"]
        command += ["--disable-pip-version-check", "--report", str(report), *options, wanted]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=120)
            (found,) = json.loads(report.read_text(encoding="utf-8"))["install"]
            return found["metadata"]["version"], found["metadata"].get("requires_dist", [])
        except (subprocess.SubprocessError, OSError, ValueError, KeyError):
            return None


def _fits(installed: str, wanted: str) -> bool:
    from pip._vendor.packaging.requirements import Requirement

    return bool(Requirement(wanted).specifier.contains(installed, prereleases=True))


def _applies(requirement: str) -> bool:
    """Whether a requirement holds on this machine and outside any extra."""
    from pip._vendor.packaging.requirements import Requirement

    marker = Requirement(requirement).marker
    return marker is None or bool(marker.evaluate({"extra": ""}))


def _installed(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main()
