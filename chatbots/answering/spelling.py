"""Correct the spelling of a question by the words of the sources that it is asked of, and of no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chatbots.answering.retrieval import WeightedSource, ask_sources
from text.question_language import question_language
from text.spelling import correct, doubtful_words


def correct_spelling(question: str, sources: Sequence[WeightedSource], language: str) -> str:
    """Return the question with its misspelled words replaced by words of these sources, else the question itself.

    A word that a dictionary or a source has is never replaced, so nothing is if a source fails or is late. `language`
    is the code of the chatbot's; a question in another one, recognised by its function words, is left as it is. Never
    raises.
    """
    own = question_language(question, usual=language, expected=language) == language
    doubtful = doubtful_words(question, language) if own else []
    if not doubtful or not sources:
        return question
    vocabularies = ask_sources(sources, lambda source: source.vocabulary(doubtful)).values()
    forms = sum((Counter(one.forms) for one in vocabularies), Counter[str]())
    if not forms or len(vocabularies) < len(sources):
        return question
    unknown = set(doubtful).difference(*(one.known for one in vocabularies))
    return correct(question, unknown, forms, language)
