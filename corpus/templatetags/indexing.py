from django import template

from corpus.ingestion.stuck import stuck_notice

register = template.Library()
register.filter("stall", stuck_notice)
