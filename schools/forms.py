"""What every text field of forms and the API refuses, and the form by which logs are filtered."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator

from text.visible import is_visible


def check_visible(value: object) -> None:
    """Refuse a text of nothing but white space and signs without width. Every text field of forms and the API does."""
    if isinstance(value, str) and not is_visible(value):
        raise ValidationError("This has no visible characters. Please write something.", code="required")


class _DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    default_validators = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]


class LogForm(forms.Form):
    """Filters a log by days, and by the fields of a subclass. Invalid fields get an error and do not filter."""

    since = _DayField(label="From", required=False)
    until = _DayField(label="To", required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until < since:
            self.add_error("until", "This is before the first day.")
        return cleaned

    def filters(self) -> dict[str, Any]:
        """The value of each field; None for no day and "" for no words."""
        self.is_valid()
        empty = {name: None if isinstance(field, forms.DateField) else "" for name, field in self.fields.items()}
        return {name: self.cleaned_data.get(name) or nothing for name, nothing in empty.items()}
