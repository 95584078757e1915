"""What the search statements themselves hold back, should a list of documents ever be wrong (S2).

Python names the documents of a search. Here each statement is handed what it should never get, and finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from corpus.ingestion import uploads
from corpus.passages import Passage
from corpus.search.named_passages import named_passages
from corpus.search.search import prepare_search
from corpus.search.spelling import vocabulary
from corpus.source_kinds import SourceKind
from corpus.sources import Query
from engines.embedding import get_embedder
from knowledge.models import PersonalChunk
from knowledge.sources import PERSONAL
from school_library.models import SchoolChunk
from school_library.sources import SCHOOL, STILL
from tests import documents
from tests.factories import Cast, index_all, make_file, personal_document, school_document

pytestmark = pytest.mark.django_db
WORD = "zephyrquartz"
TEXT = f"# Acids\n\nHydrochloric acid has at most 1 mol/l, says {WORD}.\n"
OTHER = "# Acids\n\nHydrochloric acid has at most 2 mol/l here.\n"

Take = Callable[..., Any]
Statement = Callable[..., Sequence[Any]]
KINDS: dict[str, tuple[Any, SourceKind, Take]] = {
    "personal": (PersonalChunk, PERSONAL, personal_document),
    "library": (SchoolChunk, SCHOOL, school_document),
}


def by_words(kind: str, *own: Any, school: UUID, still: str = "true") -> list[Passage]:
    chunks, source, _ = KINDS[kind]
    query = Query.of("How strong is hydrochloric acid?", get_embedder())
    return prepare_search(chunks, languages(own), query, 5, school=school, kind=source, still=still)()


def by_name(kind: str, *own: Any, school: UUID, still: str = "true", model: str = "") -> Sequence[Passage]:
    chunks, source, _ = KINDS[kind]
    model = model or get_embedder().name
    found = named_passages(chunks, languages(own), "", 5, school=school, kind=source, model=model, still=still)
    return found.passages if found else []


def by_spelling(kind: str, *own: Any, school: UUID, still: str = "true") -> list[str]:
    told = vocabulary(KINDS[kind][0], languages(own), [WORD, "zephyrquarts"], school=school, still=still)
    return [*told.known, *told.forms]


def languages(rows: Sequence[Any]) -> dict[UUID, str]:
    return {row.pk: row.language for row in rows}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("statement", [by_words, by_name, by_spelling])
def test_no_statement_goes_beyond_its_school_its_documents_and_what_still_holds(
    people: Cast, statement: Statement, kind: str
) -> None:
    own, theirs = people.alice.school_id, people.charlie.school_id
    take = KINDS[kind][2]
    document, other = take(people.chloe, TEXT), take(people.chloe, OTHER, "other.md")
    assert statement(kind, document, school=theirs), "the control"
    assert not statement(kind, document, school=own)
    assert not statement(kind, school=theirs)
    assert WORD not in str(statement(kind, other, school=theirs))
    assert not statement(kind, document, school=theirs, still="document.id IS NULL")
    if kind == "library":
        assert statement(kind, document, school=theirs, still=STILL)
        type(document).objects.filter(pk=document.pk).update(is_published=False)
        assert not statement(kind, document, school=theirs, still=STILL)


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_of_another_model_are_not_compared(people: Cast, kind: str) -> None:
    document, school = KINDS[kind][2](people.carol, TEXT), people.carol.school_id
    assert not by_name(kind, document, school=school, model="another")
    KINDS[kind][0].objects.update(embedding_model="another")
    assert not by_words(kind, document, school=school)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("statement", [by_words, by_name])
def test_a_passage_has_the_text_of_its_own_section_and_the_version_that_answers(
    people: Cast, statement: Statement, kind: str
) -> None:
    """Sections and versions of all documents have the same numbers."""
    take, school = KINDS[kind][2], people.carol.school_id
    take(people.chloe, f"# Bases\n\nOf another school, says {WORD}.\n", "theirs.md")
    document = take(people.carol, OTHER)
    (before,) = statement(kind, document, school=school)
    assert (before.version, before.media_type, WORD in before.text) == (1, "text/markdown", False)
    new = make_file(documents.pdf([["Gloves are worn."]]), "gloves.pdf")
    uploads.replace(document, new, by=people.carol.user)
    index_all()
    document.refresh_from_db()
    (after,) = statement(kind, document, school=school)
    assert (after.version, after.media_type) == (2, "application/pdf")
