"""The filter form of the question log."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from chatbots.models import Outcome
from chatbots.question_log.store import list_named_chatbots
from schools.models import Membership

_SENSIBLE = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]
_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class QuestionLogForm(forms.Form):
    """Invalid fields get an error and do not filter."""

    words = forms.CharField(
        label="Words in questions and answers",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    chatbot = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(label="Answers", required=False, choices=[("", "All"), *Outcome.choices])
    since = forms.DateField(label="From", required=False, widget=_DAY, validators=_SENSIBLE)
    until = forms.DateField(label="To", required=False, widget=_DAY, validators=_SENSIBLE)

    def __init__(self, *args: Any, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["chatbot"]
        field.choices = [("", "All"), *list_named_chatbots(member)]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until < since:
            self.add_error("until", "This is before the first day.")
        return cleaned

    def filters(self) -> dict[str, Any]:
        """The keyword arguments of `store.search_log`; fields that are empty or invalid do not filter."""
        self.is_valid()
        return {name: self.cleaned_data.get(name) or None for name in ("since", "until")} | {
            name: self.cleaned_data.get(name) or "" for name in ("words", "chatbot", "outcome")
        }
