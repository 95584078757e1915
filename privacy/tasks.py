"""Nightly erasure of what is over and belongs to no school."""

from celery import shared_task
from django.contrib.sessions.models import Session
from django.utils import timezone


@shared_task
def erase_ended_sessions() -> int:
    """Erase sessions that have expired, with the devices and addresses noted for them. Returns how many."""
    ended = Session.objects.filter(expire_date__lt=timezone.now())
    count = ended.count()
    ended.delete()
    return count
