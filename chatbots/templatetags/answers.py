from datetime import date, timedelta

from django import template
from django.template.defaultfilters import date as format_date
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from chatbots.answering import explanations
from chatbots.citations.rendering import Quote, quote, render_answer
from chatbots.conversations.export import text_of
from chatbots.models import Message, MessageSource, Reason, Selection
from corpus.reading.formulas import render_formulas
from corpus.reading.tables import readable
from engines.extractive import ExtractiveAnswerer

register = template.Library()


@register.filter
def rendered(message: Message) -> SafeString:
    """The answer with its citations as links."""
    sources = list(message.sources.all())
    return render_answer(message.answer, sources, support=message.support, unfounded=message.unfounded)


@register.filter
def quoted(source: MessageSource, answer: str) -> Quote:
    return quote(source, answer)


@register.filter
def without_marks(text: str) -> str:
    """Of a document, on one line and without the marks of Markdown."""
    return " ".join(readable(text).split())


@register.filter
def is_quoted(message: Message) -> bool:
    """Whether it consists of sentences of its sources, without a model that was given anything."""
    return message.model == ExtractiveAnswerer.name


@register.filter
def selected(message: Message) -> str:
    """The text that it is about, where it is about a selected one."""
    found = Selection.objects.filter(message=message.first_id).first()
    return found.text if found else ""  # it was erased this very moment


@register.filter
def formulas(text: str) -> SafeString:
    """Plain text with its formulas set."""
    return mark_safe(render_formulas(text))  # noqa: S308 - escaped there


@register.filter
def as_text(message: Message) -> str:
    """The answer with its references, to be copied."""
    return text_of(message)


@register.filter
def cited(message: Message) -> list[MessageSource]:
    return [source for source in message.sources.all() if source.is_cited]


@register.filter
def uncited(message: Message) -> list[MessageSource]:
    return [source for source in message.sources.all() if not source.is_cited]


@register.filter
def kinds(message: Message) -> list[tuple[str, int]]:
    """Kinds of the message's sources and how many of each, for the badges under the answer."""
    found: dict[str, int] = {}
    for source in message.sources.all():
        if source.is_cited or not message.is_finished:
            found[source.kind] = found.get(source.kind, 0) + 1
    return list(found.items())


@register.filter
def why(source: MessageSource) -> explanations.Why | None:
    """Why a source of an answer is one."""
    return explanations.explain(
        source.standing, kind=source.kind, relevance=source.relevance, weight=source.weight
    )


@register.filter
def chosen(message: Message) -> explanations.Chosen | None:
    """How the sources of an answer were chosen, and what just missed."""
    return explanations.how_chosen(message.chosen)


@register.filter
def day_name(day: date) -> str:
    """Of a day in a list: today, yesterday, or which it was."""
    today = timezone.localdate()
    if day in (today, today - timedelta(days=1)):
        return "Today" if day == today else "Yesterday"
    return format_date(day, "j F" if day.year == today.year else "j F Y")


@register.filter
def reasons(message: Message) -> list[tuple[str, str]]:
    """What may be wrong with an answer."""
    return [(reason.value, reason.label) for reason in Reason]
