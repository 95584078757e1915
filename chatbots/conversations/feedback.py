"""Feedback on an answer by the person who asked: one verdict, which can be changed and withdrawn."""

from __future__ import annotations

from chatbots.models import Feedback, FeedbackVerdict, Message


def save_feedback(message: Message, *, verdict: str, reason: str = "", words: str = "") -> Feedback:
    """Store a verdict in place of an earlier one. Reason and words are kept only with a negative one."""
    kept = {"reason": reason, "words": words} if verdict == FeedbackVerdict.DOWN else {"reason": "", "words": ""}
    feedback, _ = Feedback.objects.update_or_create(
        message=message, defaults={"school_id": message.school_id, "verdict": verdict, **kept}
    )
    return feedback


def delete_feedback(message: Message) -> None:
    """Withdraw the feedback on an answer, if there is any."""
    Feedback.objects.filter(message=message).delete()
