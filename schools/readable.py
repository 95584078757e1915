"""JSON and lists of the database as Django admin shows them: as texts, lists and tables of terms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

NOTHING = SafeString("–")


class Readable:
    """Admin mixin for pages on which nothing is edited."""

    def get_fields(self, request: object, obj: object = None) -> Any:
        shown = super().get_fields(request, obj)  # type: ignore[misc]
        return [_display(self.model, name) for name in shown]  # type: ignore[attr-defined]

    def get_readonly_fields(self, request: Any, obj: Any = None) -> Any:
        names = super().get_readonly_fields(request, obj)  # type: ignore[misc]
        if not self.fields:  # type: ignore[attr-defined]
            return names
        return [*names, *filter(callable, self.get_fields(request, obj))]  # an inline would ask its form for them


def _display(model: type[models.Model], name: Any) -> object:
    """The name of a field, or for one with a nested value a function that shows it."""
    try:
        field = model._meta.get_field(name)
    except (FieldDoesNotExist, TypeError):
        return name
    return _shower(field) if isinstance(field, models.JSONField | ArrayField) else name


@cache
def _shower(field: Any) -> Callable[[object], SafeString]:
    def show(row: Any) -> SafeString:
        return render_value(getattr(row, field.name))

    show.short_description = field.verbose_name  # type: ignore[attr-defined]
    return show


def render_value(value: object) -> SafeString:
    """A nested value. Of a prompt, each message stands under its role."""
    if value in (None, "", [], {}):
        return NOTHING
    if isinstance(value, dict):
        if value.keys() == {"role", "content"}:
            return format_html("<h4>{}</h4>{}", str(value["role"]).capitalize(), render_value(value["content"]))
        terms = ((str(key).replace("_", " "), render_value(inner)) for key, inner in value.items())
        return format_html('<dl class="readable">{}</dl>', format_html_join("", "<dt>{}</dt><dd>{}</dd>", terms))
    if isinstance(value, list | tuple):
        entries = format_html_join("", "<li>{}</li>", ((render_value(inner),) for inner in value))
        return format_html('<ol class="readable">{}</ol>', entries)
    if isinstance(value, bool):
        return SafeString("yes" if value else "no")
    return format_html('<div class="readable-text">{}</div>', f"{value:.4g}" if isinstance(value, float) else value)
