"""Whether the language model of the settings answers, in words for a terminal."""

from __future__ import annotations

from contextlib import closing
from urllib.parse import urlsplit

from django.conf import settings

from engines.errors import EngineError, ModelSilent, ModelTimeout, ModelUnavailable, ModelUnknown
from engines.llm import ChatMessage, OpenAICompatible, Prompt

PATIENCE = 20
"""Seconds in which the model must begin to answer."""

_PROMPT = Prompt((ChatMessage("user", "Reply with one word: yes."),))


def describe_model() -> str:
    """The model and where it is, without a password in the address."""
    parts = urlsplit(settings.LECTERN_LLM_BASE_URL)
    address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return f"{settings.LECTERN_LLM_MODEL} at {address}"


def find_model_problem() -> str:
    """What is wrong with the model of the settings; empty if it begins to answer, or none is set up."""
    if not settings.LECTERN_LLM_MODEL:
        return ""
    try:
        with closing(OpenAICompatible(silence=PATIENCE).stream(_PROMPT)) as pieces:
            next(pieces, "")
    except ModelSilent:
        return ""
    except ModelUnknown:
        return "is unknown there"
    except ModelUnavailable:
        return "cannot be reached"
    except ModelTimeout:
        return f"has not begun to answer within {PATIENCE} seconds"
    except EngineError as error:
        return f"does not answer: {error}"
    return ""
