from django import template

from corpus.source_kinds import SourceKind, kind_of

register = template.Library()


@register.filter
def source_kind(value: str) -> SourceKind:
    """The kind of source of this value."""
    return kind_of(value)
