"""Correct the spelling of a question by the words of the sources that it is asked of, and of no others."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import wait
from functools import partial

from django.conf import settings
from django.db import connection

from chatbots.answering.retrieval import WeightedSource
from corpus.search.runners import current_runner
from corpus.sources import Vocabulary
from text.question_language import question_language
from text.spelling import correct, doubtful_words

logger = logging.getLogger(__name__)


def correct_spelling(question: str, sources: Sequence[WeightedSource], language: str) -> str:
    """Return the question with its misspelled words replaced by words of these sources, else the question itself.

    A word that a dictionary or a source has is never replaced. `language` is the code of the chatbot's; a question in
    another one, recognised by its function words, is left as it is. Never raises.
    """
    own = question_language(question, usual=language, expected=language) == language
    doubtful = doubtful_words(question, language) if own else []
    if not doubtful or not sources:
        return question
    vocabularies = _vocabularies(doubtful, sources)
    forms = sum((Counter(one.forms) for one in vocabularies), Counter[str]())
    unknown = set(doubtful).difference(*(one.known for one in vocabularies))
    return correct(question, unknown, forms, language) if forms else question


def _vocabularies(words: Sequence[str], sources: Sequence[WeightedSource]) -> list[Vocabulary]:
    """What the sources say, asked side by side as in a search; nothing if one of them fails or is late, because it may
    have the words."""
    if not connection.in_atomic_block:
        connection.close()  # no connection is held while waiting
    runner = current_runner()
    asked = [runner(partial(one.source.vocabulary, words)) for one in sources]
    wait(asked, timeout=settings.LECTERN_SEARCH_DEADLINE_MS / 1000)
    for one, outcome in zip(sources, asked, strict=True):
        if not outcome.done() or outcome.exception():
            outcome.cancel()
            logger.warning("The spelling was not corrected: the %s source did not tell its words", one.source.kind)
            return []
    return [outcome.result() for outcome in asked]
