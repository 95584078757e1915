from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from privacy.registry import PersonalData, Rows, declare
from schools.audit.models import AuditEntry


def _find_due() -> Rows:
    """Also tell the database for how long entries are kept: until it knows, it lets none go (ADR 29)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lectern.audit_days', %s, true)", [str(settings.LECTERN_AUDIT_DAYS)])
    return AuditEntry.objects.filter(at__lt=timezone.now() - timedelta(days=settings.LECTERN_AUDIT_DAYS))


def _describe_kept() -> str:
    return f"The audit log, which names who did what, for {settings.LECTERN_AUDIT_DAYS} days after it was done."


declare(PersonalData(AuditEntry, due=_find_due, keeps=_describe_kept))
