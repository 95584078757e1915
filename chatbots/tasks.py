from celery import shared_task

from chatbots.conversations.deletion import erase_old_chatbots, erase_old_chats
from chatbots.question_log.store import erase_old as erase_old_log
from chatbots.streaming.jobs import interrupt_abandoned, verify_abandoned


@shared_task
def interrupt_abandoned_answers() -> int:
    """Answers whose web process died end as "interrupted", with a way to try again. Finished ones are verified."""
    verify_abandoned()
    return interrupt_abandoned()


@shared_task
def erase_deleted_conversations() -> int:
    """Conversations that were deleted longer ago than they are kept are erased."""
    return erase_old_chats()


@shared_task
def erase_deleted_chatbots() -> int:
    """Chatbots that were deleted longer ago than they are kept are erased, with their conversations."""
    return erase_old_chatbots()


@shared_task
def erase_logged_questions() -> int:
    """What the question log has kept for its time is erased."""
    return erase_old_log()
