from django import template

from corpus.ingestion.stuck import stall

register = template.Library()
register.filter("stall", stall)
