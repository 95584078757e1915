"""Record an act in the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from django.db import models
from django.http import HttpRequest

from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.models import Membership, School, User

current_request: ContextVar[HttpRequest | None] = ContextVar("current_request", default=None)
"""The request that is being answered, by which `record` knows who acts and from where. A middleware sets it."""

SIGNED_IN_BY = "signed_in_by"
"""Key of the session: the name of the provider by which the person signed in."""

OUTSIDER = "An operator"
"""Who acts in a school without being its member. Other schools' names for a person are none of its business (S2)."""


def record(
    action: Action,
    *,
    school: School | UUID | None,
    subject: models.Model | None = None,
    label: str = "",
    actor: User | None = None,
    detail: Mapping[str, str | int] | None = None,
) -> None:
    """Add an entry, in the transaction of the act if there is one. Admins of the school will read it.

    `label` is what they recognise the subject by. Neither it nor `detail` may hold text of documents, questions or
    answers, or the name of something private. Without `actor` it is whoever sends the current request.
    """
    request = current_request.get()
    actor = actor or _sender(request)
    school_id = school.pk if isinstance(school, School) else school
    name, email = _called(actor, school_id)
    AuditEntry.objects.create(
        school_id=school_id,
        action=action.value,
        actor_id=actor.pk if actor else None,
        actor_name=name[:120],
        actor_email=email,
        subject_kind=(subject._meta.model_name or "") if subject else "",
        subject_id=str(subject.pk) if subject else "",
        subject_label=label[:200],
        address=request.META.get("REMOTE_ADDR", "")[:45] if request else "",
        device=_clean(request.META.get("HTTP_USER_AGENT", ""))[:160] if request else "",
        detail=dict(detail or {}),
    )


def _sender(request: HttpRequest | None) -> User | None:
    user: Any = getattr(request, "user", None)
    return user if user is not None and user.is_authenticated else None


def _called(actor: User | None, school: UUID | None) -> tuple[str, str]:
    if actor is None:
        return "", ""
    if school is None:
        return str(actor), actor.email
    member = Membership.objects.select_related("user").filter(school=school, user=actor).first()
    return (member.name, actor.email) if member else (OUTSIDER, "")


def _clean(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable())
