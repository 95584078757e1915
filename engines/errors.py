"""Errors of the embedder and the language model. Messages are for teachers: without keys, addresses or server texts."""

from typing import ClassVar

TOO_LONG = "The question and its sources are too long for the language model. Ask something shorter."


class EngineError(Exception):
    """The embedder or the language model could not do its work; ``str(error)`` says why and what to do."""

    code: ClassVar[str] = "sources"  # stored with the failed answer; the API returns it


class EmbeddingUnavailable(EngineError):
    """The embedding model is not on this machine or cannot be used."""

    code = "embedding"


class ModelUnavailable(EngineError):
    """The language model is down, cannot be reached, closed the connection, or sent something unreadable."""

    code = "unavailable"


class ModelTimeout(EngineError):
    """The language model stayed silent for longer than allowed."""

    code = "timeout"


class ModelRefused(EngineError):
    """The language model's server rejected the request (key, model name or content)."""

    code = "refused"


class ModelUnknown(ModelRefused):
    """The language model's server does not know the model, or has nothing at this address."""


class ModelRateLimited(EngineError):
    """Too many requests, or the quota at the provider is used up."""

    code = "busy"


class ModelSilent(EngineError):
    """The language model finished properly without writing anything."""

    code = "silent"
