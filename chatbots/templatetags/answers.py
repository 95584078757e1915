"""Filters for pages that show an answer and its sources."""

import re
from datetime import date, timedelta

from django import template
from django.template.defaultfilters import date as format_date
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from chatbots.answering import explanations
from chatbots.citations.rendering import Quote, make_quote, render_answer, render_plain_citations, render_unfinished
from chatbots.conversations.disclosure import disclose_answers
from chatbots.conversations.export import export_answer
from chatbots.conversations.thread import ShownExchange
from chatbots.models import Message, MessageSource, Mode, Reason, Selection, SourceSnapshot
from chatbots.quoting.answerer import ExtractiveAnswerer
from corpus.certainty import Level
from corpus.reading.formulas import render_formulas
from corpus.reading.unfinished import complete
from corpus.source_kinds import SourceKind
from corpus.templatetags.sources import spoken
from text.tables import make_readable_line

register = template.Library()
register.filter(disclose_answers)

_LINE, _LINES_AROUND = 70, 4  # characters of a line of an answer; lines of its question and links
_CLOSING = re.compile(r"\n\n\*[^*\n]+\*\s*\Z")
"""The last paragraph of an extractive answer, which says that no language model is set up."""
_NOTE_LINES = 10  # height of a margin note, in lines of an answer


@register.filter
def rendered(message: Message) -> SafeString:
    """The answer with its citations as links. That it only quotes is told once on the page, not in each answer."""
    sources = list(message.sources.all())
    best = max((one for one in sources if one.is_cited), key=lambda one: one.certainty or 0.0, default=None)
    said = best.answer_words if best and best.level == Level.ANSWERS and is_extractive(message) else ""
    text = without_closing(message)
    return render_answer(text, sources, support=message.support, unfounded=message.unfounded, said=said)


def without_closing(message: Message) -> str:
    """The answer without the line that says that it only quotes, if it does."""
    return _CLOSING.sub("", message.answer) if is_extractive(message) else message.answer


@register.filter
def rendered_so_far(message: Message) -> SafeString:
    """The answer that is being written, until the stream brings it anew."""
    return render_unfinished(complete(message.answer), render_plain_citations(message.sources.all()))


@register.filter
def question_attributes(message: Message) -> SafeString:
    """The language and direction of a question."""
    return spoken(message.question, _usual_language(message))


@register.filter
def answer_attributes(message: Message) -> SafeString:
    """The language and direction of an answer."""
    return spoken(message.answer, _usual_language(message))


def _usual_language(message: Message) -> str:
    return message.chat.chatbot.language if message.chat.chatbot else ""


@register.filter
def quoted(source: SourceSnapshot, answer: str) -> Quote:
    """What the margin note of a source shows."""
    return make_quote(source, answer)


@register.filter
def plain_text(text: str) -> str:
    """The Markdown of a document as plain text on one line."""
    return make_readable_line(text)


@register.filter
def is_extractive(message: Message) -> bool:
    """Whether the answer consists of quoted sentences: no language model wrote it."""
    return message.model == ExtractiveAnswerer.name


@register.filter
def selected_text(message: Message) -> str:
    """The selected text that the question is about; empty when it was erased in this moment."""
    found = Selection.objects.filter(message=message.first_id).first()
    return found.text if found else ""


@register.filter
def formulas(text: str) -> SafeString:
    """Plain text with its formulas set as HTML."""
    return mark_safe(render_formulas(text))  # noqa: S308 - escaped there


@register.filter
def marked_words(quote: Quote) -> SafeString:
    """What a note marks, the words that answer the question set off in it."""
    before, said, after = quote.marked.partition(quote.said) if quote.said else (quote.marked, "", "")
    strong = format_html("<strong>{}</strong>", formulas(said)) if said else ""
    return format_html("{}{}{}", formulas(before), strong, formulas(after))


@register.filter
def as_text(message: Message) -> str:
    """The answer with its references, for the clipboard."""
    return export_answer(message)


@register.filter
def cited_sources(message: Message) -> list[MessageSource]:
    return [source for source in message.sources.all() if source.is_cited]


@register.filter
def uncited_sources(message: Message) -> list[MessageSource]:
    return [source for source in message.sources.all() if not source.is_cited]


@register.filter
def was_prompted(message: Message) -> bool:
    """Whether there is a page of what the answer was written from."""
    return bool(message.answer and message.sources.all()) or message.mode == Mode.GENERAL


@register.filter
def notes_are_longer(message: Message) -> bool:
    """Whether the margin notes of an answer would take more height than it has, by a guess."""
    lines = sum(1 + len(line) // _LINE for line in message.answer.splitlines() if line.strip())
    return len(cited_sources(message)) * _NOTE_LINES > lines + _LINES_AROUND


@register.filter
def explanation(source: MessageSource) -> explanations.Why | None:
    """Why this passage was selected."""
    return explanations.explain_passage(
        source.standing, kind=source.named_kind, certainty=source.certainty, weight=source.weight
    )


@register.filter
def how_chosen(message: Message) -> explanations.SelectionDetails | None:
    """How the passages of an answer were selected, and which ones narrowly missed."""
    return explanations.explain_choice(message.chosen, message.name_kind)


@register.filter
def what_filled_in(message: Message) -> str:
    """Which sources filled places that the others had left empty, in a sentence or two."""
    return " ".join(explanations.explain_filling(message.chosen, message.name_kind))


@register.filter
def unavailable_kinds(message: Message) -> list[SourceKind]:
    """The kinds of source that could not be searched for the answer."""
    return [message.name_kind(kind) for kind in message.unavailable]


@register.filter
def get_change(exchange: ShownExchange | str, source: MessageSource) -> str:
    """What has become of a source's document since, where a page has asked."""
    return exchange.changes.get(source.pk, "") if isinstance(exchange, ShownExchange) else ""


@register.filter
def day_name(day: date) -> str:
    """“Today”, “Yesterday” or the date."""
    today = timezone.localdate()
    if day in (today, today - timedelta(days=1)):
        return "Today" if day == today else "Yesterday"
    return format_date(day, "j M Y")


@register.filter
def feedback_reasons(message: Message) -> list[tuple[str, str]]:
    """(value, label) of each reason why an answer did not help."""
    return [(reason.value, reason.label) for reason in Reason]
