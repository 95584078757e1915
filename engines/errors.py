"""What can go wrong with the two neural models, in words for people.

Messages may be shown to teachers as they are. They never hold keys, addresses or texts sent by a server.
"""

from typing import ClassVar

TOO_LONG = "The question and its sources are too long for the language model. Ask something shorter."


class EngineError(Exception):
    """The embedder or the language model could not do its work; ``str(error)`` says why and what to do."""

    code: ClassVar[str] = (
        "sources"  # kept with the answer that failed: whoever has asked by the API is told by it
    )


class EmbeddingUnavailable(EngineError):
    """The embedding model is not on this machine or cannot be used."""

    code = "embedding"


class ModelUnavailable(EngineError):
    """The language model is down, cannot be reached, broke off, or answered something unreadable."""

    code = "unavailable"


class ModelTimeout(EngineError):
    """The language model stayed silent for longer than allowed."""

    code = "timeout"


class ModelRefused(EngineError):
    """The language model's server rejected the request (key, model name or content)."""

    code = "refused"


class ModelRateLimited(EngineError):
    """Too many requests, or the contingent at the provider is used up."""

    code = "busy"


class ModelSilent(EngineError):
    """The language model finished properly without writing anything."""

    code = "silent"
