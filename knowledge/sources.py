"""Personal documents as a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corpus.passages import Passage
from corpus.search.named_passages import named_passages
from corpus.search.search import prepared_search
from corpus.search.spelling import vocabulary
from corpus.search.steps import SearchInSteps
from corpus.source_kinds import Participation, SourceKind
from corpus.sources import NamedPassages, Query, Source, Vocabulary
from knowledge.models import PersonalChunk, PersonalDocument, PersonalDocumentQuerySet
from schools.models import School


class PersonalSource(Source):
    """Searches these personal documents of one school and no others."""

    def __init__(self, school: School, documents: PersonalDocumentQuerySet) -> None:
        self.school = school.pk
        found = documents.for_school(school).searchable().order_by()
        self.documents = dict(found.values_list("pk", "language"))

    @property
    def kind(self) -> SourceKind:
        return PERSONAL

    def is_empty(self) -> bool:
        return not self.documents

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return self.prepared(query, limit)()

    def prepared(self, query: Query, limit: int) -> SearchInSteps[list[Passage]]:
        return prepared_search(PersonalChunk, self.documents, query, limit, school=self.school, kind=PERSONAL)

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        return vocabulary(PersonalChunk, self.documents, words, school=self.school)

    def named(self, name: str, limit: int, *, model: str) -> NamedPassages | None:
        return named_passages(
            PersonalChunk, self.documents, name, limit, school=self.school, kind=PERSONAL, model=model
        )


def documents_of(chatbot: Any) -> PersonalDocumentQuerySet:
    """What a chatbot may read: of its own school and its owner, whatever the links say."""
    linked = PersonalDocument.objects.filter(chatbot_links__chatbot=chatbot)
    return linked.filter(school=chatbot.school_id, owner=chatbot.owner_id)


PERSONAL = SourceKind(
    "personal",
    "Personal",
    "personal documents",
    counted="personal",
    icon="personal",
    colour="personal",
    is_private=True,
    participation=Participation.SHARES,
    weight=60,
    source_for=lambda chatbot: PersonalSource(chatbot.school, documents_of(chatbot)),
    documents_for=PersonalDocument.objects.for_member,
    documents_of=documents_of,
    source_among=PersonalSource,
    page="knowledge:detail",
)
