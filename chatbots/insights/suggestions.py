"""Documents that a chatbot does not read and that would answer a question it refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.standalone_search import search_standalone
from chatbots.insights.unanswered import get_chatbot, search_text
from chatbots.models import Chatbot, Message
from corpus.certainty import Level, get_passage_level
from corpus.passages import Passage
from corpus.reading.locations import describe_location
from corpus.source_kinds import SourceKind, list_document_kinds
from schools.models import Membership
from text.shortening import shorten
from text.tables import make_readable_line


@dataclass(frozen=True)
class Suggestion:
    """A document with the passage that answers."""

    kind: SourceKind
    document_id: UUID
    title: str
    where: str
    excerpt: str


def suggest_documents(message: Message, member: Membership) -> list[Suggestion]:
    """The documents that the member may link to the chatbot and that answer the question, the surest first.

    Only kinds of source are searched that take part in the chatbot's answers. Raises engines.errors.EngineError.
    """
    chatbot = get_chatbot(message)
    sources = list(_unlinked(chatbot, member))
    if not sources:
        return []
    _, found = search_standalone(search_text(message), sources, language=chatbot.language, places=chatbot.places)
    best: dict[object, Passage] = {}
    for passage in sorted((placed.passage for placed in found.placed), key=_certainty, reverse=True):
        if passage.document_id and _answers(passage):
            best.setdefault(passage.document_id, passage)
    return [_suggestion(passage) for passage in best.values()][:3]


def _unlinked(chatbot: Chatbot, member: Membership) -> Iterator[WeightedSource]:
    """The documents of the member that the chatbot does not read, kind by kind."""
    active = {row.kind for row in chatbot.active_sources() if row.weight or row.fills_in}
    for kind in list_document_kinds():
        if kind.value in active and kind.documents_for and kind.find_documents and kind.source_among:
            linked = kind.find_documents(chatbot).values("pk")
            source = kind.source_among(chatbot.school, kind.documents_for(member).exclude(pk__in=linked))
            if not source.is_empty():
                yield WeightedSource(source, 100)


def _answers(passage: Passage) -> bool:
    """Whether it surely answers; where no passage is read, whether the search finds it close enough."""
    level = get_passage_level(passage)
    return level == Level.ANSWERS or (passage.certainty is None and level == Level.MAY_ANSWER)


def _certainty(passage: Passage) -> float:
    return passage.relevance if passage.certainty is None else 1 + passage.certainty


def _suggestion(passage: Passage) -> Suggestion:
    assert passage.document_id is not None
    excerpt = shorten(make_readable_line(passage.excerpt), 240)
    return Suggestion(passage.kind, passage.document_id, passage.document_title, describe_location(passage), excerpt)
