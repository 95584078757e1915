"""Converts the packaged embedding model while an image is built, so that no process has to at its start.

    python -m engines.embedding.prepare

Needs PyTorch; what it makes does not.
"""

import logging
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.embedding.export import PREPARED, PREPARED_PRECISION, converted_model
from engines.embedding.models import PACKAGED


def main() -> None:
    """Put the packaged model into PREPARED in place of an older one. Raises the errors of `converted_model`."""
    target = PREPARED / f"{PACKAGED}-{PREPARED_PRECISION}"
    shutil.rmtree(target, ignore_errors=True)
    with TemporaryDirectory() as scratch:
        shutil.copytree(converted_model("", PREPARED_PRECISION, Path(scratch)), target)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main()
