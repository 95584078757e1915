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

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.answering.prompts import MAX_EXCHANGES
from chatbots.api.asking import FAILURES, STREAM, FollowingView
from chatbots.api.presenting import present_answer
from chatbots.api.serializers import (
    DISCLOSURE,
    MODEL_TEXT,
    CitationSerializer,
    NearMissSerializer,
    SourceSerializer,
)
from chatbots.api.waiting import AnswerStarted, wait_for_answer
from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy, select_askable
from chatbots.models import Channel, Chat, Chatbot, Message, PromptRecord
from chatbots.streaming import jobs
from chatbots.streaming.access import Subscriber
from chatbots.streaming.outcomes import Failure
from chatbots.streaming.registry import AnswerJob
from chatbots.streaming.responses import make_event_stream
from engines import background
from openai_api.events import build_error, finish_reason, stream_openai
from rest.idempotency import idempotent
from rest.parsers import MAX_BYTES_OF_TEXT
from rest.problems import Problem
from schools.http import get_first, parse_uuid
from schools.models import Membership
from text.tokens import estimate_tokens

Exchanges = list[tuple[str, str]]


class ErrorBodySerializer(serializers.Serializer[object]):
    message = serializers.CharField(help_text="What is wrong, for people.")
    type = serializers.CharField()
    param = serializers.CharField(allow_null=True, help_text="The field that is wrong.")
    code = serializers.CharField(allow_null=True)


class OpenAIErrorSerializer(serializers.Serializer[object]):
    """An error in OpenAI's format."""

    error = ErrorBodySerializer()


class TurnSerializer(serializers.Serializer[object]):
    role = serializers.CharField(max_length=20)
    content = serializers.JSONField(required=False, allow_null=True, help_text="A text, or parts with texts.")


class StreamOptionsSerializer(serializers.Serializer[object]):
    include_usage = serializers.BooleanField(default=False, help_text="Send a last chunk with `usage`.")


class CompletionRequestSerializer(serializers.Serializer[object]):
    """The fields of OpenAI's request that are used; others are ignored."""

    model = serializers.CharField(max_length=100, help_text="The id of a chatbot.")
    messages = TurnSerializer(many=True, allow_empty=False, help_text="The last one is the question.")
    stream = serializers.BooleanField(default=False, allow_null=True)
    stream_options = StreamOptionsSerializer(required=False, allow_null=True)


class ChoiceMessageSerializer(serializers.Serializer[object]):
    role = serializers.CharField()
    content = serializers.CharField()


class CompletionChoiceSerializer(serializers.Serializer[object]):
    index = serializers.IntegerField()
    message = ChoiceMessageSerializer()
    finish_reason = serializers.CharField()


class TokenUsageSerializer(serializers.Serializer[object]):
    """About how many tokens there were: of the prompt, or of the question where no model was asked."""

    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()


class CompletionSerializer(serializers.Serializer[object]):
    """OpenAI's response with the sources."""

    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    model = serializers.CharField()
    choices = CompletionChoiceSerializer(many=True)
    usage = TokenUsageSerializer()
    citations = CitationSerializer(many=True)
    sources = SourceSerializer(many=True)
    refused = serializers.BooleanField()
    near_misses = NearMissSerializer(many=True)
    disclosure = serializers.CharField(help_text=DISCLOSURE)
    notice = serializers.CharField()
    model_text = serializers.CharField(help_text=MODEL_TEXT)
    message_id = serializers.UUIDField()
    chat_id = serializers.UUIDField()


class ModelSerializer(serializers.Serializer[object]):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    owned_by = serializers.CharField()
    name = serializers.CharField()


class ModelsSerializer(serializers.Serializer[object]):
    """The user's chatbots as models."""

    object = serializers.CharField()
    data = ModelSerializer(many=True)  # type: ignore[assignment]  # the stubs know a property of this name


class OpenAIView(FollowingView):
    """A view with errors in OpenAI's format."""

    ignores_unknown = True
    problem_shape = ("application/json", OpenAIErrorSerializer)

    def find_chatbot(self, key: str) -> Chatbot:
        try:
            return get_first(MemberPolicy(self.member).fetch(select_askable, parse_uuid(key)))
        except Http404:
            words = "There is no chatbot with this id. The list of models has yours."
            raise Problem(404, words, errors={"model": []}) from None

    def handle_exception(self, exc: Exception) -> Any:
        response: Any = super().handle_exception(exc)
        problem = json.loads(response.content)
        errors = problem.get("errors") or {}
        said = " ".join(f"{name}: {text}" for name, texts in errors.items() for text in texts)
        text = said if isinstance(exc, exceptions.ValidationError) else problem["detail"]
        error = build_error(response.status_code, text, next(iter(errors), None))
        headers = {name: value for name, value in response.items() if name.lower() != "content-type"}
        return HttpResponse(
            json.dumps(error), status=response.status_code, content_type="application/json", headers=headers
        )


class Models(OpenAIView):
    @extend_schema("openai_models", tags=["openai"], responses=ModelsSerializer)
    def get(self, request: Request) -> HttpResponseBase:
        """Your chatbots as models. OpenAI’s list of models. `id` is the `model` of a request, `name` the name of the
        chatbot.
        """
        chatbots = Chatbot.objects.visible_to(self.member).select_related("school")
        return Response({"object": "list", "data": [_model(chatbot) for chatbot in chatbots]})


class Model(OpenAIView):
    @extend_schema("openai_model", tags=["openai"], responses=ModelSerializer)
    def get(self, request: Request, pk: str) -> HttpResponseBase:
        """One of your chatbots as a model. OpenAI’s description of a model. `id` is the chatbot’s."""
        return Response(_model(self.find_chatbot(pk)))


class Unknown(OpenAIView):
    """Every other address below this one, with an error that OpenAI's clients show."""

    @extend_schema(exclude=True)
    def get(self, request: Request, rest: str = "") -> HttpResponseBase:
        raise Problem(404, "There are only models, models/{id} and chat/completions here.")

    post = put = patch = delete = get


class Completions(OpenAIView):
    most = MAX_BYTES_OF_TEXT  # clients send the whole conversation every time

    @extend_schema(
        "openai_chat_completion",
        tags=["openai"],
        request=CompletionRequestSerializer,
        responses={
            (200, "application/json"): CompletionSerializer,
            (200, STREAM): OpenApiTypes.OBJECT,
            404: OpenApiResponse(description="There is no such chatbot that this person may see."),
            **FAILURES,
        },
    )
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        """Ask a chatbot as a model. For programs made for OpenAI’s chat completions, such as its own client. The last
        message is the question; earlier messages are its conversation. System messages are ignored: the chatbot always
        answers only from its sources. `sources` and `citations` explain the [n] in the text, `near_misses` a refusal;
        in a stream they are in the last chunk. Every question is stored with its answer, as on the website. A
        horizontal rule in a stream marks that the text starts again.
        """
        jobs.check_room()
        asked = self.body(CompletionRequestSerializer)
        chatbot = self.find_chatbot(asked["model"])
        question, said = _conversation(asked["messages"])
        chat = _same_conversation(self.member, chatbot, said)
        try:
            policy = MemberPolicy(self.member)
            message = asking.ask(
                policy=policy, chatbot=chatbot, question=question, chat=chat, channel=Channel.OPENAI, is_claimed=True
            )
        except asking.Gone as reason:
            raise Problem(404, str(reason)) from None
        except asking.QuestionRefused as reason:
            raise _wrong(str(reason)) from None
        job = jobs.start(message, history=said[-MAX_EXCHANGES:] if chat is None else ())
        usage = bool((asked.get("stream_options") or {}).get("include_usage"))
        return self.follow(request, message, job, stream=bool(asked["stream"]), usage=usage)

    def follow(
        self, request: Request, message: Message, job: AnswerJob | None = None, **options: bool
    ) -> HttpResponseBase:
        model = str(message.chat.chatbot_id)
        respond = partial(_answered, message.pk, self.reader(message), model, job=job, **options)
        return AnswerStarted(message.pk, options, respond)


def _conversation(turns: Sequence[dict[str, Any]]) -> tuple[str, Exchanges]:
    """The question and the exchanges before it, each a question with its answer."""
    _check_is_text(turns[-1].get("content"))
    said = [(turn["role"], _text(turn.get("content"))) for turn in turns]
    if said[-1][0] != "user":
        raise _wrong("The last message must be the user’s: it is the question.")
    talk = [(role, text) for role, text in said[:-1] if role in ("user", "assistant") and text.strip()]
    return said[-1][1], [(q, a) for (one, q), (two, a) in pairwise(talk) if (one, two) == ("user", "assistant")]


def _model(chatbot: Chatbot) -> dict[str, object]:
    created = int(chatbot.created_at.timestamp())
    head = {"id": str(chatbot.pk), "object": "model", "created": created}
    return {**head, "owned_by": chatbot.school.slug, "name": chatbot.name}


def _check_is_text(content: object) -> None:
    if isinstance(content, list) and any(not isinstance(part, dict) or part.get("type") != "text" for part in content):
        raise _wrong("Pictures, sounds and files in a question cannot be read: send it as text alone.")


def _text(content: object) -> str:
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
    asked = mine.filter(question=asking.normalize_question(question)).select_related("chat")
    for message in asked.order_by("-created_at")[:20]:
        if message.answer.strip() == answer.strip() and asking.is_last(message.version_of or message):
            message.chat.chatbot = chatbot
            return message.chat
    return None


async def _answered(
    message_id: UUID, reader: Subscriber, model: str, *, stream: bool, usage: bool, job: AnswerJob | None = None
) -> HttpResponseBase:
    if stream:
        count = _usage if usage else None
        return make_event_stream(
            stream_openai(message_id, reader, model=model, extra=_extra_fields, usage=count, job=job)
        )
    ended = await wait_for_answer(message_id, reader, job)
    if isinstance(ended, Failure):
        error = build_error(ended.status, ended.detail, None, **ended.ids)
        return HttpResponse(json.dumps(error), status=ended.status, content_type="application/json")
    reasoning = {"reasoning_content": ended.reasoning} if ended.reasoning else {}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": ended.answer} | reasoning,
        "finish_reason": finish_reason(ended),
    }
    counts = {"usage": await background.run_in_pool("requests", _usage, ended)}
    body = {**_head(ended, model, "chat.completion"), "choices": [choice], **counts, **_extra_fields(ended)}
    return HttpResponse(JSONRenderer().render(body), content_type="application/json")


def _head(message: Message, model: str, kind: str) -> dict[str, object]:
    created = int(message.created_at.timestamp())
    return {"id": f"chatcmpl-{message.pk}", "object": kind, "created": created, "model": model}


def _extra_fields(message: Message) -> dict[str, object]:
    answer = present_answer(message)
    names = (
        "citations",
        "sources",
        "refused",
        "near_misses",
        "disclosure",
        "notice",
        "model_text",
        "message_id",
        "chat_id",
    )
    return {name: answer[name] for name in names}


def _usage(message: Message) -> dict[str, int]:
    record = PromptRecord.objects.filter(message=message).first()
    asked = [turn["content"] for turn in record.turns] * record.times if record else [message.question]
    prompt = sum(map(estimate_tokens, asked))
    completion = estimate_tokens(message.reasoning + message.answer)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _wrong(text: str) -> Problem:
    return Problem(400, text, errors={"messages": []})
