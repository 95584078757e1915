from django import template

from corpus.ingestion.stuck import stuck_notice

register = template.Library()
register.filter(stuck_notice)
