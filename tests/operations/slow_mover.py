"""A worker's app whose moves to another embedding model have spells of one batch, however fast the machine is.

With DIES_IN_BATCH it kills itself while it stores that batch, which is in the middle of the move wherever it runs.
"""

import os
import signal
from typing import Any

import django

from config.celery import app as app

django.setup()

from corpus.embedding import migrate_model, next_vectors  # noqa: E402

migrate_model.SPELL = 0
_dies_in = int(os.environ.get("DIES_IN_BATCH", "0"))
_keep, _batches = next_vectors.keep, 0


def _keep_or_die(*batch: Any) -> None:
    global _batches
    _batches += 1
    _keep(*batch)
    if _batches == _dies_in:
        os.kill(os.getpid(), signal.SIGKILL)


next_vectors.keep = _keep_or_die
