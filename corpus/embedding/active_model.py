"""The active embedding model. The database names it, and every process follows (ADR 10).

The settings name the model of the first start, and later the model that `manage.py reembed` moves to.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

from corpus.models import Installation
from engines.embedding.models import SMALL
from engines.embedding.runtime import (
    Embedder,
    activate_model,
    get_embedder,
    has_active_model,
    load_embedder,
    resolve_runtime,
)
from engines.errors import EmbeddingUnavailable

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelSpec:
    """The setting and runtime that load a model, and the name that is stored with its chunks."""

    model: str
    runtime: str
    name: str


def configured_model() -> tuple[ModelSpec, Embedder]:
    """The model of the settings, loaded. Raises EmbeddingUnavailable."""
    model, runtime = _located(settings.LECTERN_EMBEDDING_MODEL), settings.LECTERN_EMBEDDING_RUNTIME
    embedder = load_embedder(model, runtime)
    return ModelSpec(model, resolve_runtime(runtime, embedder.name), embedder.name), embedder


def installation() -> Installation:
    """The current row. If there is none it is made from the settings, which may raise EmbeddingUnavailable."""
    row = Installation.objects.first()
    if row is None:
        spec, _ = configured_model()
        row, _ = Installation.objects.get_or_create(
            defaults={"model": spec.model, "runtime": spec.runtime, "name": spec.name}
        )
    row.model = row.model or SMALL  # rows that are older than its name
    return row


def active_embedder() -> Embedder:
    """The embedder of the active model as far as this process knows. Usually needs no query.

    A caller whose search finds nothing calls `refresh_active_model`. Raises EmbeddingUnavailable.
    """
    if has_active_model():
        with suppress(EmbeddingUnavailable):
            return get_embedder()
    return refresh_active_model()


def refresh_active_model() -> Embedder:
    """Load the model that the database names as active. Raises EmbeddingUnavailable."""
    row = installation()
    activate_model(row.model, row.runtime)
    try:
        return get_embedder()
    except EmbeddingUnavailable as error:
        raise EmbeddingUnavailable(
            f"{error} All documents are still searched by its vectors: once another model is set, "
            "`manage.py reembed` moves them to that one."
        ) from error


def warm_up() -> None:
    """Load the embedder when a process starts. Runs in a thread of its own and never raises."""
    try:
        warn_if_settings_differ()
        active_embedder()
    except EmbeddingUnavailable as error:
        logger.error("%s", error)
    except Exception:  # such as a database that is not up yet: the first question loads the model
        logger.warning("The embedding model was not loaded ahead of the first question.", exc_info=True)
    finally:
        connection.close()


def warn_if_settings_differ() -> None:
    """Log a warning if the settings name another model than the active one. Called once when a process starts."""
    row = installation()
    model, runtime = _located(settings.LECTERN_EMBEDDING_MODEL), settings.LECTERN_EMBEDDING_RUNTIME
    same = model == row.model and runtime in ("auto", row.runtime)
    if not same and not row.target_name:
        logger.warning(
            "The settings name another embedding model than the one that answers, %s. "
            "To move all documents to it, run `manage.py reembed`; until then nothing changes.",
            row.name,
        )


def _located(model: str) -> str:
    """A folder as an absolute path, so that every process finds it; a model name unchanged."""
    return str(Path(model).resolve()) if model and Path(model).is_dir() else model
