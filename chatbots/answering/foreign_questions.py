"""Questions in another language than the documents: search for their gloss (`text.gloss`).

Nothing is done if the embedder knows both languages, if the passages found are in the question's language, or for a
language that is not known. Only the sources of the chatbot are searched. `python -m benchmarks.foreign_questions`
measures it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from chatbots.answering.query_rewriting import SEPARATOR
from chatbots.answering.retrieval import ForeignQuestion, Retrieval, add_earlier_timings
from corpus.embedding.active_model import active_embedder
from corpus.passages import Passage
from corpus.search.fusion import NearMiss
from engines.embedding import Embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.errors import EngineError
from text.function_words import FUNCTION_WORDS
from text.gloss import Gloss, can_gloss, gloss, join_glosses
from text.question_language import question_language

KNOWN = 0.6
"""The share of a question's content words that must be known, else its gloss is not searched for."""


def search_in_their_language(
    question: str, *, language: str, search: Callable[[str], Retrieval], embedder: Embedder | None = None
) -> Retrieval:
    """Search for a question and, if the documents are in another language, for its gloss. Raises what `search` raises.

    `language` is the chatbot's: it decides for a question without function words. `embedder` is what the search embeds
    with, by default that of the installation. The gloss counts if its best passage
    is at least as relevant as that of the question. If neither finds anything, the result says so in `foreign`.
    """
    found = search(question)
    foreign = _foreign(question, found, language, embedder)
    if foreign is None:
        return found
    present = {word for passage in _passages(found) if passage.standing for word in passage.standing.found}
    glossed = _gloss(question, foreign, present)
    unglossed = found if found.placed else replace(found, foreign=foreign)
    if glossed is None or glossed.text.casefold() == question.strip(" ?¿").casefold():
        return unglossed
    try:
        if glossed.share < KNOWN:
            return unglossed if found.placed else _closest_by_names(unglossed, foreign, glossed, search)
        again = add_earlier_timings(search(glossed.text), found)
    except EngineError:
        return unglossed
    if again.best_relevance < found.best_relevance or (again.unavailable and not again.placed):
        return unglossed
    return replace(again, foreign=replace(foreign, gloss=glossed.text))


def gloss_for_quotes(query: str, foreign: ForeignQuestion) -> str:
    """The query by which sentences are selected: its gloss."""
    glossed = _gloss(query, foreign, set())
    return glossed.text if glossed and glossed.text else query


def _closest_by_names(
    found: Retrieval, foreign: ForeignQuestion, glossed: Gloss, search: Callable[[str], Retrieval]
) -> Retrieval:
    """What was found, with the passages that have the question's names and numbers as those that came closest."""
    if not glossed.names:
        return found
    names = " ".join(glossed.names)
    again = search(names)
    near = (*(NearMiss(one.passage, one.weight, is_relevant=False) for one in again.placed), *again.missed)
    return replace(add_earlier_timings(found, again), missed=near, foreign=replace(foreign, names=names))


def _foreign(question: str, found: Retrieval, language: str, embedder: Embedder | None) -> ForeignQuestion | None:
    """The languages, if they differ and the embedder does not know both."""
    placed = {one.passage.language for one in found.placed}
    languages = Counter(passage.language for passage in _passages(found) if passage.language)
    if not languages:
        return None
    most = max(languages, key=lambda code: (languages[code], code))
    asked = question_language(question, usual=language, expected=most)
    others = {code: count for code, count in languages.items() if code != asked}
    if asked in placed or asked not in FUNCTION_WORDS or not others:
        return None
    documents = max(others, key=lambda code: (others[code], code))
    embedder = embedder or active_embedder()
    if _knows(embedder, asked) and _knows(embedder, documents):
        return None
    return ForeignQuestion(asked, documents)


def _knows(embedder: Embedder, language: str) -> bool:
    return embedder.languages == ANY_LANGUAGE or language in embedder.languages


def _passages(found: Retrieval) -> list[Passage]:
    return [*(one.passage for one in found.placed), *(one.passage for one in found.missed)]


def _gloss(text: str, foreign: ForeignQuestion, present: set[str]) -> Gloss | None:
    """The gloss of a question, or of each part of a combined follow-up that is not in the documents' language."""
    if not can_gloss(foreign.language, foreign.documents):
        return None
    parts = []
    for part in text.split(SEPARATOR):
        own = question_language(part, usual=foreign.language, expected=foreign.language)
        is_foreign = own != foreign.documents
        parts.append(
            gloss(part, foreign.language, foreign.documents, present=present) if is_foreign else Gloss(part, 0, 0)
        )
    return join_glosses(parts, SEPARATOR)
