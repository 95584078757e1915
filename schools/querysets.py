"""The querysets that keep schools and people apart. Views, API and tasks reach rows only through their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar
from unicodedata import normalize

from django.contrib.auth.base_user import BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.db.models.lookups import IContains

if TYPE_CHECKING:
    from schools.models import Membership, School, User

M = TypeVar("M", bound=models.Model)


@models.CharField.register_lookup
@models.TextField.register_lookup
class Reads(models.Lookup[str]):
    """`icontains` for what people type: H2O finds H₂O, -5 finds −5, and an accent may be a character of its own."""

    lookup_name = "reads"

    def as_sql(self, compiler: Any, connection: object) -> Any:
        template = "REPLACE(NORMALIZE(%(expressions)s, NFKC), '−', '-')"
        plain = models.Func(self.lhs, template=template, output_field=models.TextField())
        return compiler.compile(IContains(plain, normalize("NFKC", str(self.rhs)).replace("−", "-")))


class SchoolQuerySet(models.QuerySet[M]):
    """Rows of one school."""

    def for_school(self, school: School) -> Self:
        return self.filter(school=school)


class OwnedQuerySet(SchoolQuerySet[M]):
    """Rows with an `owner`. Only that person can reach them, in that school (S3)."""

    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, owner=member.user_id)


class UserManager(BaseUserManager["User"]):
    """Finds people by their e-mail address, ignoring case."""

    def with_address(self, email: str) -> models.QuerySet[User]:
        """Who has this address, ignoring case as the unique constraint does.

        PostgreSQL's UPPER, which `iexact` uses, takes ı for i and ſ for s: another domain's address would be found.
        """
        return self.alias(address=Lower("email")).filter(address=email.strip().lower())

    def get_by_natural_key(self, username: str | None) -> User:
        return self.with_address(username or "").get()

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user: User = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)
