"""Every table with data of people is declared: so it is exported, erased with its person, and erased in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models

from chatbots.models import Participant
from classrooms.models import Pupil
from config.background_tasks import make_schedule
from privacy.models import ErasureKind
from privacy.registry import PersonalData, list_declared
from schools.models import Membership, SchoolOwned, User

PEOPLE = {User, Membership, Participant, Pupil}

# Models that point to a person or have text of somebody, and are not declared: why.
NOT_DECLARED = {
    "account.EmailConfirmation": "goes with the address, and is not used: links are signed",
    "auth.Group": "of Django’s admin: no group is made",
    "auth.Permission": "of Django’s admin: words of the program",
    "chatbots.ChatbotSource": "a kind of source and its weight; goes with the chatbot",
    "evaluation.EvaluationRun": "what test questions found; goes with the chatbot",
    "chatbots.MessageSource": "passages of documents; in the file of the conversation, and goes with the message",
    "classrooms.ClassroomSettings": "what a school decides",
    "contenttypes.ContentType": "names of models",
    "corpus.Installation": "which embedding model answers",
    "corpus.NextVector": "vectors of chunks during a move; goes with the chunks",
    "knowledge.PersonalChunk": "made from the file of a document for searching; goes with the document",
    "lti.Platform": "what an operator sets up for a school",
    "lti.ResourceLink": "an activity that opens a class; goes with the class",
    "references.ApprovedPage": "pages of the web that a school allows, with the reason",
    "references.ApprovedTopic": "names of topics of a school",
    "references.Archive": "a file of the installation",
    "school_library.SchoolChunk": "made from documents of the school for searching",
    "school_library.SchoolDocument": "of the school",
    "accounts.IdentityProvider": "what an operator sets up for a school",
    "schools.School": "the school",
    "schools.User": "the account: in person.json, and erased last, if no other school has anything of the person",
    "socialaccount.SocialApp": "stays empty: providers are rows of schools",
    "socialaccount.SocialToken": "stays empty",
}


def is_personal(field: models.Field[Any, Any]) -> bool:
    """Whether a column names a person, or holds text that is no choice of ours."""
    if field.is_relation:
        return field.related_model in PEOPLE
    return isinstance(field, models.CharField | models.TextField | models.JSONField) and not field.choices


def personal_models() -> Iterator[type[models.Model]]:
    for model in apps.get_models():
        if any(is_personal(field) for field in model._meta.concrete_fields):
            yield model


def list_keys(data: PersonalData) -> list[models.ForeignKey[Any, Any]]:
    """The foreign keys on the path of a table to the account of a person."""
    keys: list[Any] = []
    model: Any = data.model
    for name in data.path.split("__"):
        keys.append(model._meta.get_field(name))
        model = keys[-1].related_model
    assert model is User, f"{data.model._meta.label}: {data.path} does not lead to a person"
    return keys


def test_every_table_with_data_of_people_is_declared() -> None:
    declared = {data.model._meta.label for data in list_declared()}
    found = {model._meta.label for model in personal_models()}
    missing = found - declared - set(NOT_DECLARED)
    assert not missing, "declare them in the app’s personal_data.py, or say in NOT_DECLARED why not"
    assert set(NOT_DECLARED) <= found - declared, "stale: take them out of NOT_DECLARED"


def test_no_table_is_declared_twice() -> None:
    declared = [data.model for data in list_declared()]
    assert len(declared) == len(set(declared))


def test_every_row_goes_with_its_person() -> None:
    """Each key on the path cascades; where the name is blanked, the key may be empty."""
    for data in list_declared():
        if data.path:
            wanted = models.SET_NULL if data.blanks else models.CASCADE
            assert {key.remote_field.on_delete for key in list_keys(data)} == {wanted}, data.model
            assert not data.blanks or list_keys(data)[0].null
        else:
            assert data.due or data.keeps, f"{data.model}: it names nobody, so what is declared of it?"


def test_every_key_to_an_account_is_a_declared_path() -> None:
    """Rows that would outlive the erasure of their person in a school, because no path begins with the key."""
    paths = {(data.model, data.path.partition("__")[0]) for data in list_declared()}
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            rule = getattr(field.remote_field, "on_delete", None)
            if field.related_model is User and rule is models.CASCADE:
                assert (model, field.name) in paths, (model, field.name)


def test_only_rows_of_a_school_are_erased_by_themselves() -> None:
    for data in list_declared():
        assert not data.erase or issubclass(data.model, SchoolOwned)
        assert not data.blanks or issubclass(data.model, SchoolOwned)


def test_each_kind_of_certificate_has_its_table() -> None:
    kinds = sorted(data.kind for data in list_declared() if data.kind)
    assert kinds == sorted(set(ErasureKind.values) - {ErasureKind.PERSON})


def test_one_task_erases_what_is_old() -> None:
    tasks = [task for task in make_schedule() if "erase" in task]
    assert tasks == ["privacy.tasks.erase_old"]
