"""What the person who asked thinks of an answer: one verdict, which can be changed and taken back."""

from __future__ import annotations

from chatbots.models import Feedback, Message, Verdict


def save_feedback(message: Message, *, verdict: str, reason: str = "", words: str = "") -> Feedback:
    """Keep this verdict in place of an earlier one; why is asked only of an answer that did not help."""
    kept = {"reason": reason, "words": words} if verdict == Verdict.DOWN else {"reason": "", "words": ""}
    given, _ = Feedback.objects.update_or_create(
        message=message, defaults={"school_id": message.school_id, "verdict": verdict, **kept}
    )
    return given


def delete_feedback(message: Message) -> None:
    Feedback.objects.filter(message=message).delete()
