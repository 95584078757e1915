"""Search for a question that stands alone, without an answer: its spelling corrected, in the documents' language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from chatbots.answering.foreign_questions import search_in_their_language
from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from chatbots.answering.spelling import correct_spelling


def search_standalone(
    question: str, sources: Sequence[WeightedSource], *, language: str, places: int
) -> tuple[str, Retrieval]:
    """Return what was searched for if it is not the question itself, else an empty string, and what was found.

    `language` is the chatbot's. Raises what `retrieve` raises.
    """
    spelled = correct_spelling(question, sources, language)
    found = search_in_their_language(
        spelled, language=language, search=partial(retrieve, sources=sources, places=places)
    )
    searched_for = (found.foreign.gloss if found.foreign else "") or spelled
    return searched_for if searched_for != question else "", found
