"""The filter form of the audit log."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from schools.audit.actions import Action

_SENSIBLE = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]
_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class AuditForm(forms.Form):
    """Invalid fields get an error and do not filter."""

    words = forms.CharField(
        label="Person, act or subject",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    action = forms.ChoiceField(label="Act", required=False, choices=[("", "All"), *Action.choices])
    since = forms.DateField(label="From", required=False, widget=_DAY, validators=_SENSIBLE)
    until = forms.DateField(label="To", required=False, widget=_DAY, validators=_SENSIBLE)

    def filters(self) -> dict[str, Any]:
        """The keyword arguments of `services.search_audit_log`."""
        self.is_valid()
        dates = {name: self.cleaned_data.get(name) or None for name in ("since", "until")}
        return dates | {name: self.cleaned_data.get(name) or "" for name in ("words", "action")}
