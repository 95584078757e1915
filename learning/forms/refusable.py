"""A form whose values a service refuses by field."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms


class RefusableForm(forms.Form):
    """A form of a service that says by field why it refuses."""

    def refuse(self, reasons: Mapping[str, str]) -> None:
        """Show the reasons at their fields, those of fields that the form lacks above it."""
        for name, words in reasons.items():
            self.add_error(name if name in self.fields else None, words)
