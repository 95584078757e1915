"""The prompt of an answer."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chatbots.answering.prompt_record import what_was_given
from chatbots.models import Message
from schools.access import MemberRequest, member_required
from schools.http import find


@never_cache
@require_GET
@member_required
def prompt(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Only for the person who asked: the prompt contains their documents, questions and instructions."""
    message = find(Message.objects.for_member(request.member).select_related("chat"), pk)
    return render(request, "chatbots/prompt_record.html", what_was_given(message))
