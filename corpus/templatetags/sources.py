from django import template

from corpus.source_kinds import kind_of

register = template.Library()
register.filter("source_kind", kind_of)
