"""An API for clients of OpenAI's chat completions. Each chatbot is a model.

The last message is the question; earlier messages are its conversation. If they end with an answer from this API, the
question continues that conversation, else it begins a new one. System messages and other fields are ignored, so that a
client cannot change how a chatbot answers. Only here, errors have OpenAI's format.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.answering.prompts import MAX_EXCHANGES
from chatbots.api.asking import FAILURES, STREAM, FollowingView
from chatbots.api.presenting import answer_of
from chatbots.api.serializers import MODEL_TEXT, CitationSerializer, SourceSerializer
from chatbots.api.waiting import AnswerStarted, wait_for_answer
from chatbots.conversations import asking
from chatbots.models import Channel, Chat, Chatbot, Message
from chatbots.streaming import jobs
from chatbots.streaming.access import Reader
from chatbots.streaming.openai_events import error_of, events, finish_reason
from chatbots.streaming.outcomes import Failure
from chatbots.streaming.responses import event_stream
from rest.parsers import LARGEST
from rest.problems import Problem
from schools.http import parse_uuid
from schools.models import Membership

Exchanges = list[tuple[str, str]]


class ErrorBodySerializer(serializers.Serializer[Any]):
    message = serializers.CharField(help_text="What is wrong, for people.")
    type = serializers.CharField()
    param = serializers.CharField(allow_null=True, help_text="The field that is wrong.")
    code = serializers.CharField(allow_null=True)


class OpenAIErrorSerializer(serializers.Serializer[Any]):
    """An error in OpenAI's format."""

    error = ErrorBodySerializer()


class TurnSerializer(serializers.Serializer[Any]):
    role = serializers.CharField(max_length=20)
    content = serializers.JSONField(required=False, allow_null=True, help_text="A text, or parts with texts.")


class CompletionRequestSerializer(serializers.Serializer[Any]):
    """The fields of OpenAI's request that are used; others are ignored."""

    model = serializers.CharField(max_length=100, help_text="The id of a chatbot.")
    messages = TurnSerializer(many=True, allow_empty=False, help_text="The last one is the question.")
    stream = serializers.BooleanField(default=False, allow_null=True)


class ChoiceMessageSerializer(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class CompletionChoiceSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    message = ChoiceMessageSerializer()
    finish_reason = serializers.CharField()


class CompletionSerializer(serializers.Serializer[Any]):
    """OpenAI's response with the sources."""

    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    model = serializers.CharField()
    choices = CompletionChoiceSerializer(many=True)
    citations = CitationSerializer(many=True)
    sources = SourceSerializer(many=True)
    refused = serializers.BooleanField()
    notice = serializers.CharField()
    model_text = serializers.CharField(help_text=MODEL_TEXT)
    message_id = serializers.UUIDField()
    chat_id = serializers.UUIDField()


class ModelSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    owned_by = serializers.CharField()
    name = serializers.CharField()


class ModelsSerializer(serializers.Serializer[Any]):
    """The user's chatbots as models."""

    object = serializers.CharField()
    data = ModelSerializer(many=True)  # type: ignore[assignment]  # the stubs know a property of this name


class OpenAIView(FollowingView):
    """A view with errors in OpenAI's format."""

    problem_shape = ("application/json", OpenAIErrorSerializer)

    def handle_exception(self, exc: Exception) -> Any:
        response: Any = super().handle_exception(exc)
        problem = json.loads(response.content)
        errors = problem.get("errors") or {}
        text = " ".join([problem["detail"], *(one for texts in errors.values() for one in texts)])
        error = error_of(response.status_code, text, next(iter(errors), None))
        headers = {name: value for name, value in response.items() if name.lower() != "content-type"}
        return HttpResponse(
            json.dumps(error), status=response.status_code, content_type="application/json", headers=headers
        )


class Models(OpenAIView):
    @extend_schema(
        operation_id="openai_models",
        tags=["openai"],
        summary="Your chatbots as models",
        description="OpenAI’s list of models. `id` is the `model` of a request, `name` the name of the chatbot.",
        responses=ModelsSerializer,
    )
    def get(self, request: Request) -> HttpResponseBase:
        chatbots = Chatbot.objects.visible_to(self.member)
        data = [
            {
                "id": str(chatbot.pk),
                "object": "model",
                "created": int(chatbot.created_at.timestamp()),
                "owned_by": self.member.school.slug,
                "name": chatbot.name,
            }
            for chatbot in chatbots
        ]
        return Response({"object": "list", "data": data})


class Completions(OpenAIView):
    most = LARGEST  # clients send the whole conversation every time

    @extend_schema(
        operation_id="openai_chat_completion",
        tags=["openai"],
        summary="Ask a chatbot as a model",
        description="For programs made for OpenAI’s chat completions, such as its own client. The last message is the "
        "question; earlier messages are its conversation. System messages are ignored: the chatbot always answers only "
        "from its sources. `sources` and `citations` explain the [n] in the text; in a stream they are in the last "
        "chunk. Every question is stored with its answer, as on the website. A horizontal rule in a stream marks that "
        "the text starts again.",
        request=CompletionRequestSerializer,
        responses={
            (200, "application/json"): CompletionSerializer,
            (200, STREAM): OpenApiTypes.OBJECT,
            404: OpenApiResponse(description="There is no such chatbot that this person may see."),
            **FAILURES,
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        asked = self.body(CompletionRequestSerializer)
        chatbot = self.find(
            Chatbot.objects.visible_to(self.member).select_related("school"), parse_uuid(asked["model"])
        )
        question, said = _conversation(asked["messages"])
        chat = _same_conversation(self.member, chatbot, said)
        try:
            message = asking.ask(
                chatbot=chatbot, member=self.member, question=question, chat=chat, channel=Channel.OPENAI
            )
        except asking.Gone as reason:
            raise Problem(404, str(reason)) from None
        except asking.QuestionRefused as reason:
            raise _wrong(str(reason)) from None
        jobs.start(message, history=said[-MAX_EXCHANGES:] if chat is None else ())
        return AnswerStarted(
            partial(_answered, message.pk, self.reader(message), str(chatbot.pk), bool(asked["stream"]))
        )


def _conversation(turns: Sequence[dict[str, Any]]) -> tuple[str, Exchanges]:
    """The question and the exchanges before it, each a question with its answer."""
    said = [(turn["role"], _text(turn.get("content"))) for turn in turns]
    if said[-1][0] != "user":
        raise _wrong("The last message must be the user’s: it is the question.")
    talk = [(role, text) for role, text in said[:-1] if role in ("user", "assistant") and text.strip()]
    return said[-1][1], [(q, a) for (one, q), (two, a) in pairwise(talk) if (one, two) == ("user", "assistant")]


def _text(content: Any) -> str:
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(part for part in parts if isinstance(part, str))
    text = content if isinstance(content, str) else ""
    if "\x00" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise _wrong("A message has a character that is not text.")
    return text


def _same_conversation(member: Membership, chatbot: Chatbot, said: Exchanges) -> Chat | None:
    """The stored conversation through this API that ends with the last of these exchanges."""
    if not said:
        return None
    question, answer = said[-1]
    mine = Message.objects.for_member(member).filter(chat__chatbot=chatbot, channel=Channel.OPENAI)
    asked = mine.filter(question=question.replace("\r\n", "\n").strip()).select_related("chat")
    for message in asked.order_by("-created_at")[:20]:
        if message.answer.strip() == answer.strip() and asking.is_last(message.version_of or message):
            message.chat.chatbot = chatbot
            return message.chat
    return None


async def _answered(message_id: UUID, reader: Reader, model: str, is_stream: bool) -> HttpResponseBase:
    if is_stream:
        return event_stream(events(message_id, reader, model=model, extra=_extra_fields))
    ended = await wait_for_answer(message_id, reader)
    if isinstance(ended, Failure):
        error = error_of(ended.status, ended.detail, None, **ended.ids)
        return HttpResponse(json.dumps(error), status=ended.status, content_type="application/json")
    reasoning = {"reasoning_content": ended.reasoning} if ended.reasoning else {}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": ended.answer} | reasoning,
        "finish_reason": finish_reason(ended),
    }
    body = {**_head(ended, model, "chat.completion"), "choices": [choice], **_extra_fields(ended)}
    return HttpResponse(JSONRenderer().render(body), content_type="application/json")


def _head(message: Message, model: str, kind: str) -> dict[str, Any]:
    created = int(message.created_at.timestamp())
    return {"id": f"chatcmpl-{message.pk}", "object": kind, "created": created, "model": model}


def _extra_fields(message: Message) -> dict[str, Any]:
    answer = answer_of(message)
    names = ("citations", "sources", "refused", "notice", "model_text", "message_id", "chat_id")
    return {name: answer[name] for name in names}


def _wrong(text: str) -> Problem:
    return Problem(400, text, errors={"messages": []})
