"""Plots of usage and of the question log: counts, no text.

Whoever may see the rows that are handed in may see the plot: nothing is looked up here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from django.db.models import Q
from django.utils import timezone

from chatbots.insights.usage import ANSWERED, REFUSED, ChatbotUsage
from chatbots.models import Chatbot, MessageQuerySet, Outcome, QuestionLogQuerySet
from corpus.web.plots import Plot, Series, Tone, plot_over_time

_LOGGED = (Q(outcome=Outcome.ANSWERED), Q(outcome=Outcome.REFUSED))


def plot_questions(messages: MessageQuerySet, *, days: int) -> Plot:
    """Plot the questions of the last days by outcome. `messages` has one message for each question."""
    first = timezone.localdate() - timedelta(days=days)
    return plot_over_time(messages, "created_at", _kinds(ANSWERED, REFUSED), title="Questions", first=first)


def plot_log(rows: QuestionLogQuerySet, *, until: date | None = None) -> Plot:
    """Plot the entries of the question log by outcome, from the first of them until a day or today."""
    return plot_over_time(rows, "asked_at", _kinds(*_LOGGED), title="Questions", last=until)


def plot_chatbots(figures: Iterable[tuple[Chatbot, ChatbotUsage]]) -> Plot:
    """Plot the questions to each chatbot by outcome, the most asked first, without those that nobody asked."""
    asked = sorted((row for row in figures if row[1].questions), key=lambda row: (-row[1].questions, row[0].name))
    usages = [usage for _, usage in asked]
    unfinished = [usage.questions - usage.answered - usage.refused for usage in usages]
    series = [
        Series("answered", [usage.answered for usage in usages]),
        Series("refused", [usage.refused for usage in usages], Tone.WARN),
        *([Series("not finished", unfinished, Tone.REST)] if any(unfinished) else []),
    ]
    return Plot("Questions by chatbot", "Chatbot", [chatbot.name for chatbot, _ in asked], series)


def _kinds(answered: Q, refused: Q) -> dict[str, tuple[Q, Tone]]:
    rest = ~(answered | refused)
    return {"answered": (answered, Tone.MAIN), "refused": (refused, Tone.WARN), "not finished": (rest, Tone.REST)}
