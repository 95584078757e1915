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
from chatbots.answering.retrieval import ForeignQuestion, Retrieval, with_earlier_timings
from corpus.embedding.active_model import active_embedder
from corpus.passages import Passage
from engines.embedding import Embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.errors import EngineError
from text.function_words import FUNCTION_WORDS
from text.gloss import Gloss, can_gloss, gloss
from text.question_language import question_language

KNOWN = 0.6
"""The share of a question's content words that must be known, else its gloss is not searched for."""


def search_in_their_language(question: str, *, language: str, search: Callable[[str], Retrieval]) -> Retrieval:
    """Search for a question and, if the documents are in another language, for its gloss. Raises what `search` raises.

    `language` is the chatbot's: it decides for a question without function words. The gloss counts if its best passage
    is at least as relevant as that of the question. If neither finds anything, the result says so in `foreign`.
    """
    found = search(question)
    foreign = _foreign(question, found, language)
    if foreign is None:
        return found
    present = {word for passage in _passages(found) if passage.standing for word in passage.standing.found}
    glossed = _gloss(question, foreign, present)
    refused = found if found.placed else replace(found, foreign=foreign)
    if glossed is None or glossed.share < KNOWN or glossed.text.casefold() == question.strip(" ?¿").casefold():
        return refused
    try:
        again = with_earlier_timings(search(glossed.text), found)
    except EngineError:
        return refused
    if again.best_relevance < found.best_relevance or (again.unavailable and not again.placed):
        return refused
    return replace(again, foreign=replace(foreign, gloss=glossed.text))


def glossed_for_quotes(query: str, foreign: ForeignQuestion) -> str:
    """The query by which sentences are selected: its gloss."""
    glossed = _gloss(query, foreign, set())
    return glossed.text if glossed and glossed.text else query


def _foreign(question: str, found: Retrieval, language: str) -> ForeignQuestion | None:
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
    embedder = active_embedder()
    if _knows(embedder, asked) and _knows(embedder, documents):
        return None
    return ForeignQuestion(asked, documents)


def _knows(embedder: Embedder, language: str) -> bool:
    return embedder.languages == ANY_LANGUAGE or language in embedder.languages


def _passages(found: Retrieval) -> list[Passage]:
    return [one.passage for one in (*found.placed, *found.missed)]


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
    return Gloss(
        SEPARATOR.join(part.text for part in parts if part.text),
        sum(part.content for part in parts),
        sum(part.known for part in parts),
    )
