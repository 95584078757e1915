"""How much library documents are used: figures for admins, never what was asked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from chatbots.models import MessageSource
from corpus.passages import SourceKind
from school_library.models import SchoolDocument

DAYS = 30


def library_usage(document: SchoolDocument) -> dict[str, Any]:
    """Chatbots that may read the document, and answers of the last 30 days that were given or cited it."""
    used = MessageSource.objects.filter(
        school=document.school_id,
        kind=SourceKind.SCHOOL,
        document_id=document.pk,
        message__created_at__gte=timezone.now() - timedelta(days=DAYS),
    )
    return {
        "chatbots": document.chatbot_links.count(),
        "found": used.values("message").distinct().count(),
        "cited": used.filter(is_cited=True).values("message").distinct().count(),
        "days": DAYS,
    }
