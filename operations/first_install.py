"""Says what `make run` and `make test` are about to download, and how much disk it takes, before they do.

Runs before anything is installed, so it needs the standard library only. Exits with 1 if the disk is too small.
"""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

# In GB, measured with Python 3.11 on Linux (x86-64) in November 2026; of the disk, with the first data.
DISK = 2.4
WORDS = (
    "Everything is installed into .venv, once: about 0.6 GB to download and 2.4 GB of disk. Where pip takes PyTorch "
    "with CUDA, which Lectern does not use, it is 3 GB and 6.5 GB: README says under “PyTorch without CUDA” how not to."
)


def main() -> None:
    """Print what will be installed, or a line if Lectern is installed and only brought up to date."""
    if find_spec("django"):
        print("Bringing what is installed in .venv up to date …")
        return
    free = shutil.disk_usage(Path(__file__).resolve().parent.parent).free / 1e9
    print(f"{WORDS} {free:.0f} GB are free.")
    if free < DISK:
        sys.exit("That is not enough. Nothing was installed.")


if __name__ == "__main__":
    main()
