"""Asking a chatbot, asking about a selected text, and searching without an answer."""

from __future__ import annotations

import time
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.answering.source_selection import select_sources
from chatbots.answering.standalone_search import search_standalone
from chatbots.api.presenting import present_search_results
from chatbots.api.serializers import (
    AnswerSerializer,
    AskSelectionSerializer,
    AskSerializer,
    FoundSerializer,
    SearchSerializer,
)
from chatbots.api.waiting import AnswerStarted, answer_response, stream_answer
from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy, select_askable
from chatbots.models import Channel, Chat, Chatbot, Message, Participant
from chatbots.streaming import jobs
from chatbots.streaming.access import Subscriber
from chatbots.streaming.registry import AnswerJob
from corpus.models import Document
from corpus.source_kinds import list_document_kinds
from engines.errors import EngineError
from rest.idempotency import idempotent
from rest.parsers import MAX_BYTES_OF_TEXT
from rest.problems import Problem
from rest.views import MemberView
from schools.http import get_first
from schools.models import Membership

STREAM = "text/event-stream"

STREAMED = (
    "\n\nWith `stream: true` or `Accept: text/event-stream` it comes as server-sent events of JSON: `queued` with the "
    "number of other questions `before` yours where there are any, `sources` with the passages, `token` with text to "
    "append, `text` with text that replaces everything before it, `reasoning` with what a model thinks, which is no "
    "part of the answer, `done` with the whole answer and the verdicts on its citations. A failed answer ends with "
    "`error`, a problem as usual. The server finishes the answer: a client that disconnects finds it under "
    "`/chats/{id}/messages`."
)
FAILURES = {
    500: OpenApiResponse(description="A fault of the server. The question is kept: `message_id`."),
    502: OpenApiResponse(description="The language model is down, or refused. The question is kept: `message_id`."),
    503: OpenApiResponse(
        description="The sources, the language model or the database cannot be used just now. A question that was "
        "taken is kept: `message_id`. None is taken while too many wait: `Retry-After` says when to ask again."
    ),
    504: OpenApiResponse(description="The language model took too long. The question is kept: `message_id`."),
}
ANSWER: dict[Any, Any] = {(200, "application/json"): AnswerSerializer, (200, STREAM): OpenApiTypes.OBJECT, **FAILURES}


class EventStream(BaseRenderer):
    """Lets a program ask for a stream by its Accept header. A problem is JSON all the same."""

    media_type = STREAM
    format = "stream"

    def render(self, data: object, *_: object, **__: object) -> bytes:
        return b"" if data is None else JSONRenderer().render(data)


class FollowingView(MemberView):
    renderer_classes = (JSONRenderer, EventStream)

    def reader(self, message: Message) -> Subscriber:
        """The access by which the client follows the answer."""
        if self.token:
            return Subscriber(self.member.pk, token=self.token.pk, message=message.pk)
        return Subscriber(self.member.pk, session=self.request.session.session_key, message=message.pk)

    def follow(
        self, request: Request, message: Message, job: AnswerJob | None = None, **options: bool
    ) -> HttpResponseBase:
        """The response that follows the answer; `options` are what the body of the request says of it. `job` is the one
        that was just begun."""
        raise NotImplementedError

    def resume(self, request: Request, begun: dict[str, Any]) -> HttpResponseBase:
        """Follow the answer to a request that was sent before. One that failed is written once more."""
        first = self.find(Message.objects.for_member(self.member), UUID(begun["message_id"]))
        message = Message.objects.list_versions(first).last() or first
        if message.has_failed:
            message = self.again(message, message.channel)
        return self.follow(request, message, **begun["options"])

    def again(self, message: Message, channel: str) -> Message:
        """Begin another answer to a question, or find the one that is written or has to stay."""
        jobs.check_room()
        try:
            again = asking.ask_again(message=message, channel=Channel(channel))
        except Message.DoesNotExist:
            raise Http404("There is nothing here.") from None
        if not again.is_finished:
            jobs.start(again)
        return again


class AskingView(FollowingView):
    def follow(
        self, request: Request, message: Message, job: AnswerJob | None = None, **options: bool
    ) -> HttpResponseBase:
        is_stream = options["stream"] or request.accepted_media_type == STREAM
        respond = partial(stream_answer if is_stream else answer_response, message.pk, self.reader(message), job)
        return AnswerStarted(message.pk, options, respond)


class Ask(AskingView):
    @extend_schema(
        operation_id="ask",
        tags=["asking"],
        summary="Ask a chatbot",
        description="It answers only from its sources, with checked citations, or refuses. Without `chat_id` "
        f"a conversation begins.{STREAMED}",
        request=AskSerializer,
        responses=ANSWER,
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        return self.ask(request, get_first(MemberPolicy(self.member).fetch(select_askable, pk)))

    def ask(self, request: Request, chatbot: Chatbot) -> HttpResponseBase:
        """Ask this chatbot, which the member may ask."""
        jobs.check_room()
        asked = self.body(AskSerializer)
        chat = None
        if key := asked.get("chat_id"):
            chat = self.find(Chat.objects.for_member(self.member).filter(chatbot=chatbot), key)
            chat.chatbot = chatbot
        try:
            policy, question = MemberPolicy(self.member), asked["question"]
            message = asking.ask(
                policy=policy, chatbot=chatbot, question=question, chat=chat, channel=Channel.API, is_claimed=True
            )
        except asking.Gone as reason:
            raise Problem(404, str(reason)) from None
        except asking.QuestionRefused as reason:
            raise Problem(400, str(reason), errors={"question": [str(reason)]}) from None
        return self.follow(request, message, jobs.start(message), stream=asked["stream"])


class AskSelection(AskingView):
    most = MAX_BYTES_OF_TEXT  # the longest text takes 80 kB, and more where it is escaped

    @extend_schema(
        operation_id="ask_selection",
        tags=["asking"],
        summary="Ask about a selected text",
        description="The answer uses only `selected_text`: no document is searched, and the conversation "
        "does not count. If the text does not suffice, the answer is “I cannot answer based on the selected text "
        "alone”, in the language of the chatbot if there is one. The text is kept with the question, and its parts are "
        f"its sources.{STREAMED}",
        request=AskSelectionSerializer,
        responses={
            **ANSWER,
            404: OpenApiResponse(description="There is no such document or chatbot that this person may see."),
        },
    )
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        jobs.check_room()
        asked = self.body(AskSelectionSerializer)
        chatbot = document = None
        if key := asked.get("chatbot_id"):
            chatbot = self.find(Chatbot.objects.visible_to(self.member), key)
        if key := asked.get("document_id"):
            document = find_reachable(self.member, key)
        try:
            message = asking.ask_about_selection(
                member=self.member,
                question=asked["question"],
                text=asked["selected_text"],
                chatbot=chatbot,
                document=document,
                channel=Channel.API,
            )
        except asking.QuestionRefused as reason:
            raise Problem(400, str(reason), errors={"question": [str(reason)]}) from None
        except asking.SelectionRefused as reason:
            raise Problem(400, str(reason), errors={"selected_text": [str(reason)]}) from None
        return self.follow(request, message, jobs.start(message), stream=asked["stream"])


class SearchSources(MemberView):
    writes = False

    @extend_schema("search", tags=["asking"], request=SearchSerializer, responses={200: FoundSerializer})
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Search without an answer. The passages that an answer would use, best first. Nothing is stored."""
        chatbot = get_first(MemberPolicy(self.member).fetch(select_askable, pk))
        asked = self.body(SearchSerializer)
        places = asked.get("limit") or chatbot.places
        started = time.perf_counter()
        try:
            sources = select_sources(chatbot, participant=Participant(user_id=self.member.user_id))
            searched_for, found = search_standalone(asked["query"], sources, language=chatbot.language, places=places)
        except EngineError as problem:
            raise Problem(503, str(problem)) from None
        return Response(present_search_results(found, searched_for, (time.perf_counter() - started) * 1000))


def find_reachable(member: Membership, key: UUID) -> Document:
    """A personal document of the member or a published library document; else 404."""
    for kind in list_document_kinds():
        document: Document | None = kind.documents_for(member).filter(pk=key).first()  # type: ignore[misc]
        if document:
            return document
    raise Http404("There is nothing here.")
