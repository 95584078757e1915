from celery import shared_task

from chatbots.deleting import erase_old
from chatbots.live import interrupt_abandoned
from chatbots.school_log import erase_old as erase_old_log


@shared_task
def interrupt_abandoned_answers() -> int:
    """Answers whose web process died end as "interrupted", with a way to try again."""
    return interrupt_abandoned()


@shared_task
def erase_deleted_conversations() -> int:
    """Conversations that were deleted longer ago than they are kept are erased."""
    return erase_old()


@shared_task
def erase_logged_questions() -> int:
    """What the question log has kept for its time is erased."""
    return erase_old_log()
