"""The list of tables that hold data of people. Each app declares its own when it starts.

What is declared here is exported, erased with its person, and erased when its time is over: `privacy.exporting` and
`privacy.erasing` know no table by name. A guard fails for a table that is not declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.fields.files import FieldFile
from django.db.models.query import QuerySet
from django.utils import timezone

from schools.models import Membership, School, SchoolOwned, User

Rows = QuerySet[Any]
File = tuple[str, str | bytes | FieldFile]
Eraser = Callable[[Rows, Any, Membership | None], Any]


@dataclass(frozen=True)
class PersonalData:
    """What one table holds of people. Rows are deleted with their person unless `blanks` or `keeps` says otherwise."""

    model: type[models.Model]
    _: KW_ONLY
    user: str = ""
    """Path to the account of the person. Its foreign keys cascade."""
    participant: str = ""
    """Instead of `user`: path to who asked, with or without an account."""
    is_recorded: bool = True
    """Whether the person's export has the rows as a table."""
    files: Callable[[Rows], Iterable[File]] | None = None
    """Readable files of the rows, for the person's export."""
    guest_file: tuple[str, Mapping[str, str]] | None = None
    """For the export of a person without an account: name of the file, and its columns by their names there."""
    guest_words: Callable[[Rows], str] | None = None
    """The same in sentences."""
    erase: Eraser | None = None
    """Erase the row of a key, if it is still among these rows, asked by a member or by nobody. Default: delete it."""
    kind: str = ""
    """The `ErasureKind` by which the API erases a row that a member reaches. `erase` returns the certificate then."""
    due: Callable[[], Rows] | None = None
    """The rows that have been stored for their time."""
    blanks: bool = False
    """Keep rows of an erased person without the name."""
    keeps: Callable[[], str] | None = None
    """What a certificate says of rows that stay when a person is erased. Empty: nothing stays."""

    @property
    def path(self) -> str:
        """The path to the account; empty where no row names a person."""
        return self.user or (self.participant and f"{self.participant}__user")

    @property
    def is_root(self) -> bool:
        """Whether rows are a person's by themselves. All others go with rows of other tables."""
        return bool(self.user) and "__" not in self.user and issubclass(self.model, SchoolOwned) and not self.blanks

    def find_rows(self, user: User, school: School | None = None) -> Rows:
        """Return the person's rows in a school; in all schools without one, or where the rows belong to none."""
        rows = self.model._base_manager.filter(**{self.path: user}) if self.path else self.model._base_manager.none()
        return rows.filter(school=school) if school and issubclass(self.model, SchoolOwned) else rows

    def find_guest_rows(self, participant: Any) -> Rows:
        """Return the rows of a participant."""
        return self.model._base_manager.filter(**{self.participant: participant}).order_by("pk")


def older_than(model: type[models.Model], column: str, days: str | timedelta) -> Callable[[], Rows]:
    """Make a `due`: rows whose time in `column` is longer ago than a setting says in days, or a fixed time."""

    def find_due() -> Rows:
        kept = timedelta(days=getattr(settings, days)) if isinstance(days, str) else days
        return model._default_manager.filter(**{f"{column}__lt": timezone.now() - kept})

    return find_due


_declared: list[PersonalData] = []


def declare(data: Iterable[PersonalData]) -> None:
    """Add tables, from `AppConfig.ready`. Of an erased person those that were declared last are erased first."""
    _declared.extend(data)


def list_declared() -> Sequence[PersonalData]:
    """Return all tables that were declared, in order."""
    return _declared
