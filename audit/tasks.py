from celery import shared_task

from audit.services import erase_old


@shared_task
def erase_audit_entries() -> int:
    """What the audit log has kept for its time is erased."""
    return erase_old()
