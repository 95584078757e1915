from django import template

from corpus.stalls import stall

register = template.Library()
register.filter("stall", stall)
