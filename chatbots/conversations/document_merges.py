"""What of chatbots hangs on a document goes along when the document goes into another."""

from __future__ import annotations

from typing import Any

from django.db.models import F
from django.dispatch import receiver

from chatbots.models import MessageSource, TestQuestion
from corpus.signals import document_merged


@receiver(document_merged)
def follow(document: Any, into: Any, after: int, **_: Any) -> None:
    """Chatbots that read the one read the other, and sources of old answers are found there, each in its version.
    Test questions expect the other."""
    linked = into.chatbot_links.values("chatbot")
    document.chatbot_links.exclude(chatbot__in=linked).update(document=into)
    sources = MessageSource.objects.filter(document_id=document.pk)
    sources.update(document_id=into.pk, version=F("version") + after)
    expected = TestQuestion.objects.filter(document_id=document.pk)
    expected.update(document_id=into.pk, document_title=into.title)
