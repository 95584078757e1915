"""Search for a question that stands alone, without an answer, with its spelling corrected."""

from __future__ import annotations

from collections.abc import Sequence

from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from chatbots.answering.spelling import correct_spelling


def search_standalone(
    question: str, sources: Sequence[WeightedSource], *, language: str, places: int
) -> tuple[str, Retrieval]:
    """Return what was searched for if it is not the question itself, else an empty string, and what was found.

    `language` is the chatbot's. Raises what `retrieve` raises.
    """
    spelled = correct_spelling(question, sources, language)
    found = retrieve(spelled, sources, places=places)
    return spelled if spelled != question else "", found
