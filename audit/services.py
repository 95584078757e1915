"""Search the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from corpus.web.csv_file import csv_time
from schools.audit.actions import Action
from schools.audit.models import AuditEntry, AuditQuerySet
from schools.models import Membership

COLUMNS = ("time", "person", "e-mail", "action", "subject", "kind", "details", "address", "device")


def search_audit_log(
    member: Membership,
    *,
    words: str = "",
    action: str = "",
    actor: UUID | None = None,
    since: date | None = None,
    until: date | None = None,
) -> AuditQuerySet:
    """The log of an admin's school, the newest first. Each of the words stands somewhere. Both days are included."""
    rows = AuditEntry.objects.for_member(member)
    for word in words.split():
        named = [choice.value for choice in Action if word.casefold() in choice.label.casefold()]
        rows = rows.filter(
            Q(actor_name__reads=word)
            | Q(actor_email__reads=word)
            | Q(subject_label__reads=word)
            | Q(address__reads=word)
            | Q(action__in=named)
        )
    if action:
        rows = rows.filter(action=action)
    if actor:
        rows = rows.filter(actor_id=actor)
    if since:
        rows = rows.filter(at__gte=_midnight(since))
    if until:
        rows = rows.filter(at__lt=_midnight(until + timedelta(days=1)))
    return rows


def write_audit_lines(rows: Iterable[AuditEntry]) -> Iterator[tuple[str, ...]]:
    """The rows as `COLUMNS`."""
    for row in rows:
        yield (
            csv_time(row.at, "seconds"),
            row.actor_name,
            row.actor_email,
            row.words,
            row.subject_label,
            row.subject_kind,
            row.facts,
            row.address,
            row.device,
        )


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
