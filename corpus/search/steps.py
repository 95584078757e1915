"""A search as the statements that it needs, so that one thread can have those of several searches in flight."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import psycopg
from psycopg.rows import namedtuple_row

from corpus.search.pool import run_with_search_connection

if TYPE_CHECKING:
    from psycopg.rows import TupleRow

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class SqlStatement:
    """A statement in PostgreSQL's own notation ($1, $2, …) with its parameters."""

    text: str
    parameters: Sequence[object]

    def execute(self, connection: psycopg.Connection[TupleRow]) -> psycopg.RawCursor[TupleRow]:
        """Run it, prepared; in a pipeline only send it. The rows are named tuples."""
        cursor = psycopg.RawCursor(connection, row_factory=namedtuple_row)
        return cursor.execute(self.text, self.parameters, prepare=True, binary=True)


Steps = Generator[SqlStatement, list[Any], T]
"""Yields statements, is sent the rows of each, and returns the result."""


@dataclass(frozen=True)
class SearchInSteps(Generic[T]):
    """A search that can be run at once, by calling it, or step by step. `begin` may be called again after a failure."""

    begin: Callable[[], Steps[T]]

    def __call__(self) -> T:
        """Run it on one connection. Raises psycopg.Error, also if it is too slow."""
        return run_with_search_connection(self._run)

    def then(self, change: Callable[[T], U]) -> SearchInSteps[U]:
        """The same search with its result changed."""

        def begin() -> Steps[U]:
            return change((yield from self.begin()))

        return SearchInSteps(begin)

    def _run(self, connection: psycopg.Connection[TupleRow]) -> T:
        steps = self.begin()
        try:
            statement = next(steps)
            while True:
                statement = steps.send(statement.execute(connection).fetchall())
        except StopIteration as end:
            result: T = end.value
            return result
