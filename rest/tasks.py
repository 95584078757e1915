"""Work of the API that Celery does on a schedule."""

from celery import shared_task

from rest.idempotency import erase_old


@shared_task
def erase_idempotency_records() -> int:
    """Erase the answers that are older than a day; returns how many there were."""
    return erase_old()
