"""Every row of a school says so, and cannot point to a row of another school (S2)."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from knowledge.models import PersonalChunk, PersonalDocument
from schools.constraints import SameSchool
from schools.models import School, User

OURS = {
    *("schools", "rest", "knowledge", "school_library", "chatbots", "demo", "operations", "corpus"),
    *("accounts", "evaluation", "references", "learning", "classrooms", "lti", "privacy"),
}

# Models that belong to no school, each with the reason.
WITHOUT_SCHOOL = {
    "schools.School": "is the school",
    "demo.DemoLoad": "one row about the installation: whether the demo is in place",
    "corpus.Installation": "one row about the installation: which embedding model answers",
    "references.Archive": "a ZIM file of the installation, the same for every school that allows it",
    "schools.AuditEntry": "names its school, but a failed sign-in may have none: see tests/schools/test_audit.py",
    "schools.User": "a person may belong to several schools; memberships carry the school",
}


def our_models() -> list[type[models.Model]]:
    found: list[Any] = [m for m in apps.get_models(include_auto_created=True) if m._meta.app_label in OURS]
    return found


def labels() -> list[str]:
    return [model._meta.label for model in our_models()]


def test_the_list_of_exceptions_is_not_stale() -> None:
    assert set(WITHOUT_SCHOOL) | {"schools.User_groups", "schools.User_user_permissions"} <= set(labels())


def school_owned() -> Iterator[type[models.Model]]:
    for model in our_models():
        if model._meta.label not in WITHOUT_SCHOOL and not model._meta.auto_created:
            yield model


def test_every_row_carries_its_school() -> None:
    for model in school_owned():
        field: Any = model._meta.get_field("school")
        assert not field.null, model
        assert field.related_model is School, model


def test_every_pointer_between_rows_of_schools_is_held_by_a_composite_key() -> None:
    owned = set(school_owned())
    for model in owned:
        held = {c.field for c in model._meta.constraints if isinstance(c, SameSchool)}
        pointers = {
            field.name
            for field in model._meta.get_fields()
            if isinstance(field, models.ForeignKey) and field.related_model in owned
        }
        assert pointers == held, f"{model._meta.label}: {pointers ^ held}"


@pytest.mark.django_db
def test_the_database_has_these_keys() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT conname FROM pg_constraint WHERE contype = 'f' AND array_length(conkey, 1) = 2")
        present = {name for (name,) in cursor.fetchall()}
    declared = {c.name for model in school_owned() for c in model._meta.constraints if isinstance(c, SameSchool)}
    assert declared == present


@pytest.mark.django_db(transaction=True)
def test_a_chunk_cannot_point_across_schools() -> None:
    here, there = (School.objects.create(name=name, slug=name) for name in ("here", "there"))
    owner = User.objects.create_user("alice@here.example", name="Alice")
    document = PersonalDocument.objects.create(school=here, owner=owner, title="Plan")
    values = {
        "document": document,
        "position": 0,
        "block": 0,
        "text": "text",
        "tokens": 1,
        "content_hash": "0",
        "embedding": [1.0] * 384,
        "embedding_model": "m",
        "search": "",
    }
    PersonalChunk.objects.create(school=here, **values)
    with pytest.raises(IntegrityError, match="personal_chunk_document"), transaction.atomic():
        PersonalChunk.objects.create(school=there, **(values | {"position": 1}))
