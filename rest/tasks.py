"""Work of the API that Celery does on a schedule."""

from celery import shared_task
from django.utils import timezone

from rest.idempotency import KEPT
from rest.models import IdempotencyRecord


@shared_task
def erase_idempotency_records() -> int:
    """Erase the answers that are older than a day; returns how many there were."""
    number, _ = IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return number
