"""The process that applies the limits and becomes another program.

It is started as `python -m corpus.ingestion.sandbox.exec_worker '{…}' PROGRAM … < file`.

The first argument is JSON: the arguments of `confine` without `program`, which follows as an absolute path. The program
has the same limits as a reader, and a minimal environment.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from corpus.ingestion.sandbox.limits import confine

_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OMP_THREAD_LIMIT": "1"}  # Tesseract is slower with more threads


def main() -> None:
    """Apply the limits and execute the program."""
    order, program, *arguments = sys.argv[1:]
    confine(**json.loads(order), program=Path(program))
    os.execve(program, [program, *arguments], _ENVIRONMENT)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
