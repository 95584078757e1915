"""Forms of teachers and admins."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import BoundField
from django.utils import timezone

from chatbots.models import Chatbot
from classrooms import flagging
from classrooms.concern import replies
from classrooms.concern.checking import load_default, split_words
from classrooms.links import list_offered_chatbots
from classrooms.models import (
    EVERY_DAY,
    AnswerLength,
    ClassLink,
    ClassroomSettings,
    Concern,
    SafeguardingLead,
    SourcesShown,
)
from corpus.source_kinds import list_searchable_kinds
from engines.llm import get_llm
from plugins import find_all_plugins, find_plugins
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
USUAL_DAYS = 60
"""Days until a new class link ends, if the teacher sets nothing else."""

MAX_PHRASES, MAX_PHRASE = 500, 100
"""Lines of a list, and characters of a line."""


class ChatbotsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Chatbot) -> str:
        return f"{obj.name} (study plan: its tutor and practice)" if obj.is_tutor else obj.name


class ClassLinkForm(forms.ModelForm[ClassLink]):
    """A class link: four fields that matter, and the rest folded away with a line that says what is set."""

    chatbots = ChatbotsField(
        queryset=Chatbot.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Chatbots and study plans for the class",
        error_messages={"required": "Choose at least one chatbot."},
        help_text="A study plan is offered once it has eight questions that pupils may get.",
    )
    ends_on = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Pupils can ask until the end of this day. You can close it earlier at any time.",
    )
    weekdays = forms.TypedMultipleChoiceField(
        label="On these days",
        choices=list(enumerate(WEEKDAYS)),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one day."},
    )
    kinds = forms.MultipleChoiceField(
        label="Answers may come from",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Only what the chatbot uses anyway. Take away what is not for this class.",
    )

    FOLDED = (
        "weekdays",
        "opens",
        "closes",
        "questions_a_day",
        "answer_length",
        "hints_first",
        "shows_earlier",
        "kinds",
        "notes_names",
        "days_kept",
    )

    class Meta:
        model = ClassLink
        fields = (
            "name",
            "sources_shown",
            "opens",
            "closes",
            "questions_a_day",
            "answer_length",
            "shows_earlier",
            "hints_first",
            "notes_names",
            "days_kept",
        )
        labels = {
            "name": "Name of the class",
            "sources_shown": "What pupils see of the sources",
            "opens": "From",
            "closes": "Until",
            "questions_a_day": "Questions a pupil may ask in a day",
            "answer_length": "Length of answers",
            "notes_names": "Note the real names of pupils",
            "days_kept": "Days for which everything is kept after the end",
        }
        help_texts = {
            "answer_length": "For a language model. Without one, answers are quotations as they stand.",
            "hints_first": "Pupils get a hint first, and the whole answer when they ask again.",
            "shows_earlier": "Without it, pupils find only the conversations of today.",
            "notes_names": "On a page of their own, so that you know who needs you when there is a concern. Pupils are "
            "told. Names are erased with the class, or when you switch this off.",
            "days_kept": "Then everything that pupils asked is erased.",
        }
        widgets = {
            "sources_shown": forms.RadioSelect,
            "answer_length": forms.RadioSelect,
            "opens": forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
            "closes": forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        }

    def __init__(self, *args: Any, member: Membership, chosen: Chatbot | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        link, is_new = self.instance, self.instance._state.adding
        available: forms.ModelMultipleChoiceField[Chatbot] = self.fields["chatbots"]  # type: ignore[assignment]
        available.queryset = list_offered_chatbots(member, self.instance).order_by("name", "pk")
        self.fields["name"].widget.attrs["placeholder"] = "Such as: Geography 9b"
        self.fields["sources_shown"].choices = SourcesShown.choices  # type: ignore[attr-defined]
        self.fields["answer_length"].choices = AnswerLength.choices  # type: ignore[attr-defined]
        kinds = [kind for kind in list_searchable_kinds() if kind.is_allowed_for(member.school)]
        self.fields["kinds"].choices = [(kind.value, kind.said) for kind in kinds]  # type: ignore[attr-defined]
        self.initial = dict(self.initial) | {
            "chatbots": [chosen] if is_new and chosen else ([] if is_new else list(link.chatbots.all())),
            "ends_on": (timezone.localdate() + timedelta(days=USUAL_DAYS))
            if is_new
            else timezone.localtime(link.ends_at).date(),
            "weekdays": list(EVERY_DAY) if is_new else link.weekdays,
            "kinds": [kind.value for kind in kinds] if is_new or link.kinds is None else link.kinds,
        }

    def clean_ends_on(self) -> date:
        day: date = self.cleaned_data["ends_on"]
        if day < timezone.localdate():
            raise forms.ValidationError("This day is over. Choose today or a later day.")
        return day

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        opens, closes = data.get("opens"), data.get("closes")
        if opens and closes and opens >= closes:
            self.add_error("closes", "This is before the time at which it opens.")
        return data

    def fields_of_link(self) -> dict[str, Any]:
        """The checked values, as `classrooms.links` takes them."""
        data = dict(self.cleaned_data)
        kinds = set(data["kinds"])
        everything = {value for value, _ in self.fields["kinds"].choices}  # type: ignore[attr-defined]
        # Kinds that are switched off with their plug-in are not offered: what was chosen of them stays.
        was_limited = not self.instance._state.adding and self.instance.kinds is not None
        if was_limited and find_plugins() != find_all_plugins():
            data["kinds"] = sorted(kinds | (set(self.instance.kinds or ()) - everything))
        else:
            data["kinds"] = None if kinds == everything else sorted(kinds)
        data["ends_at"] = timezone.make_aware(datetime.combine(data.pop("ends_on"), time(23, 59, 59)))
        data["chatbots"] = [one.pk for one in data["chatbots"]]
        return data

    @property
    def folded(self) -> list[forms.BoundField]:
        return [self[name] for name in self.FOLDED]

    @property
    def open_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "chatbots", "ends_on", "sources_shown")]

    @property
    def has_folded_errors(self) -> bool:
        return any(name in self.errors for name in self.FOLDED)


class TranscriptForm(forms.Form):
    """What a teacher looks for in the transcripts of a class."""

    words = forms.CharField(label="Search", required=False, max_length=200)
    pupil = forms.ChoiceField(label="Pupil", required=False)
    outcome = forms.ChoiceField(
        label="Show",
        required=False,
        choices=[
            ("", "All questions"),
            ("answered", "Answered"),
            ("refused", "Not answered"),
            ("hand", "Asked the teacher"),
        ],
    )
    on = forms.DateField(label="Day", required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, *args: Any, link: ClassLink, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(str(one.pk), one.nickname) for one in link.pupils.order_by("nickname")]
        self.fields["pupil"].choices = [("", "Everybody"), *names]  # type: ignore[attr-defined]

    def filters(self) -> dict[str, Any]:
        """The values that are valid; the others are left out."""
        self.is_valid()
        data = self.cleaned_data
        return {
            "words": data.get("words", ""),
            "pupil": data.get("pupil") or None,
            "outcome": data.get("outcome", ""),
            "on": data.get("on"),
        }


class PhrasesField(forms.CharField):
    """Words and phrases, one a line."""

    widget = forms.Textarea(attrs={"rows": 8, "spellcheck": "false"})

    def clean(self, value: object) -> list[str]:
        """Return the phrases. Each mistake names its line."""
        phrases: dict[str, None] = {}
        mistakes: list[str] = []
        for number, line in enumerate(super().clean(value).splitlines(), start=1):
            phrase = " ".join(line.split())
            if len(phrase) > MAX_PHRASE:
                mistakes.append(f"Line {number} is longer than {MAX_PHRASE} characters.")
            elif phrase and len("".join(split_words(phrase))) < 2:
                mistakes.append(f"Line {number}, “{phrase}”: write a word of at least two letters.")
            elif phrase:
                phrases[phrase] = None
        if len(phrases) > MAX_PHRASES:
            mistakes.append(f"A list has at most {MAX_PHRASES} lines.")
        if mistakes:
            raise ValidationError(mistakes[:20])
        return list(phrases)


class ConcernForm(forms.ModelForm[ClassroomSettings]):
    """The words, and what happens when one is found."""

    class Meta:
        model = ClassroomSettings
        fields = ("on_concern", "help_words", "asks_model", "tells_teacher")
        labels = {
            "on_concern": "When something is found",
            "help_words": "Words of help",
            "asks_model": "The language model also reads what pupils asked and were answered",
            "tells_teacher": "The teacher of the class gets a mail",
        }
        widgets = {"on_concern": forms.RadioSelect, "help_words": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["help_words"].help_text = (
            "For self-harm and abuse: shown instead of what is held back, or else beside the answer. With a help line "
            f"of your choice. Else: “{replies.HELP['en']}” Violence and personal data have words of their own."
        )
        self.fields["asks_model"].help_text = (
            "It reads afterwards, so nobody waits. It finds what no list has, and it may be wrong. The teacher "
            "sees the words that it goes by. No answer waits for it."
        )
        if not get_llm().generative and not self.instance.asks_model:
            self.fields["asks_model"].disabled = True
            self.fields["asks_model"].help_text = "This installation has no language model."
        for category, phrases in flagging.list_phrases(self.instance).items():
            label, shown = Concern(category).label, "\n".join(phrases)
            self.fields[category] = PhrasesField(label=label, required=False, initial=shown)
        choices = [choice for choice in self.fields["on_concern"].choices if choice[0]]  # type: ignore[attr-defined]
        self.fields["on_concern"].choices = choices  # type: ignore[attr-defined]

    def choices(self) -> list[BoundField]:
        """Return the fields that are no list of words."""
        return [field for field in self if field.name not in Concern]

    def lists(self) -> list[BoundField]:
        """Return the lists of words."""
        return [self[category] for category in Concern.values]

    @transaction.atomic
    def save(self, commit: bool = True) -> ClassroomSettings:
        """Store the choices."""
        school = self.instance.school_id
        default, before = load_default(), self.instance.concern_words
        lists = {category: self.cleaned_data[category] for category in Concern.values}
        self.instance.concern_words = {
            category: phrases for category, phrases in lists.items() if phrases and phrases != default[category]
        }
        if self.instance.concern_words != before:
            record(Action.CONCERN_CHANGED, school=school)
        record(
            Action.SETTINGS_CHANGED,
            school=school,
            detail={
                "words of concern": self.instance.on_concern,
                "language model": "reads too" if self.instance.asks_model else "does not read",
            },
        )
        return super().save(commit)


class SafeguardingForm(forms.ModelForm[ClassroomSettings]):
    """Who is told at once of grave concerns, and whether pupils practise for grades."""

    leads = forms.ModelMultipleChoiceField(
        queryset=Membership.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Safeguarding lead",
        help_text="Gets a mail at once when self-harm, violence or abuse is found in a class, and can read what the "
        "pupil wrote. The teacher of the class is told, too. Name a deputy as well if you have one.",
    )

    class Meta:
        model = ClassroomSettings
        fields = ("goes_without_lead", "allows_practice", "sends_grades")
        labels = {
            "goes_without_lead": "We have no safeguarding lead. Admins are told instead.",
            "allows_practice": "Pupils can practise with study plans",
            "sends_grades": "Grades for practice may go to a learning platform",
        }
        help_texts = {
            "allows_practice": "Off, pupils can still ask the tutor of a plan. Nothing is graded.",
            "sends_grades": "Off, no grade is sent, and what was stored to send them is erased.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people: Any = self.fields["leads"]
        members = Membership.objects.joined().filter(school=self.instance.school_id, user__is_active=True)
        people.queryset = members.named().select_related("user")
        people.label_from_instance = lambda member: member.name
        self.initial["leads"] = members.filter(safeguarding_lead__isnull=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("leads") and not data.get("goes_without_lead"):
            self.add_error("leads", "Name somebody, or say below that your school has no safeguarding lead.")
        return data

    @transaction.atomic
    def save(self, commit: bool = True) -> ClassroomSettings:
        """Store the choices, with the leads."""
        school, members = self.instance.school_id, self.cleaned_data["leads"]
        self.instance.leads_chosen = len(members)
        self.instance.goes_without_lead = self.instance.goes_without_lead and not members
        SafeguardingLead.objects.filter(school=school).exclude(member__in=members).delete()
        rows = [SafeguardingLead(school_id=school, member=member) for member in members]
        SafeguardingLead.objects.bulk_create(rows, ignore_conflicts=True)
        detail = {
            "safeguarding leads": ", ".join(one.name for one in members) or "none",
            "practice": "allowed" if self.instance.allows_practice else "switched off",
            "grades": "sent" if self.instance.sends_grades else "not sent",
        }
        record(Action.SETTINGS_CHANGED, school=school, detail=detail)
        return super().save(commit)
