from celery import shared_task

from rest.idempotency import erase_old


@shared_task
def erase_kept_answers() -> int:
    """Answers of requests with an Idempotency-Key are erased when they are older than a day."""
    return erase_old()
