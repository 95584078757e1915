from celery import shared_task

from privacy import erasing


@shared_task(time_limit=4 * 3600)  # all tables of all schools, one after the other
def erase_old() -> dict[str, int]:
    """What has been stored for its time is erased, in all tables with personal data."""
    return dict(erasing.erase_old())
