"""Filters for the pages of pupils."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.conf import settings
from django.utils import formats, timezone
from django.utils.safestring import SafeString

from chatbots.citations.markers import strip_markers
from chatbots.citations.rendering import render_plain_citations, render_unfinished
from chatbots.models import Message, MessageSource
from chatbots.templatetags.answers import cited_sources, rendered, without_closing
from classrooms.disclosure import list_facts
from classrooms.flagging import describe_place, find_care, find_held_words, may_be_held
from classrooms.models import ClassLink, Flag, RaisedHand, SourcesShown
from classrooms.transcripts import list_concerns
from corpus.reading.unfinished import complete
from learning.models import ConceptSource
from learning.templatetags.learning import cited
from schools.models import Membership

register = template.Library()
register.simple_tag(find_care, name="care_for")
register.simple_tag(list_facts)
register.filter("where_found", describe_place)
register.filter("describe_concerns", list_concerns)


@register.filter
def answer_for(message: Message, link: ClassLink) -> SafeString:
    """The answer as the pupils of this class may see it: with its passages, with plain citations, or with none. Nothing
    of it before it is checked, where the school holds concerns back."""
    if may_be_held(message):
        return SafeString()
    if message.is_finished and link.sources_shown == SourcesShown.ALL:
        return rendered(message)
    text = without_closing(message) if message.is_finished else complete(message.answer)
    if link.sources_shown == SourcesShown.NONE:
        return render_unfinished(strip_markers(text), {})
    return render_unfinished(text, render_plain_citations(message.sources.all()))


@register.simple_tag
def count_unseen_concerns(member: Membership) -> int:
    """How many concerns wait for this member to look at them."""
    return Flag.objects.for_member(member).unseen().count()


@register.simple_tag
def cited_for(text: str, sources: Sequence[ConceptSource], link: ClassLink) -> SafeString:
    """A text of a practice question for pupils: with citations, if they see sources at all."""
    if link.sources_shown == SourcesShown.ALL:
        return cited(text, sources)
    return cited(strip_markers(text), [])


@register.filter
def held_words_for(message: Message) -> str:
    """What a pupil reads instead of an answer that is held back; empty for any other."""
    return find_held_words(message) if message.is_finished else ""


@register.filter
def sources_for_pupils(message: Message) -> Sequence[MessageSource]:
    """The sources of an answer that pupils may see now: what it cites; all while it is written, none if it is held."""
    if message.is_finished:
        return cited_sources(message)
    return [] if may_be_held(message) else list(message.sources.all())


@register.filter
def when_today(found: Flag | RaisedHand) -> str:
    """When something was found or a hand raised: the time, before today with the day."""
    at = timezone.localtime(found.raised_at)
    return formats.date_format(at, "H:i" if at.date() == timezone.localdate() else "j M, H:i")


@register.simple_tag
def question_log_days() -> int:
    """For how many days the question log of the school keeps what was asked; 0 if there is none."""
    return settings.LECTERN_QUESTION_LOG_DAYS


@register.filter
def outcome_label(message: Message) -> str:
    """How a question ended, for the teacher; empty for a usual answer."""
    if message.mode == "refused" and message.status == "done":
        return "Not answered"
    return "" if message.status == "done" else message.get_status_display()
