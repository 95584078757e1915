"""Frequent queries whose SQL is built once in a process: building it takes Django longer than PostgreSQL needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models


class BuiltOnce:
    """A queryset that depends on a few values, for its rows as tuples.

    `build` gets as many values and returns the queryset, which must name what it selects. The samples are values that
    stand nowhere else in the statement: in their places each call puts its own.
    """

    def __init__(self, build: Callable[..., models.QuerySet[Any, Any]], *samples: object) -> None:
        self._build, self._samples = build, samples

    def rows(self, *values: Any) -> list[tuple[Any, ...]]:
        text, parameters = self._built
        given = dict(zip(self._samples, values, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(text, [given.get(parameter, parameter) for parameter in parameters])
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    @cached_property
    def _built(self) -> tuple[str, list[Any]]:
        query = self._build(*self._samples).query
        converted = [one for one in query.select if one.get_db_converters(connection)]
        assert not converted, f"rows come as PostgreSQL sends them, which does not suit {converted}"
        text, parameters = query.sql_with_params()
        assert all(parameters.count(sample) for sample in self._samples), "a value has no place in the statement"
        return text, list(parameters)


def columns(model: type[models.Model], path: str = "") -> list[str]:
    """The names of all columns of a model for `values_list`; `path` leads to it, such as “membership__”."""
    return [f"{path}{field.attname}" for field in model._meta.concrete_fields]


def instances(row: tuple[object, ...], selected: Mapping[str, type[models.Model]]) -> list[Any]:
    """An instance of each model, by the path that led to it, from a row of all their columns."""
    values = iter(row)
    return [
        model.from_db(DEFAULT_DB_ALIAS, columns(model), list(islice(values, len(model._meta.concrete_fields))))
        for model in selected.values()
    ]
