"""A worker's app that dies in the middle of its work, as by kill -9, and in the same place however fast the machine is.

With DIES_AT it kills itself once that share of a document, of DIES_OF if that is told, is embedded, 0 being when it is
taken up; with DIES_IN_BATCH while it stores that batch of a move to another embedding model. Spells of such a move have
one batch each. With DIES_IN_PLAN it dies when so many concepts of a study plan have their questions.
"""

import os
import signal
from typing import Any

import django

from config.celery import app as app

django.setup()

from corpus.embedding import migrate_model, next_vectors  # noqa: E402
from corpus.ingestion import indexing  # noqa: E402
from learning.planning import making  # noqa: E402

migrate_model.STEP_SECONDS = 0
_dies_at = float(os.environ.get("DIES_AT", "2"))
_dies_of = os.environ.get("DIES_OF", "")
_dies_in = int(os.environ.get("DIES_IN_BATCH", "0"))
_dies_in_plan = int(os.environ.get("DIES_IN_PLAN", "0"))
_note_plan = making._note
_note, _keep, _batches = indexing._update, next_vectors.save_vectors, 0


def _note_or_die(document: Any, version: Any, **changes: Any) -> bool:
    noted = _note(document, version, **changes)
    total = changes.get("progress_total")
    share = changes["progress_done"] / total if total else 0
    if share >= _dies_at and _dies_of in ("", str(document.pk)):
        os.kill(os.getpid(), signal.SIGKILL)
    return noted


def _keep_or_die(*batch: Any) -> None:
    global _batches
    _batches += 1
    _keep(*batch)
    if _batches == _dies_in:
        os.kill(os.getpid(), signal.SIGKILL)


indexing._update = _note_or_die
next_vectors.save_vectors = _keep_or_die  # type: ignore[assignment]


def _note_plan_or_die(plan: Any, **changes: Any) -> None:
    _note_plan(plan, **changes)
    if plan.stage == "questions" and _dies_in_plan and plan.progress_done == _dies_in_plan:
        os.kill(os.getpid(), signal.SIGKILL)


making._note = _note_plan_or_die
