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


def rows_of_participant(user: User, school: School) -> Iterator[tuple[type[models.Model], QuerySet[Any]]]:
    """The rows that hang on the person as somebody who asks and learns."""
    participants = Participant.objects.filter(school=school, user=user)
    for model, field in _keys_to(Participant):
        yield model, model._base_manager.filter(school=school, **{f"{field}__in": participants})


def _keys_to(target: type[models.Model]) -> Iterator[tuple[type[models.Model], str]]:
    for model in apps.get_models():
        if issubclass(model, SchoolOwned):
            for field in model._meta.concrete_fields:
                points = isinstance(field, models.ForeignKey) and field.related_model is target
                if points and getattr(field.remote_field, "on_delete", None) is models.CASCADE:
                    yield model, field.name
