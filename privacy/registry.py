"""The list of tables that hold data of people. Each app declares its own in its `personal_data.py`.

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


@dataclass(frozen=True)
class PersonalData:
    """What a table holds of people. Its rows go with their person, unless `blanks` or `keeps` says otherwise."""

    model: type[models.Model]
    _: KW_ONLY
    # Who it is: the path to the account, or to the participant, who may have none. All keys on it cascade.
    user: str = ""
    participant: str = ""
    # Export: as a table, and as readable files. Without an account: a file with columns by their names, or sentences.
    is_recorded: bool = True
    files: Callable[[Rows], Iterable[File]] | None = None
    guest_file: tuple[str, Mapping[str, str]] | None = None
    guest_words: Callable[[Rows], str] | None = None
    # Erasing: how the row of a key is erased, if it is still one of the rows, for a member or for nobody; by which
    # `ErasureKind` the API erases it, which wants a certificate then; whether rows lose only the name; what a
    # certificate says of rows that stay.
    erase: Callable[[Rows, Any, Membership | None], Any] | None = None
    kind: str = ""
    blanks: bool = False
    keeps: Callable[[], str] | None = None
    # Term: the rows that have been stored for their time.
    due: Callable[[], Rows] | None = None

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

    def find_guest_rows(self, participant: object) -> Rows:
        return self.model._base_manager.filter(**{self.participant: participant}).order_by("pk")


def make_due_filter(model: type[models.Model], column: str, days: str | timedelta) -> Callable[[], Rows]:
    """Make a `due`: rows whose time in `column` is longer ago than a setting says in days, or a fixed time."""

    def find_due() -> Rows:
        kept = timedelta(days=getattr(settings, days)) if isinstance(days, str) else days
        return model._default_manager.filter(**{f"{column}__lt": timezone.now() - kept})

    return find_due


_declared: list[PersonalData] = []


def declare(*data: PersonalData) -> None:
    """Add tables. Of an erased person those that were declared last are erased first: apps by INSTALLED_APPS."""
    _declared.extend(data)


def list_declared() -> Sequence[PersonalData]:
    """Return all tables that were declared, in order."""
    return _declared
