"""Class links and transcripts in the API."""

from __future__ import annotations

from datetime import time
from typing import Any

from django.db.models import prefetch_related_objects
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from chatbots.models import Message
from classrooms.disclosure import list_facts, read_rules
from classrooms.models import DAYS_KEPT, AnswerLength, ClassLink, ClassState, SourcesShown
from classrooms.transcripts import get_outcome
from rest.days import EndField
from rest.pagination import PageQuery

OUTCOMES = ["answered", "refused", "pending", "writing", "failed", "interrupted", "stopped"]


class HourField(serializers.RegexField):
    """An hour of the day as HH:MM."""

    def __init__(self, **options: Any) -> None:
        super().__init__(r"^([01][0-9]|2[0-3]):[0-5][0-9]$", **options)

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        self.run_validators(text)
        return time.fromisoformat(text)

    def run_validators(self, value: object) -> None:
        if isinstance(value, str):
            super().run_validators(value)

    def to_representation(self, value: object) -> str:
        return f"{value:%H:%M}"


class ClassLinkSerializer(serializers.Serializer[ClassLink]):
    """A class link."""

    id = serializers.UUIDField(read_only=True)
    name = serializers.CharField(max_length=80)
    code = serializers.CharField(read_only=True, help_text="What pupils type.")
    url = serializers.SerializerMethodField(help_text="The page on which pupils join.")
    state = serializers.SerializerMethodField()
    chatbots = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=50, help_text="Ids of your own chatbots."
    )
    plans = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=50, help_text="Ids of your own study plans."
    )
    ends_at = EndField(help_text="A day alone, such as 2027-06-30, ends with that day.")
    weekdays = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=6),
        required=False,
        min_length=1,
        max_length=7,
        help_text="Days on which pupils can ask; 0 is Monday.",
    )
    opens = HourField(required=False, allow_null=True, help_text="HH:MM, in the time zone of the installation.")
    closes = HourField(required=False, allow_null=True)
    questions_a_day = serializers.IntegerField(required=False, min_value=1, max_value=500, help_text="Of one pupil.")
    answer_length = serializers.ChoiceField(choices=AnswerLength.choices, required=False)
    sources_shown = serializers.ChoiceField(choices=SourcesShown.choices, required=False)
    shows_earlier = serializers.BooleanField(required=False)
    hints_first = serializers.BooleanField(required=False)
    notes_names = serializers.BooleanField(required=False, help_text="The teacher notes real names, on a page.")
    days_kept = serializers.IntegerField(
        required=False, min_value=0, max_value=3650, help_text=f"After the end, {DAYS_KEPT} unless set."
    )
    is_paused = serializers.BooleanField(required=False)
    is_closed = serializers.BooleanField(required=False)
    erased_at = serializers.DateTimeField(read_only=True, help_text="When everything that pupils asked is erased.")
    created_at = serializers.DateTimeField(read_only=True)
    told_to_pupils = serializers.SerializerMethodField(
        help_text="Sentences that pupils read before they write: that a program answers, that it can be wrong, and who "
        "reads what they write. Show them wherever pupils ask through your program."
    )

    def to_representation(self, instance: ClassLink) -> dict[str, Any]:
        """The stored row, with its chatbots as ids."""
        return dict(super().to_representation(_Shown(instance)))  # type: ignore[arg-type]

    @extend_schema_field(serializers.URLField())
    def get_url(self, shown: Any) -> str:
        address: str = reverse("classrooms:door", args=[shown.code])
        request = self.context.get("request")
        return request.build_absolute_uri(address) if request else address

    def get_told_to_pupils(self, shown: Any) -> list[str]:
        if "rules" not in self.context:
            self.context["rules"] = read_rules(shown.school)
        return list_facts(shown, self.context["rules"])

    @extend_schema_field(serializers.ChoiceField(choices=ClassState.choices))
    def get_state(self, shown: Any) -> str:
        return str(shown.state())


class _Shown:
    """A class link with its chatbots as ids."""

    def __init__(self, link: ClassLink) -> None:
        self._link = link
        prefetch_related_objects([link], "opened__chatbot__plan")  # no more than once, of a list or of one
        opened = [row.chatbot for row in link.opened.all()]
        self.chatbots = [chatbot.pk for chatbot in opened if not hasattr(chatbot, "plan")]
        self.plans = [chatbot.plan.pk for chatbot in opened if hasattr(chatbot, "plan")]
        self.is_paused, self.is_closed = link.paused_at is not None, link.closed_at is not None

    def __getattr__(self, name: str) -> object:
        return getattr(self._link, name)


class TranscriptQuery(PageQuery):
    pupil = serializers.CharField(required=False, max_length=40, help_text="A nickname.")
    outcome = serializers.ChoiceField(choices=["answered", "refused", "hand"], required=False)
    names = serializers.BooleanField(required=False, default=True, help_text="false leaves the nicknames out.")


class TranscriptSerializer(serializers.Serializer[Message]):
    """One question of a pupil with its answer."""

    id = serializers.UUIDField(source="pk")
    asked_at = serializers.DateTimeField(source="created_at")
    pupil = serializers.SerializerMethodField(help_text="The nickname; empty without names.")
    chatbot = serializers.UUIDField(source="chat.chatbot_id", allow_null=True)
    question = serializers.CharField()
    answer = serializers.CharField()
    outcome = serializers.SerializerMethodField()
    asked_teacher = serializers.SerializerMethodField(help_text="Whether the pupil asked the teacher about it.")
    cited = serializers.SerializerMethodField(help_text="Titles of the documents that it cites.")
    note = serializers.SerializerMethodField(help_text="The teacher’s note.")

    def get_pupil(self, row: Message) -> str:
        return row.chat.participant.pupil.nickname if self.context.get("names", True) else ""

    @extend_schema_field(serializers.ChoiceField(choices=OUTCOMES))
    def get_outcome(self, row: Message) -> str:
        return get_outcome(row)

    def get_asked_teacher(self, row: Message) -> bool:
        return hasattr(row, "raised_hand")

    def get_cited(self, row: Message) -> list[str]:
        return list(dict.fromkeys(source.document_title for source in row.sources.all() if source.is_cited))

    def get_note(self, row: Message) -> str:
        return row.teacher_note.text if hasattr(row, "teacher_note") else ""
