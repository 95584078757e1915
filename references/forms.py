from __future__ import annotations

from typing import Any

from django import forms

from references.approved.csv_file import COLUMNS, split_keywords
from references.approved.topics import MAX_NAME_LENGTH, TopicRefused
from references.models import ApprovedTopic, ReferenceSettings

MAX_TABLE_LENGTH = 1_000_000
"""Bytes of an uploaded table."""

_ONE_A_LINE = "One on each line."


class SourceSettingsForm(forms.ModelForm[ReferenceSettings]):
    """What the school allows, each explained in a sentence."""

    class Meta:
        model = ReferenceSettings
        fields = [
            "allows_approved",
            "allows_wikipedia_offline",
            "allows_wikipedia_live",
            "allows_web_pages",
            "allows_outside_calls",
            "allows_http",
        ]


class TopicForm(forms.Form):
    """A topic with its keywords and the addresses of its pages."""

    name = forms.CharField(
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Such as “Renting a home”. Only admins see it.",
        error_messages={"required": "Give the topic a name."},
    )
    keywords = forms.CharField(
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Separated by commas. A question brings the pages of this topic if it has at least two different "
        "ones. Case, accents and word forms do not matter, and a keyword may have several words.",
        error_messages={"required": "Give at least two keywords: a question needs two."},
    )
    addresses = forms.CharField(
        label="Addresses of the pages",
        required=False,
        max_length=250_000,
        widget=forms.Textarea(attrs={"rows": 8, "class": "addresses", "spellcheck": "false", "autocapitalize": "off"}),
        help_text=f"{_ONE_A_LINE} You can paste a whole list. By adding an address you approve what the page says now.",
    )

    @classmethod
    def of(cls, topic: ApprovedTopic, **bound: Any) -> TopicForm:
        """The form with what is saved."""
        addresses = topic.pages.values_list("address", flat=True)
        initial = {"name": topic.name, "keywords": ", ".join(topic.keywords), "addresses": "\n".join(addresses)}
        return cls(**bound, initial=initial)

    def values(self) -> dict[str, Any]:
        """What was written, as the services take it."""
        data = self.cleaned_data
        return {
            "name": data["name"],
            "keywords": split_keywords(data["keywords"]),
            "addresses": data["addresses"].splitlines(),
        }

    def refuse(self, reason: TopicRefused) -> None:
        self.add_error(reason.field, reason.reasons)


class AddressesForm(forms.Form):
    """More pages for a topic."""

    addresses = forms.CharField(
        label="Their addresses",
        max_length=250_000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "addresses", "spellcheck": "false", "autocapitalize": "off"}),
        help_text=f"{_ONE_A_LINE} By adding an address you approve what the page says now.",
        error_messages={"required": "Write or paste at least one address."},
    )

    def refuse(self, reason: TopicRefused) -> None:
        self.add_error("addresses", reason.reasons)


class TableForm(forms.Form):
    """A table of topics, as a file or pasted."""

    file = forms.FileField(
        label="CSV file",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )
    table = forms.CharField(
        label="Or the lines themselves",
        required=False,
        max_length=MAX_TABLE_LENGTH,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "addresses", "spellcheck": "false"}),
        help_text=f"The first line names the columns: {';'.join(COLUMNS)}. Each line after it has one address, and "
        "keywords with commas between them.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file and file.size > MAX_TABLE_LENGTH:
            self.add_error("file", "This file is too large for a list of pages.")
        elif not self.errors and not file and not cleaned.get("table", "").strip():
            self.add_error("file", "Choose a file, or paste its lines below.")
        return cleaned

    def sent(self) -> bytes | str:
        """The table of a valid form."""
        file = self.cleaned_data["file"]
        sent: bytes | str = file.read() if file else self.cleaned_data["table"]
        return sent
