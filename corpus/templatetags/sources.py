from django import template
from django.urls import reverse

from corpus.models import Document
from corpus.reading.blocks import Block
from corpus.source_kinds import kind_of
from text.shortening import shorten

register = template.Library()
register.filter("source_kind", kind_of)
register.filter("shorten", shorten)


@register.simple_tag
def drawn_page(document: Document, block: Block) -> str:
    """The address of the page of a block as a picture, with the wanted passage marked if the block contains it."""
    address = reverse(f"{document._meta.app_label}:page", args=[document.pk])
    passage = f"&passage={block.position}" if block.found else ""
    return f"{address}?page={block.page}{passage}"
