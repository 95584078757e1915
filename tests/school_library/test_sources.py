"""A source keeps to its scope even when it is built with too many documents."""

from __future__ import annotations

import pytest

from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from school_library.models import SchoolDocument
from school_library.sources import SchoolSource
from tests.factories import Cast, personal_document, school_document

pytestmark = pytest.mark.django_db


def test_the_library_source_has_published_documents_of_its_school_only(people: Cast) -> None:
    shown, withdrawn = school_document(people.carol), school_document(people.carol, "# B\n\nText.\n", "b.md")
    elsewhere = school_document(people.chloe)
    SchoolDocument.objects.filter(pk=withdrawn.pk).update(is_published=False)
    source = SchoolSource(
        people.carol.school, SchoolDocument.objects.filter(pk__in=[shown.pk, withdrawn.pk, elsewhere.pk])
    )
    assert set(source.documents) == {shown.pk}


def test_the_personal_source_has_documents_of_its_school_only(people: Cast) -> None:
    own, elsewhere = personal_document(people.alice), personal_document(people.charlie)
    source = PersonalSource(people.alice.school, PersonalDocument.objects.filter(pk__in=[own.pk, elsewhere.pk]))
    assert set(source.documents) == {own.pk}
