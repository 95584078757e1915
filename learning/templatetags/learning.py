"""Filters for texts of study plans that cite their sources."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString, mark_safe

from chatbots.citations.rendering import render_answer
from learning.models import ConceptSource
from learning.questions.wording import GAP

register = template.Library()

_SHOWN_GAP = '<span class="gap"><span class="visually-hidden">(gap)</span></span>'
_SIGN = "\ue00a"  # Markdown leaves it as it is


@register.filter
def cited(text: str, sources: Sequence[ConceptSource]) -> SafeString:
    """The text as HTML; its [n] are links to the notes of these sources, its gap is a box."""
    html = render_answer(text.replace(_SIGN, " ").replace(GAP, _SIGN), sources)
    return mark_safe(html.replace(_SIGN, _SHOWN_GAP))  # noqa: S308 - cleaned there


@register.filter
def with_gap(text: str) -> SafeString:
    """The text as HTML with its gap as a box. Its [n] stay numbers."""
    return cited(text, [])


@register.filter
def percent(share: float) -> str:
    return f"{round(100 * share)}%"
