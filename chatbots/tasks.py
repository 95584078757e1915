from celery import shared_task

from chatbots.streaming.jobs import interrupt_abandoned


@shared_task
def interrupt_abandoned_answers() -> int:
    """Answers whose web process died end as "interrupted", with a way to try again."""
    return interrupt_abandoned()
