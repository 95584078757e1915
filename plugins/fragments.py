"""What plug-ins show at a place of a page of the core: the template tag `fragments`, built into every template."""

from __future__ import annotations

from django import template
from django.template import Context
from django.utils.safestring import SafeString, mark_safe

from plugins.registry import find_plugins

register = template.Library()


@register.simple_tag(takes_context=True)
def fragments(context: Context, place: str) -> SafeString:
    """Render the fragments of a place with the context of the page. Without any, the result is empty."""
    engine = context.template.engine  # type: ignore[union-attr]  # a page is being rendered
    names = [f"{plugin.label}/fragments/{place}.html" for plugin in find_plugins() if place in plugin.fragments]
    rendered = (engine.get_template(name).render(context).rstrip() for name in names)
    return mark_safe("\n".join(filter(None, rendered)))  # noqa: S308 - templates escape
