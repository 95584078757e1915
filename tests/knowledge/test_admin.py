"""The operator's desk: everything can be found, nothing can be corrupted (S4)."""

from typing import Any

import pytest
from django.contrib import admin
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse

from knowledge.models import PersonalChunk, PersonalDocument, PersonalVersion
from school_library.models import SchoolChunk, SchoolDocument, SchoolVersion
from schools.models import User
from tests.factories import Cast, personal_document, school_document

MODELS = [PersonalDocument, PersonalVersion, PersonalChunk, SchoolDocument, SchoolVersion, SchoolChunk]


@pytest.fixture
def operator(cast: Cast) -> Client:
    personal_document(cast.alice)
    school_document(cast.carol)
    client = Client()
    client.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    return client


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_listed_searched_and_opened(operator: Client, model: Any) -> None:
    listed = operator.get(address(model, "changelist"), {"q": "acids" if "Personal" in model.__name__ else "safety"})
    row = model._default_manager.first()
    assert address(model, "change", row.pk) in listed.content.decode()
    assert operator.get(address(model, "change", row.pk)).status_code == 200
    assert operator.get(address(model, "add")).status_code == 403


@pytest.mark.parametrize("model", [PersonalVersion, PersonalChunk, SchoolVersion, SchoolChunk])
def test_what_indexing_writes_is_only_read(operator: Client, model: Any) -> None:
    row = model._default_manager.first()
    before = model._default_manager.filter(pk=row.pk).values().get()
    assert operator.post(address(model, "change", row.pk), {"text": "x", "filename": "x"}).status_code == 403
    assert operator.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model._default_manager.filter(pk=row.pk).values().get() == before


@pytest.mark.parametrize("model", [PersonalDocument, SchoolDocument])
def test_of_a_document_only_its_description_can_be_changed(operator: Client, model: Any) -> None:
    (page,) = [a for m, a in admin.site._registry.items() if m is model]
    open_fields = {field.name for field in model._meta.concrete_fields} - {*page.readonly_fields, "id"}
    described = {"title", "description", "subject", "grade", "is_published"}
    assert open_fields <= described


@pytest.mark.parametrize("how", ["delete", "action"])
def test_deleting_a_document_takes_everything_with_it(
    operator: Client, how: str, django_capture_on_commit_callbacks: Any
) -> None:
    document = PersonalDocument.objects.get()
    stored = document.newest.file.name
    with django_capture_on_commit_callbacks(execute=True):
        if how == "delete":
            url = address(PersonalDocument, "delete", document.pk)
            assert "acids" in operator.get(url).content.decode()
            operator.post(url, {"post": "yes"})
        else:
            data = {"action": "delete_selected", "_selected_action": str(document.pk), "post": "yes"}
            operator.post(address(PersonalDocument, "changelist"), data)
    assert not PersonalDocument.objects.exists()
    assert not PersonalChunk.objects.exists()
    assert not default_storage.exists(stored)
