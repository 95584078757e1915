"""Asking about a single page of an archive or of live Wikipedia (W3)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from chatbots.api.asking import ANSWER, STREAMED, AskingView
from chatbots.api.serializers import AskSerializer
from chatbots.conversations import asking
from chatbots.conversations.asking_pages import PageNotAllowed, ask_page
from chatbots.models import Channel, Chat, Chatbot
from chatbots.streaming import jobs
from corpus.source_kinds import SourceKind, get_kind
from corpus.sources import PageUnavailable
from references.kinds import WIKIPEDIA_LIVE, WIKIPEDIA_OFFLINE
from references.live.source import live_id
from references.offline.source import offline_id
from rest.idempotency import idempotent
from rest.problems import Problem

PROJECTS = ("wikipedia", "wikibooks")


class AskPageSerializer(AskSerializer):
    """An article of an archive by `path` or `title`, or else a live page by `title`."""

    archive = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=200,
        help_text="Id or name of an archive, see `GET /archives`.",
    )
    path = serializers.CharField(
        required=False, allow_null=True, max_length=1000, help_text="Of an article in the archive."
    )
    title = serializers.CharField(required=False, allow_null=True, max_length=255)
    project = serializers.ChoiceField(
        choices=PROJECTS, required=False, allow_null=True, help_text="Of a live page; `wikipedia` by default."
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        path, title = attrs.get("path"), attrs.get("title")
        if attrs.get("archive"):
            if bool(path) == bool(title):
                raise serializers.ValidationError({"title": ["Name an article of the archive by its path or title."]})
            if attrs.get("project"):
                raise serializers.ValidationError({"project": ["An archive has no project."]})
        elif path or not title:
            raise serializers.ValidationError({"title": ["Name a live page by its title, or an archive too."]})
        return attrs


class AskPage(AskingView):
    @extend_schema(
        operation_id="ask_page",
        tags=["asking"],
        summary="Ask about a single page",
        description="The answer uses only one article: of an archive, by `archive` and `path` or `title`, or a live "
        "page of Wikipedia or Wikibooks in the chatbot’s language, by `title` and `project`. The conversation does not "
        f"count. The school must allow the kind; the chatbot need not use it.{STREAMED}",
        request=AskPageSerializer,
        responses={
            **ANSWER,
            403: OpenApiResponse(description="The school does not allow this kind of source."),
            404: OpenApiResponse(description="There is no such chatbot, conversation, archive or article."),
        },
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        jobs.check_room()
        chatbot = self.find(Chatbot.objects.visible_to(self.member).select_related("school"), pk)
        asked = self.body(AskPageSerializer)
        chat = None
        if key := asked.get("chat_id"):
            chat = self.find(Chat.objects.for_member(self.member).filter(chatbot=chatbot), key)
        kind, page, title = _page(asked, chatbot.language)
        try:
            message = ask_page(
                chatbot=chatbot,
                member=self.member,
                question=asked["question"],
                kind=kind,
                page=page,
                title=title,
                chat=chat,
                channel=Channel.API,
            )
        except PageNotAllowed as reason:
            raise Problem(403, str(reason)) from None
        except (PageUnavailable, asking.Gone) as reason:
            raise Problem(404, str(reason)) from None
        except asking.QuestionRefused as reason:
            raise Problem(400, str(reason), errors={"question": [str(reason)]}) from None
        return self.follow(request, message, jobs.start(message), stream=asked["stream"])


def _page(asked: dict[str, Any], language: str) -> tuple[SourceKind, str, str]:
    """The kind, id and title of the page."""
    if archive := asked.get("archive"):
        wanted = asked.get("path") or asked["title"]
        return get_kind(WIKIPEDIA_OFFLINE.value), offline_id(archive, wanted), wanted
    title = asked["title"]
    return get_kind(WIKIPEDIA_LIVE.value), live_id(asked.get("project") or "wikipedia", language, title), title
