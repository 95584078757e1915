"""Frequent queries whose SQL is built once in a process: building it takes Django longer than PostgreSQL needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, models


class BuiltOnce:
    """A queryset that depends on ids only, for its rows as tuples.

    `build` gets that many ids and returns the queryset, which must name its values and may have no converters.
    """

    def __init__(self, build: Callable[..., models.QuerySet[Any, Any]], ids: int) -> None:
        self._build, self._places = build, [uuid4() for _ in range(ids)]

    def rows(self, *ids: UUID) -> list[tuple[Any, ...]]:
        """The rows for these ids."""
        text, parameters = self._built
        given = dict(zip(self._places, ids, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(text, [given.get(value, value) for value in parameters])
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    @cached_property
    def _built(self) -> tuple[str, list[Any]]:
        text, parameters = self._build(*self._places).query.sql_with_params()
        assert all(parameters.count(place) for place in self._places), "an id has no place in the statement"
        return text, list(parameters)
