"""When a document is merged into another, move the chatbots' references to it."""

from __future__ import annotations

from typing import Any

from django.db.models import F
from django.dispatch import receiver

from chatbots.models import MessageSource
from corpus.signals import document_merged


@receiver(document_merged)
def move_references(document: Any, into: Any, after: int, **_: object) -> None:
    """Move chatbot links, and the sources of old answers with their version."""
    linked = into.chatbot_links.values("chatbot")
    document.chatbot_links.exclude(chatbot__in=linked).update(document=into)
    sources = MessageSource.objects.filter(document_id=document.pk)
    sources.update(document_id=into.pk, version=F("version") + after)
