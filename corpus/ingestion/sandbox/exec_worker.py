"""A process that becomes another program: `python -m corpus.ingestion.sandbox.exec_worker '{…}' PROGRAM … < file`.

The first argument is JSON: what `confine` takes but for the program, which is an absolute path. It runs behind the
same walls as a reader, with an environment of nothing but what its work needs.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from corpus.ingestion.sandbox.limits import confine

_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OMP_THREAD_LIMIT": "1"}  # of Tesseract: more threads take longer


def main() -> None:
    order, program, *arguments = sys.argv[1:]
    confine(**json.loads(order), program=Path(program))
    os.execve(program, [program, *arguments], _ENVIRONMENT)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
