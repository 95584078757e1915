"""Frequent queries whose SQL is built once in a process: building it takes Django longer than PostgreSQL needs."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models

P = ParamSpec("P")
T = TypeVar("T")


def build_once(*samples: object) -> Callable[[Callable[P, models.QuerySet[models.Model, T]]], Callable[P, list[T]]]:
    """Decorate a function that returns a queryset for a few values: calls return what it yields.

    The samples are values that stand nowhere else in the statement: in their places each call puts its own. None is
    refused: SQL compares it with nothing, where a filter by None finds what has no value.
    """

    def decorate(build: Callable[P, models.QuerySet[models.Model, T]]) -> Callable[P, list[T]]:
        @cache
        def prepare() -> tuple[Any, Any, str, list[Any]]:
            make: Callable[..., models.QuerySet[models.Model, T]] = build
            queryset = make(*samples)
            compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
            text, parameters = compiler.as_sql()
            assert all(parameters.count(sample) for sample in samples), "a value has no place in the statement"
            return queryset, compiler, text, list(parameters)

        @wraps(build)
        def fetch(*values: P.args, **_: P.kwargs) -> list[T]:
            assert None not in values, "None equals nothing in SQL"
            queryset, compiler, text, parameters = prepare()
            given = dict(zip(samples, values, strict=True))
            own, query = copy(compiler), copy(queryset.query)
            own.connection = connections[DEFAULT_DB_ALIAS]  # of this thread
            own.as_sql = lambda: (text, [given.get(parameter, parameter) for parameter in parameters])
            query.get_compiler = lambda *_, **__: own
            rows = queryset.__class__.__new__(queryset.__class__)
            vars(rows).update(vars(queryset), _query=query)  # `all` would copy all parts of the query too
            return list(rows)

        return fetch

    return decorate
