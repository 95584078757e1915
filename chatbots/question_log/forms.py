"""The filter form of the question log."""

from __future__ import annotations

from typing import Any

from django import forms

from chatbots.models import Outcome
from chatbots.question_log.store import list_named_chatbots
from schools.forms import LogForm
from schools.models import Membership


class QuestionLogForm(LogForm):
    """Its filters are the keyword arguments of `store.search_log`."""

    words = forms.CharField(
        label="Words in questions and answers",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    chatbot = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(label="Answers", required=False, choices=[("", "All"), *Outcome.choices])

    field_order = ["words", "chatbot", "outcome", "since", "until"]

    def __init__(self, *args: Any, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["chatbot"]
        field.choices = [("", "All"), *list_named_chatbots(member)]
