"""The move of the installation to another embedding model while the old one answers (D8, ADR 10).

`begin_move` names the target. A worker calls `run_step` until every chunk has a vector of the target; each step takes
some seconds. Then one transaction replaces all old vectors: the switch.

Locks are always taken in this order: vectors, chunks, the row of the installation.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

import numpy as np
from django.db import OperationalError, transaction
from django.db.models import F
from django.utils import timezone
from numpy.typing import NDArray

from corpus.advisory_lock import advisory_lock
from corpus.embedding import next_vectors
from corpus.embedding.active_model import ModelSpec, installation
from corpus.embedding.chunk_text import chunk_vectors
from corpus.models import INTERNAL_ERROR, Chunk, Installation, concrete_models
from engines.embedding import Embedder, load_embedder
from engines.embedding.models import SMALL
from engines.errors import EngineError

logger = logging.getLogger(__name__)

STEP_SECONDS = 5.0
"""Length of a step. Documents that wait are indexed between two steps."""

LOCK_TIMEOUT_MS = 800
"""How long a switch waits for writers of chunks. It is below PostgreSQL's deadlock_timeout (1 s), so in a deadlock the
switch always gives way and is tried again."""

MAX_DIMENSIONS = 3500
"""A row with its vector must fit a page of 8 kB."""

SAME_MODEL_COSINE = 0.98
"""The least cosine of two vectors of one text by one model. They may differ by half precision, runtime or batch."""

_LOCK = 0x7265656D62656464  # "reembedd"
_NO_MOVE = {"target_model": "", "target_runtime": "", "target_name": "", "started_at": None}
_FAULT = f"{INTERNAL_ERROR}; the worker’s log says what. It is tried again every 15 seconds."


class CannotMove(Exception):
    """The installation cannot move to this model. The message says why and what to do."""


def move_to(target: ModelSpec, embedder: Embedder) -> str:
    """Start or continue the move of all documents to this model. Returns a sentence for the operator.

    Raises CannotMove.
    """
    row = installation()
    passages = sum(chunks.count() for chunks in next_vectors.list_other_chunks(target.name))
    if target == ModelSpec(row.target_model, row.target_runtime, row.target_name):
        return f"The move to {target.name} continues."
    _check(target, embedder)
    if target.name == row.name:
        if row.target_name:
            cancel_move()
        Installation.objects.update(model=target.model, runtime=target.runtime)
        if not passages:
            cancelled = f" The move to {row.target_name} is cancelled." if row.target_name else ""
            return f"{target.name} answers, and all passages are of it: there is nothing to do.{cancelled}"
    begin_move(target)
    return f"{passages:,} passages move to {target.name}; {row.name} answers until all of them are ready."


def _check(target: ModelSpec, embedder: Embedder) -> None:
    if embedder.dimensions > MAX_DIMENSIONS:
        raise CannotMove(
            f"{target.name} has {embedder.dimensions:,} dimensions; at most {MAX_DIMENSIONS:,} can be kept."
        )
    if len(target.name) > 120:
        raise CannotMove(f"The name {target.name} is too long: rename the model’s folder.")
    if not _owns_its_name(target, embedder):
        raise CannotMove(
            f"There are vectors of another model that is called {target.name}, too: rename the folder of the new one."
        )


def _owns_its_name(target: ModelSpec, embedder: Embedder) -> bool:
    """Whether the vectors stored under its name were made by this model. Checks ten chunks of each kind."""
    for chunks in concrete_models(Chunk):
        stored = chunks.objects.filter(embedding_model=target.name)
        for part in stored.order_by("pk").values("heading_path", "text", "embedding")[:10]:
            vector = np.asarray(part["embedding"], dtype=np.float32)
            own = chunk_vectors([(part["heading_path"], part["text"])], embedder)[0]
            if vector.shape != own.shape or float(vector @ own) < SAME_MODEL_COSINE:
                return False
    return True


@transaction.atomic
def begin_move(target: ModelSpec) -> None:
    """Start a move to this model from the first chunk. Replaces any other move."""
    next_vectors.clear_vectors()
    Installation.objects.update(
        target_model=target.model,
        target_runtime=target.runtime,
        target_name=target.name,
        progress_done=0,
        progress_total=sum(chunks.count() for chunks in next_vectors.list_other_chunks(target.name)),
        problem="",
        started_at=timezone.now(),
        worked_at=None,
    )


@transaction.atomic
def cancel_move() -> bool:
    """Cancel the move; the old model stays active. False if no move is under way."""
    next_vectors.clear_vectors()
    return bool(Installation.objects.exclude(target_name="").update(**_NO_MOVE, problem=""))


def next_step() -> int | None:
    """The number of the next step. None if no move is under way."""
    return Installation.objects.exclude(target_name="").values_list("steps", flat=True).first()


def run_step(step: int) -> bool:
    """Work on the move for STEP_SECONDS. False if this step was already done, another worker is at it, or it failed.

    An error is written to the row; the schedule tries the step again.
    """
    with advisory_lock(_LOCK) as acquired:
        row = Installation.objects.filter(steps=step).exclude(target_name="").first() if acquired else None
        if row is None or not _note(row, steps=step + 1, progress_total=_total(row)):
            return False
        try:
            _embed_until_deadline(row)
        except Exception as error:
            is_known = isinstance(error, EngineError)
            logger.error("The move to %s fails: %s", row.target_name, error, exc_info=not is_known)
            _note(row, problem=str(error) if is_known else _FAULT)
            return False
    return True


def _embed_until_deadline(row: Installation) -> None:
    embedder = load_embedder(row.target_model or SMALL, row.target_runtime)
    until = time.monotonic() + STEP_SECONDS
    while True:
        chunks, batch = next_vectors.select_next_batch(row.target_name)
        if not batch:
            _switch(row)
            return
        texts = [(part["heading_path"], part["text"]) for part in batch]
        stored = _store(row, chunks, batch, chunk_vectors(texts, embedder))
        if not stored or time.monotonic() >= until:
            return


def _store(row: Installation, chunks: object, batch: Sequence[dict[str, object]], vectors: NDArray[np.float32]) -> bool:
    """Save vectors of chunks that still exist. False, and nothing is saved, if the target has changed."""
    with transaction.atomic():
        next_vectors.save_vectors(chunks, batch, vectors)
        kept = _note(row, progress_done=F("progress_done") + len(batch), problem="")
        transaction.set_rollback(not kept)
    return kept


def _switch(row: Installation) -> bool:
    """Make the target active if every chunk has a vector. False if one is missing or chunks are being written."""
    try:
        with transaction.atomic():
            next_vectors.lock_for_switch(LOCK_TIMEOUT_MS)
            current = Installation.objects.select_for_update().filter(started_at=row.started_at).first()
            if current is None or next_vectors.has_missing(current.target_name):
                return False
            next_vectors.switch_vectors(current.target_name)
            Installation.objects.update(
                model=current.target_model,
                runtime=current.target_runtime,
                name=current.target_name,
                switched_at=timezone.now(),
                problem="",
                **_NO_MOVE,
            )
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != "55P03":  # lock_not_available
            raise
        return False
    logger.info("All documents are searched by the embedding model %s from now on.", row.target_name)
    return True


def _note(row: Installation, **changes: object) -> bool:
    """Update the row. False if another move has begun or this one was cancelled."""
    same = Installation.objects.filter(started_at=row.started_at, target_name=row.target_name)
    return bool(same.update(worked_at=timezone.now(), **changes))


def _total(row: Installation) -> int:
    """The number of vectors to make, counted again when uploads have added chunks."""
    if row.progress_done < row.progress_total:
        return row.progress_total
    foreign = next_vectors.list_other_chunks(row.target_name)
    return row.progress_done + sum(int(next_vectors.filter_after_last_vector(chunks).count()) for chunks in foreign)
