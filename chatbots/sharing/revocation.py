"""End access to a chatbot, and stop the answers that are being written to those who lose it.

Open streams end with their answers; `chatbots.streaming.access` also checks every few seconds who may still read.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.db.models.signals import post_delete
from django.dispatch import receiver

from chatbots.conversations.deletion import hide_chatbot
from chatbots.models import Chatbot, Collaborator, Message, MessageQuerySet
from chatbots.streaming import jobs

DELETED = "This answer was stopped because its chatbot was deleted."
NOT_SHARED = "This answer was stopped because the chatbot is no longer shared with you."
WITHOUT_DOCUMENTS = "This answer was stopped because the chatbot’s owner changed what it may read. Ask again."


def delete_chatbot(chatbot: Chatbot) -> None:
    """Hide a chatbot with its conversations, and stop its answers. It can be restored until it is erased."""
    hide_chatbot(chatbot)
    _stop(Message.objects.filter(chat__chatbot=chatbot), DELETED)


def set_document_consent(chatbot: Chatbot, *, is_given: bool) -> None:
    """Let colleagues have answers from the owner's documents, or not.

    Answers to colleagues that are being written are stopped when the consent ends; finished ones stay.
    """
    Chatbot.objects.filter(pk=chatbot.pk).update(colleagues_get_documents=is_given)
    if not is_given:
        to_others = Message.objects.filter(chat__chatbot=chatbot).exclude(
            chat__participant__user=F("chat__chatbot__owner")
        )
        _stop(to_others, WITHOUT_DOCUMENTS)


@receiver(post_delete, sender=Collaborator)
def _stop_answers(instance: Collaborator, **_: object) -> None:
    """The owner has ended it, or one of the two has left the school: then the membership's deletion comes here."""
    messages = Message.objects.filter(
        chat__chatbot=instance.chatbot_id, chat__participant__user=instance.membership.user
    )
    _stop(messages, NOT_SHARED)


def _stop(messages: MessageQuerySet, notice: str) -> None:
    """Stop these answers once the transaction is committed: only then do their readers find that they are gone."""

    def stop() -> None:
        for key in messages.unfinished().values_list("pk", flat=True):
            jobs.stop(key, notice, checks_first=False)

    transaction.on_commit(stop)
