from celery import shared_task

from classrooms.erasing import erase_old


@shared_task
def erase_old_classes() -> int:
    """Classes that have been kept for their days after the end are erased, with everything that pupils asked."""
    return erase_old()
