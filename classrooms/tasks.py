from celery import shared_task

from classrooms.mails import mail_flags
from classrooms.moderation import read_new


@shared_task
def mail_new_flags() -> int:
    """Those whom a school has named are told by mail of concerns that were found."""
    return mail_flags()


@shared_task
def moderate_new_questions() -> int:
    """Where a school wants it, the language model reads what pupils asked and were answered."""
    return read_new()
