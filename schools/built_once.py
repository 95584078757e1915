"""Frequent queries whose SQL is built once in a process: building it takes Django longer than PostgreSQL needs."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models

T = TypeVar("T")


class BuiltOnce(Generic[T]):
    """A queryset that depends on a few values, for what it yields.

    `build` gets as many values and returns the queryset. The samples are values that stand nowhere else in the
    statement: in their places each call puts its own.
    """

    def __init__(self, build: Callable[..., models.QuerySet[Any, T]], *samples: object) -> None:
        self._build, self._samples = build, samples

    def fetch(self, *values: Any) -> list[T]:
        queryset, compiler, text, parameters = self._built
        given = dict(zip(self._samples, values, strict=True))
        own, rows = copy(compiler), queryset.all()
        own.connection = connections[DEFAULT_DB_ALIAS]  # of this thread
        own.as_sql = lambda: (text, [given.get(parameter, parameter) for parameter in parameters])
        rows.query.get_compiler = lambda *_, **__: own
        return list(rows)

    @cached_property
    def _built(self) -> tuple[Any, Any, str, list[Any]]:
        queryset = self._build(*self._samples)
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        text, parameters = compiler.as_sql()
        assert all(parameters.count(sample) for sample in self._samples), "a value has no place in the statement"
        return queryset, compiler, text, list(parameters)
