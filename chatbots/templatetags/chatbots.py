"""Filters for pages that show chatbots."""

from __future__ import annotations

from datetime import datetime
from typing import cast
from uuid import UUID

from django import template
from django.template.context import Context
from django.utils import timezone

from chatbots.conversations.audience import AudiencePolicy
from chatbots.models import Chatbot
from chatbots.templatetags.answers import day_name

register = template.Library()


@register.filter
def recently(at: datetime) -> str:
    """The local day of a time, within a sentence: “today”, “yesterday” or the date."""
    name = day_name(timezone.localdate(at))
    return name.lower() if name in ("Today", "Yesterday") else name


@register.simple_tag(takes_context=True)
def route(context: Context, name: str, key: UUID) -> str:
    """The address of a page of whoever asks."""
    return cast("AudiencePolicy", context["policy"]).get_url(name, key)


@register.simple_tag(takes_context=True)
def owns(context: Context, chatbot: Chatbot | None) -> bool:
    """Whether the person who looks owns the chatbot; a colleague shares it with them otherwise."""
    member = context.get("member")
    return bool(chatbot and member and chatbot.owner_id == member.user_id)
