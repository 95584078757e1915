"""The question log for admins, with the same content as its page (ADR 15)."""

from __future__ import annotations

from typing import Any

from django.db.models.functions import TruncDate
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from chatbots.models import Channel, Outcome, QuestionLogEntry
from chatbots.question_log import store
from rest.days import DayField
from rest.pagination import PageQuery, make_page_serializer
from rest.views import MemberView


class LogQuery(PageQuery):
    words = serializers.CharField(
        required=False,
        max_length=200,
        help_text="All of them occur in a question with its answer, stemmed in any language of a chatbot.",
    )
    chatbot = serializers.UUIDField(required=False, help_text="Only this one, if the log names it.")
    outcome = serializers.ChoiceField(required=False, choices=Outcome.choices)
    since = DayField(required=False, help_text="The first day.")
    until = DayField(required=False, help_text="The last day.")


class LoggedCitationSerializer(serializers.Serializer[object]):
    number = serializers.IntegerField(help_text="The n of its [n].")
    document_id = serializers.UUIDField(
        allow_null=True,
        help_text="Of the library; it may have been deleted since. Null for what has an address.",
    )
    address = serializers.CharField(help_text="Of what is no document; else empty.")
    title = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    where = serializers.CharField(help_text="The headings, page or lines of the passage.")


class LoggedChatbotSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField(source="chatbot_id")
    name = serializers.CharField(source="chatbot_name")


class QuestionLogSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    day = serializers.DateField(help_text="The day of the question; the hour is not given.")
    chatbot = serializers.SerializerMethodField()
    door = serializers.ChoiceField(source="channel", choices=Channel.choices, help_text="How the question came in.")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    mode = serializers.CharField(help_text="How the answer was made; empty if there is none.")
    question = serializers.CharField()
    answer = serializers.SerializerMethodField()
    is_withheld = serializers.BooleanField(
        source="draws_on_own",
        help_text="Whether the answer is withheld because it uses a teacher’s own documents or a selected text.",
    )
    citations = LoggedCitationSerializer(many=True, help_text="Of what is not private.")

    @extend_schema_field(LoggedChatbotSerializer(allow_null=True))
    def get_chatbot(self, row: QuestionLogEntry) -> Any:
        """Null unless the teacher lets the log name the chatbot."""
        return LoggedChatbotSerializer(row).data if row.chatbot_id else None

    def get_answer(self, row: QuestionLogEntry) -> str | None:
        """Null if it is withheld."""
        return None if row.draws_on_own else row.answer


class QuestionLog(MemberView):
    @extend_schema(
        "question_log", tags=["usage"], parameters=[LogQuery], responses=make_page_serializer(QuestionLogSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The question log. For admins: questions with their answers, without names, the newest day first. Answers that
        use a teacher’s own documents or a selected text are not kept.
        """
        self.must_be_admin()
        query = self.query(LogQuery)
        wanted = {name: query[name] for name in ("words", "outcome", "since", "until") if name in query}
        rows = store.search_log(self.member, chatbot=str(query.get("chatbot", "")), **wanted)
        # Ordered by day and random id: a cursor is readable and would reveal the hour.
        rows = rows.annotate(day=TruncDate("asked_at"))
        return self.paginate(rows, QuestionLogSerializer, query, order=("-day", "-pk"))
