"""For admins: what happens when a rule of concern finds something, and the rules themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from chatbots.models import Language
from classrooms import flagging
from classrooms.concern import replies
from classrooms.concern.checking import check
from classrooms.concern.rules import LONGEST_TEXT, RulesError, default, parse
from classrooms.models import ClassroomSettings, ConcernRules
from engines.llm import get_llm
from schools.access import MemberRequest, admin_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership


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
        people.queryset = Membership.objects.joined().filter(school=self.instance.school_id).named()
        people.label_from_instance = lambda member: member.name
        self.initial["counsellors"] = self.instance.counsellors
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

    def save(self, commit: bool = True) -> ClassroomSettings:
        self.instance.counsellors = [member.pk for member in self.cleaned_data["counsellors"]]
        record(
            Action.SETTINGS_CHANGED,
            school=self.instance.school_id,
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
    context = {"form": form, "languages": [(code, name, code in edited) for code, name in Language.choices]}
    return render(request, "classrooms/concern.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def rules(request: MemberRequest, language: str) -> HttpResponseBase:
    """The rules for one language: read, tried, edited, and set back to those that come with Lectern."""
    if language not in Language.values:
        raise Http404("There is nothing here.")
    school = request.member.school
    text = request.POST.get("text", flagging.rules_text(school, language))
    mistakes: list[tuple[int, str]] = []
    tried = request.POST.get("sentence", "")[:2000]
    found = None
    if request.method == "POST":
        try:
            if "default" in request.POST:
                flagging.save_rules(school, language, default(language))
            elif "try" in request.POST:
                found = check(tried, [parse(text)])
            else:
                flagging.save_rules(school, language, text)
        except RulesError as error:
            mistakes = error.mistakes
        else:
            if found is None:
                messages.success(request, "Saved. The rules count from the next question on.")
                return redirect("classrooms:concern-rules", language)
    context = {
        "language": language,
        "name": Language(language).label,
        "text": text,
        "mistakes": mistakes,
        "tried": tried,
        "found": found,
        "longest": LONGEST_TEXT,
        "is_edited": ConcernRules.objects.filter(school=school, language=language).exists(),
    }
    return render(request, "classrooms/concern_rules.html", context, status=422 if mistakes else 200)
