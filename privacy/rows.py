"""The rows of a school that are one person's: found by the foreign keys of all models, so that a new one is not
forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import QuerySet

from chatbots.models import Participant
from schools.models import School, SchoolOwned, User


def rows_of(user: User, school: School) -> Iterator[tuple[type[models.Model], QuerySet[Any]]]:
    """The rows that go with the person: each model with a foreign key to the user that cascades."""
    for model, field in _keys_to(User):
        yield model, model._base_manager.filter(school=school, **{field: user})


def rows_anywhere(user: User) -> Iterator[tuple[type[models.Model], QuerySet[Any]]]:
    """The same in all schools, also in those that the person has left."""
    for model, field in _keys_to(User):
        yield model, model._base_manager.filter(**{field: user})


def rows_of_participant(user: User, school: School) -> Iterator[tuple[type[models.Model], QuerySet[Any]]]:
    """The rows that hang on the person as somebody who asks and learns."""
    participants = Participant.objects.filter(school=school, user=user)
    for model, field in _keys_to(Participant):
        yield model, model._base_manager.filter(school=school, **{f"{field}__in": participants})


def rows_of_account(user: User) -> Iterator[tuple[type[models.Model], QuerySet[Any]]]:
    """The rows that go with the account and belong to no school: addresses, second factors, sessions."""
    for model, field in account_keys():
        yield model, model._base_manager.filter(**{field: user})


def account_keys() -> Iterator[tuple[type[models.Model], str]]:
    """Each model without a school that has a foreign key to a user, with the name of the key."""
    for model in apps.get_models():
        names = {field.name for field in model._meta.concrete_fields}
        if model is not User and "school" not in names:
            for field in model._meta.concrete_fields:
                if isinstance(field, models.ForeignKey) and field.related_model is User:
                    yield model, field.name


def _keys_to(target: type[models.Model]) -> Iterator[tuple[type[models.Model], str]]:
    for model in apps.get_models():
        if issubclass(model, SchoolOwned):
            for field in model._meta.concrete_fields:
                points = isinstance(field, models.ForeignKey) and field.related_model is target
                if points and getattr(field.remote_field, "on_delete", None) is models.CASCADE:
                    yield model, field.name
