"""What plug-ins show at a place of a page of the core: the template tag `fragments`, built into every template."""

from __future__ import annotations

from django import template
from django.template import Context
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from plugins.registry import find_plugins

register = template.Library()


@register.simple_tag(takes_context=True)
def fragments(context: Context, place: str) -> SafeString:
    """Render the fragments of a place with the context of the page."""
    engine = context.template.engine  # type: ignore[union-attr]  # a page is being rendered
    names = [f"{plugin.label}/fragments/{place}.html" for plugin in find_plugins() if place in plugin.fragments]
    return format_html_join("", "{}", ((engine.get_template(name).render(context),) for name in names))
