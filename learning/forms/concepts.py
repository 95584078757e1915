"""Edits of a concept."""

from __future__ import annotations

from typing import Any

from django import forms

from learning.models import Concept


class ConceptForm(forms.Form):
    name = forms.CharField(max_length=120, error_messages={"required": "Give the concept a name."})
    definition = forms.CharField(
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence. A definition in your own words cites no source.",
    )


class OtherConceptForm(forms.Form):
    other = forms.ModelChoiceField(
        queryset=Concept.objects.none(),
        label="Concept",
        empty_label="Choose a concept",
        error_messages={"required": "Choose a concept.", "invalid_choice": "This concept is not there any more."},
    )

    def __init__(self, *args: Any, others: Any, label: str = "Concept", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["other"]
        field.queryset, field.label = others, label


class SplitForm(forms.Form):
    name = forms.CharField(
        max_length=120, label="Name of the new concept", error_messages={"required": "Give the concept a name."}
    )
    sources = forms.TypedMultipleChoiceField(
        coerce=int, required=False, label="Its sources", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, concept: Concept, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sources: Any = self.fields["sources"]
        sources.choices = [
            (one.number, f"[{one.number}] {one.document_title}") for one in concept.sources.filter(is_current=True)
        ]
