"""Converts the packaged embedding models while an image is built, so that no process has to at its start.

    python -m engines.embedding.prepare

Needs PyTorch for one of them; what it makes does not.
"""

import logging
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.embedding.export import PREPARED, PREPARED_PRECISION, converted_model
from engines.embedding.models import MULTILINGUAL, MULTILINGUAL_PRECISION, model_label

PACKAGED_MODELS = {"": PREPARED_PRECISION, MULTILINGUAL: MULTILINGUAL_PRECISION}


def main() -> None:
    """Put the packaged models into PREPARED in place of older ones. Raises the errors of `converted_model`."""
    for model, precision in PACKAGED_MODELS.items():
        target = PREPARED / f"{model_label(model)}-{precision}"
        shutil.rmtree(target, ignore_errors=True)
        with TemporaryDirectory() as scratch:
            shutil.copytree(converted_model(model, precision, Path(scratch)), target)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main()
