"""Nightly erasure of what is over and belongs to no school."""

from celery import shared_task

from accounts import browsers


@shared_task
def erase_ended_sessions() -> int:
    """Erase sessions that have expired. Returns how many."""
    return browsers.erase_ended()
