"""For admins: what happens when a rule of concern finds something, and the rules themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from chatbots.models import Language
from classrooms import flagging
from classrooms.concern import replies
from classrooms.concern.adding import add_words
from classrooms.concern.checking import check
from classrooms.concern.rules import LONGEST_TEXT, RulesError, default, parse
from classrooms.mails import is_nobody_told
from classrooms.models import ClassroomSettings, Concern, ConcernRules, Counsellor
from engines.llm import get_llm
from schools.access import MemberRequest, admin_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

LONGEST_ADDED = 10_000
"""Characters of the words that an admin adds at once."""


class ConcernForm(forms.ModelForm[ClassroomSettings]):
    """What happens with what a rule finds."""

    counsellors = forms.ModelMultipleChoiceField(
        queryset=Membership.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="These people get a mail",
        help_text="It names the class, the nickname and what the rule is about, not what the pupil wrote.",
    )

    class Meta:
        model = ClassroomSettings
        fields = ("on_concern", "help_words", "asks_model", "tells_teacher")
        labels = {
            "on_concern": "When a rule finds something",
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
            "It reads afterwards, so nobody waits. It may find what no rule finds, and it may be wrong. The teacher "
            "sees the words that it goes by. Nothing is held back for it."
        )
        if not get_llm().generative and not self.instance.asks_model:
            self.fields["asks_model"].disabled = True
            self.fields["asks_model"].help_text = "This installation has no language model."
        choices = [choice for choice in self.fields["on_concern"].choices if choice[0]]  # type: ignore[attr-defined]
        self.fields["on_concern"].choices = choices  # type: ignore[attr-defined]

    @transaction.atomic
    def save(self, commit: bool = True) -> ClassroomSettings:
        """Store the choices, with those who get a mail."""
        school, members = self.instance.school_id, self.cleaned_data["counsellors"]
        self.instance.counsellors_chosen = len(members)
        Counsellor.objects.filter(school=school).exclude(member__in=members).delete()
        rows = [Counsellor(school_id=school, member=member) for member in members]
        Counsellor.objects.bulk_create(rows, ignore_conflicts=True)
        record(
            Action.SETTINGS_CHANGED,
            school=school,
            detail={
                "rules of concern": self.instance.on_concern,
                "language model": "reads too" if self.instance.asks_model else "does not read",
            },
        )
        return super().save(commit)


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def index(request: MemberRequest) -> HttpResponseBase:
    """What happens when a rule finds something."""
    school = request.member.school
    form = ConcernForm(request.POST or None, instance=flagging.settings_of(school))
    if form.is_valid():
        form.save()
        messages.success(request, "Saved. It counts from the next question on.")
        return redirect("classrooms:concern")
    edited = set(ConcernRules.objects.filter(school=school).values_list("language", flat=True))
    languages = [(code, name, code in edited) for code, name in Language.choices]
    context = {"form": form, "languages": languages, "is_nobody_told": is_nobody_told(school)}
    return render(request, "classrooms/concern.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def rules(request: MemberRequest, language: str) -> HttpResponseBase:
    """The rules for one language: read, tried, edited, and set back to those that come with Lectern."""
    if language not in Language.values:
        raise Http404("There is nothing here.")
    school, post = request.member.school, request.POST
    context: dict[str, Any] = {
        "language": language,
        "name": Language(language).label,
        "text": post.get("text", flagging.rules_text(school, language)),
        "tried": post.get("sentence", "")[:2000],
        "found": None,
        "category": post.get("category", ""),
        "added": post.get("added", ""),
        "categories": Concern.choices,
        "longest": LONGEST_TEXT,
        "longest_added": LONGEST_ADDED,
        "is_edited": ConcernRules.objects.filter(school=school, language=language).exists(),
    }
    if request.method == "POST":
        told = _act(request, language, context)
        if told:
            messages.success(request, told)
            return redirect("classrooms:concern-rules", language)
    is_wrong = "mistakes" in context or "added_mistakes" in context
    return render(request, "classrooms/concern_rules.html", context, status=422 if is_wrong else 200)


def _act(request: MemberRequest, language: str, context: dict[str, Any]) -> str:
    """Do what the button says. Returns what was done, empty for what is shown in `context`: findings or mistakes."""
    school, text, told = request.member.school, context["text"], "Saved. The rules count from the next question on."
    if "add" in request.POST:
        try:
            if len(context["added"]) > LONGEST_ADDED:
                raise RulesError([(1, f"At most {LONGEST_ADDED:,} characters are possible at once.")])
            if context["category"] not in Concern.values:
                raise RulesError([(1, "Choose what the words are about.")])
            text = add_words(text, context["category"], context["added"])
            told = "Added and saved. Your words stand at the end of the rules and count from the next question on."
        except RulesError as error:
            context["added_mistakes"] = _with_lines(error, context["added"])
            return ""
    try:
        if "try" in request.POST:
            context["found"] = check(context["tried"], [parse(text)])
            return ""
        flagging.save_rules(school, language, default(language) if "default" in request.POST else text)
    except RulesError as error:
        context["mistakes"] = _with_lines(error, text)
        return ""
    return told


def _with_lines(error: RulesError, text: str) -> list[tuple[int, str, str]]:
    """Each mistake as (number of the line, message, the line itself)."""
    lines = text.splitlines()
    return [(line, told, lines[line - 1].strip() if line <= len(lines) else "") for line, told in error.mistakes]
