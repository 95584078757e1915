"""The filter form of the audit log."""

from __future__ import annotations

from django import forms

from schools.audit.actions import Action
from schools.forms import LogForm


class AuditForm(LogForm):
    """Its filters are the keyword arguments of `services.search_audit_log`."""

    words = forms.CharField(
        label="Person, act or subject",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    action = forms.ChoiceField(label="Act", required=False, choices=[("", "All"), *Action.choices])

    field_order = ["words", "action", "since", "until"]
