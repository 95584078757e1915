"""The practice question that a tutor offers after an answer."""

from __future__ import annotations

from chatbots.models import Chat, MessageStatus
from corpus.embedding.active_model import active_embedder
from corpus.sources import Query
from engines.errors import EngineError
from learning.models import Question, StudyPlan
from learning.tutoring.source import match_concepts


def offered_question(plan: StudyPlan, chat: Chat) -> Question | None:
    """A question of the concept that the conversation's last answered question is about, if it can be practised."""
    message = chat.messages.filter(status=MessageStatus.DONE).order_by("-created_at", "-pk").first()
    if message is None:
        return None
    try:
        query = Query.of(message.searched_for or message.question, active_embedder())
    except EngineError:
        return None
    for concept in match_concepts(query, list(plan.active_concepts()), plan.language):
        question = Question.objects.filter(concept=concept).shown().select_related("concept").first()
        if question:
            return question
    return None
