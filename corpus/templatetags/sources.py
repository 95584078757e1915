from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from corpus.models import Document
from corpus.reading.blocks import Block
from corpus.source_kinds import get_kind
from text.languages import detect_language
from text.question_language import question_language
from text.shortening import shorten
from text.tables import drop_tables

register = template.Library()


register.filter("source_kind", get_kind)
register.filter("shorten", shorten)


@register.filter
def spoken(text: str, usual: str = "") -> SafeString:
    """The attributes of an element with a text that people wrote: its language, as far as it is known, and that it runs
    in its own direction. `usual` is the language of a text that is too short to tell."""
    code = detect_language(drop_tables(text[:1000]))  # they tell its language
    code = code or (usual and question_language(text, usual=usual, expected=usual))
    return format_html(' lang="{}" dir="auto"', code) if code else mark_safe(' dir="auto"')


@register.simple_tag
def drawn_page(document: Document, block: Block) -> str:
    """The address of what was read of a block beside its page, with the wanted passage marked if the block has it."""
    address = reverse(f"{document._meta.app_label}:page", args=[document.pk])
    passage = f"&passage={block.position}" if block.found else ""
    place = f"page={block.page}" if block.page else f"block={block.number}"
    return f"{address}?{place}{passage}"
