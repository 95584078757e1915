"""For admins: which words of concern are looked for in classes, and what happens when one is found."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import BoundField
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from classrooms import flagging
from classrooms.concern import replies
from classrooms.concern.checking import load_default, split_words
from classrooms.mails import is_nobody_told
from classrooms.models import ClassroomSettings, Concern, Counsellor
from engines.llm import get_llm
from schools.access import MemberRequest, admin_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

MAX_PHRASES, MAX_PHRASE = 500, 100
"""Lines of a list, and characters of a line."""


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

    counsellors = forms.ModelMultipleChoiceField(
        queryset=Membership.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="These people get a mail",
        help_text="It names the class, the nickname and what it is about, not what the pupil wrote.",
    )

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
        people: Any = self.fields["counsellors"]
        members = Membership.objects.joined().filter(school=self.instance.school_id)
        people.queryset = members.named().select_related("user")
        people.label_from_instance = lambda member: member.name
        self.initial["counsellors"] = members.filter(counsellor__isnull=False)
        self.fields["help_words"].help_text = (
            "For self-harm and abuse: shown instead of what is held back, or else beside the answer. With a help line "
            f"of your choice. Else: “{replies.HELP['en']}” Violence and personal data have words of their own."
        )
        self.fields["asks_model"].help_text = (
            "It reads afterwards, so nobody waits. It finds what no list has, and it may be wrong. The teacher "
            "sees the words that it goes by. Nothing is held back for it."
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
        """Store the choices, with those who get a mail."""
        school, members = self.instance.school_id, self.cleaned_data["counsellors"]
        self.instance.counsellors_chosen = len(members)
        Counsellor.objects.filter(school=school).exclude(member__in=members).delete()
        rows = [Counsellor(school_id=school, member=member) for member in members]
        Counsellor.objects.bulk_create(rows, ignore_conflicts=True)
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


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def edit_words_of_concern(request: MemberRequest) -> HttpResponseBase:
    """Show and store the words of concern, and what happens when one is found."""
    school = request.member.school
    form = ConcernForm(request.POST or None, instance=flagging.get_settings(school))
    if form.is_valid():
        form.save()
        messages.success(request, "Saved. It counts from the next question on.")
        return redirect("classrooms:concern")
    context = {"form": form, "is_nobody_told": is_nobody_told(school)}
    return render(request, "classrooms/concern.html", context, status=422 if form.errors else 200)
