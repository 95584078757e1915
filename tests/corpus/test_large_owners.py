"""Owners of very many chunks have indexes of their own, which searches of as large scopes use."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from corpus.search import hybrid_sql, large_owners
from corpus.search.pool import close_search_connections, search_connection
from corpus.sources import Query
from corpus.tasks import index_large_owners
from engines.embedding import get_embedder
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from school_library.models import SchoolDocument
from school_library.services import set_published
from school_library.sources import SchoolSource
from schools.models import School
from tests.factories import Cast, personal_document, school_document

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("small_numbers")]

RULES = "".join(f"## Rule {n}\n\nCode LS-{n:02} says how room {n} is checked.\n\n" for n in range(1, 31))


@pytest.fixture
def small_numbers(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An owner is large from 20 chunks on; all of them are in the sample."""
    monkeypatch.setattr(large_owners, "MIN_CHUNKS", 20)
    monkeypatch.setattr(hybrid_sql, "SAMPLED", 1)
    hybrid_sql.search_sql.cache_clear()
    large_owners.forget_indexes()
    close_search_connections()
    yield
    monkeypatch.undo()
    index_large_owners()  # drops them
    hybrid_sql.search_sql.cache_clear()
    close_search_connections()


def indexes() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(r"SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'large\_%' ORDER BY indexdef")
        return [row[0] for row in cursor.fetchall()]


Scored = tuple[Any, float, float]  # key, score, relevance


def found(school: School, text: str = "Which room does LS-17 say?", limit: int = 5) -> tuple[bool, list[Scored]]:
    """Whether candidates were scored, and what was found with which score."""
    source = SchoolSource(school, SchoolDocument.objects.all())
    steps = source.prepared(Query.of(text, get_embedder()), limit).begin()
    texts = []
    statement = next(steps)
    try:
        while True:
            texts.append(statement.text)
            with search_connection() as lent:
                rows = statement.execute(lent).fetchall()
            statement = steps.send(rows)
    except StopIteration as end:
        return "candidate" in texts[-1], [(one.key, round(one.score, 6), round(one.relevance, 6)) for one in end.value]


def test_a_large_library_gets_indexes_and_is_searched_by_them(people: Cast) -> None:
    school_document(people.carol, f"# Rules\n\n{RULES}")
    school = people.carol.school
    by_scan = found(school)
    assert by_scan[0] is False and not indexes()
    index_large_owners()
    stems, vectors = indexes()
    assert "gin (search)" in stems and "hnsw" in vectors
    assert all(f"school_id = '{school.pk}'" in one for one in (stems, vectors))
    by_index = found(school)
    assert by_index[0] is True and by_index[1] == by_scan[1] and len(by_scan[1]) == 5


def test_quoted_phrases_and_many_stems_are_searched_for_all_the_same(people: Cast) -> None:
    school_document(people.carol, f"# Rules\n\n{RULES}")
    asked = ['Where does it say "how room 21"?', " ".join(f"word{n}" for n in range(70)) + " room 8", "the of and"]
    by_scan = [found(people.carol.school, text)[1] for text in asked]
    index_large_owners()
    assert [found(people.carol.school, text) for text in asked] == [(True, one) for one in by_scan]


def test_nobody_elses_text_and_nothing_withdrawn_is_found(people: Cast) -> None:
    own = school_document(people.carol, f"# Rules\n\n{RULES}")
    foreign = school_document(people.chloe, f"# Other rules\n\n{RULES}")
    index_large_owners()
    assert len(indexes()) == 4
    for member, document in ((people.carol, own), (people.chloe, foreign)):
        is_by_index, passages = found(member.school, limit=30)
        assert is_by_index and {key[1] for key, _, _ in passages} == {str(document.pk)}
    set_published(document=own, published=False)
    assert not SchoolSource(people.carol.school, SchoolDocument.objects.filter(pk=own.pk)).documents


def test_a_small_scope_of_a_large_owner_is_scanned(people: Cast) -> None:
    personal_document(people.alice, f"# Rules\n\n{RULES}")
    small = personal_document(people.alice, "# Acid\n\nAcid is kept in room 99.\n", "acid.md")
    index_large_owners()
    assert len(indexes()) == 2
    source = PersonalSource(people.alice.school, PersonalDocument.objects.filter(pk=small.pk))
    assert ["99" in one.excerpt for one in source.search(Query.of("acid", get_embedder()), 5)] == [True]


def test_the_indexes_go_with_the_text_and_are_made_once(people: Cast) -> None:
    document = school_document(people.carol, f"# Rules\n\n{RULES}")
    index_large_owners()
    made = indexes()
    index_large_owners()
    assert indexes() == made
    document.chunks.filter(position__gte=5).delete()
    index_large_owners()
    assert indexes() == []
    assert found(people.carol.school)[0] is False


def test_an_index_whose_making_was_killed_is_not_used_and_is_made_again(people: Cast) -> None:
    school_document(people.carol, f"# Rules\n\n{RULES}")
    index_large_owners()
    made = indexes()
    with connection.cursor() as cursor:
        cursor.execute(
            r"UPDATE pg_index SET indisvalid = false WHERE indexrelid IN"
            r" (SELECT oid FROM pg_class WHERE relname LIKE 'large\_%\_vectors')"
        )
    large_owners.forget_indexes()
    assert found(people.carol.school)[0] is False
    index_large_owners()
    assert indexes() == made
    assert found(people.carol.school)[0] is True
