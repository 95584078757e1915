"""Forms: what an activity opens, and for operators a platform."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from accounts.single_sign_on.issuer import IssuerFailed, check_address
from chatbots.models import Chatbot
from classrooms.forms import USUAL_DAYS
from classrooms.links import list_offered_chatbots
from classrooms.models import ClassLink
from lti.grades import may_send
from lti.keys import make_private_key
from lti.launch import Launch
from lti.models import Platform
from schools.models import Membership


class ChatbotField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Chatbot) -> str:
        return f"{obj.name} (study plan: its tutor and practice)" if obj.is_tutor else obj.name


class ChoiceForm(forms.Form):
    """A chatbot or study plan, in a class that is there or in a new one."""

    chatbot = ChatbotField(
        queryset=Chatbot.objects.none(),
        widget=forms.RadioSelect,
        label="What the activity opens",
        empty_label=None,
        error_messages={"required": "Choose a chatbot or a study plan."},
    )
    class_link = forms.ModelChoiceField(
        queryset=ClassLink.objects.none(),
        widget=forms.RadioSelect,
        required=False,
        blank=True,
        empty_label="A new class",
        label="In which class",
        help_text="You see what pupils ask on the page of the class.",
    )
    name = forms.CharField(label="Name of the new class", max_length=80, required=False)
    ends_on = forms.DateField(
        label="Its last day",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Pupils can ask until the end of this day. You can change it on the page of the class.",
    )
    sends_grades = forms.BooleanField(
        label="Send grades for practice",
        required=False,
        help_text="For a study plan: of each of its concepts the last answer counts; 100 when all of these are right.",
    )

    def __init__(self, *args: Any, member: Membership, launch: Launch, **kwargs: Any) -> None:
        last_day = timezone.localdate() + timedelta(days=USUAL_DAYS)
        super().__init__(*args, **kwargs)
        self.initial = {"name": launch.title, "ends_on": last_day, "class_link": ""}
        chatbots: forms.ModelChoiceField[Chatbot] = self.fields["chatbot"]  # type: ignore[assignment]
        classes: forms.ModelChoiceField[ClassLink] = self.fields["class_link"]  # type: ignore[assignment]
        chatbots.queryset = list_offered_chatbots(member).order_by("name", "pk")
        classes.queryset = ClassLink.objects.for_member(member).not_over()
        if not self.is_bound and not classes.queryset.exists():
            del self.fields["class_link"]
        has_place = launch.takes_line_item if launch.is_choice else launch.line_item
        if not (has_place and may_send(member.school)):
            del self.fields["sends_grades"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        chatbot, last_day = data.get("chatbot"), data.get("ends_on")
        if data.get("sends_grades") and chatbot and not chatbot.is_tutor:
            self.add_error("sends_grades", "Only practice with a study plan has grades. Choose one, or untick this.")
        if data.get("class_link") is None:
            if not data.get("name"):
                self.add_error("name", "Give the new class a name.")
            if last_day is None and "ends_on" not in self.errors:
                self.add_error("ends_on", "Choose the last day of the new class.")
            elif last_day and last_day < timezone.localdate():
                self.add_error("ends_on", "This day is over. Choose today or a later day.")
        return data

    def values(self) -> dict[str, Any]:
        """The checked values, as `lti.resource_links.make_link` takes them."""
        data = self.cleaned_data
        last_day: date = data.get("ends_on") or timezone.localdate()
        return {
            "chatbot": data["chatbot"],
            "class_link": data.get("class_link"),
            "name": data["name"],
            "ends_at": timezone.make_aware(datetime.combine(last_day, time(23, 59, 59))),
            "sends_grades": bool(data.get("sends_grades")),
        }


class PlatformForm(forms.ModelForm[Platform]):
    """A platform of a school. Its key is made here, and never shown."""

    deployment_ids = forms.CharField(
        label="Deployment IDs",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One a line, as the platform shows them. Only these are let in.",
    )

    class Meta:
        model = Platform
        fields = [
            *("school", "name", "issuer", "client_id", "authorization_endpoint", "token_endpoint", "keys_url"),
            *("token_audience", "is_active"),
        ]
        help_texts = {"issuer": "Exactly as the platform calls itself: https://moodle.riverside.example."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding:
            for name in ("school", "issuer", "client_id"):
                self.fields[name].disabled = True
            self.initial["deployment_ids"] = "\n".join(self.instance.deployment_ids)

    def clean_deployment_ids(self) -> list[str]:
        names = list(dict.fromkeys(filter(None, map(str.strip, self.cleaned_data["deployment_ids"].splitlines()))))
        if not names or any(len(name) > 255 for name in names):
            raise forms.ValidationError("Write at least one deployment ID; none is longer than 255 signs.")
        return names

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name in ("issuer", "authorization_endpoint", "token_endpoint", "keys_url"):
            try:
                check_address(data.get(name) or "")
            except IssuerFailed as problem:
                if name not in self.errors:
                    self.add_error(name, str(problem))
        return data

    def save(self, commit: bool = True) -> Platform:
        self.instance.deployment_ids = self.cleaned_data["deployment_ids"]
        self.instance.key = self.instance.key or make_private_key()
        return super().save(commit)
