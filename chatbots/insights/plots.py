"""Plots of usage, of the question log, of unanswered questions and of test questions: counts, no text.

Whoever may see the rows that are handed in may see the plot: nothing is looked up here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from django.db.models import Case, Count, Value, When
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.formats import date_format

from chatbots.insights.unanswered import UnansweredQuestion, chatbot_of
from chatbots.insights.usage import ChatbotUsage
from chatbots.models import (
    Chatbot,
    EvaluationRun,
    MessageQuerySet,
    MessageStatus,
    Mode,
    Outcome,
    QuestionLogQuerySet,
)
from corpus.web.periods import periods_between
from corpus.web.plots import Plot, Series, Tone

_ANSWERED, _REFUSED, _UNFINISHED = "answered", "refused", "not finished"
_TONES = {_ANSWERED: Tone.MAIN, _REFUSED: Tone.WARN, _UNFINISHED: Tone.REST}
_OUTCOME = Case(
    When(status=MessageStatus.DONE, mode=Mode.REFUSED, then=Value(_REFUSED)),
    When(status=MessageStatus.DONE, then=Value(_ANSWERED)),
    default=Value(_UNFINISHED),
)
_LOGGED = {Outcome.ANSWERED.value: _ANSWERED, Outcome.REFUSED.value: _REFUSED}


def plot_questions(messages: MessageQuerySet, *, days: int) -> Plot:
    """The questions of the last days by outcome. `messages` has one message for each question."""
    rows = messages.order_by().annotate(day=TruncDate("created_at"), outcome=_OUTCOME)
    today = timezone.localdate()
    by_day = rows.values_list("day", "outcome").annotate(count=Count("pk"))
    return _over_time("questions", by_day, today - timedelta(days=days), today)


def plot_log(rows: QuestionLogQuerySet, *, until: date | None = None) -> Plot:
    """The entries of the question log by outcome, from the first of them until a day or today."""
    by_day = rows.order_by().annotate(day=TruncDate("asked_at")).values_list("day", "outcome")
    counts = [(day, _LOGGED.get(outcome, _UNFINISHED), n) for day, outcome, n in by_day.annotate(count=Count("pk"))]
    return _over_time("log", counts, *_range(counts, until))


def plot_chatbots(figures: Iterable[tuple[Chatbot, ChatbotUsage]]) -> Plot:
    """The questions to each chatbot by outcome, the most asked first, without those that nobody asked."""
    asked = sorted((row for row in figures if row[1].questions), key=lambda row: (-row[1].questions, row[0].name))
    usages = [usage for _, usage in asked]
    values = {
        _ANSWERED: [usage.answered for usage in usages],
        _REFUSED: [usage.refused for usage in usages],
        _UNFINISHED: [usage.questions - usage.answered - usage.refused for usage in usages],
    }
    names = [chatbot.name for chatbot, _ in asked]
    return Plot("chatbots", "Questions by chatbot", "question", "Chatbot", names, _series(values), lies=True)


def plot_unanswered(questions: Sequence[UnansweredQuestion]) -> Plot:
    """How often something was refused that is still unanswered, over time."""
    days = Counter(
        timezone.localtime(message.created_at).date() for question in questions for message in question.messages
    )
    counts = [(day, _REFUSED, count) for day, count in days.items()]
    periods = periods_between(*_range(counts, None))
    values = periods.counts(counts, [_REFUSED])[_REFUSED]
    title = f"Refused, by {periods.name}"
    series = [Series("times refused", values, Tone.WARN)]
    return Plot("unanswered", title, "refusal", periods.heading, periods.labels, series)


def plot_unanswered_by_chatbot(questions: Sequence[UnansweredQuestion]) -> Plot:
    """The number of unanswered questions of each chatbot, most first."""
    bots = {chatbot_of(question.newest).pk: chatbot_of(question.newest).name for question in questions}
    counts = Counter(chatbot_of(question.newest).pk for question in questions).most_common()
    names, values = [bots[key] for key, _ in counts], [count for _, count in counts]
    series = [Series("unanswered", values, Tone.WARN)]
    return Plot("gaps", "Unanswered questions by chatbot", "question", "Chatbot", names, series, lies=True)


def plot_runs(runs: Sequence[EvaluationRun]) -> Plot:
    """How many test questions passed in each run; `runs` has the newest first."""
    oldest_first = runs[::-1]
    passed = [sum(bool(one["passed"]) for one in run.results.values()) for run in oldest_first]
    failed = [len(run.results) - count for run, count in zip(oldest_first, passed, strict=True)]
    labels = [date_format(timezone.localtime(run.ran_at), "j M, H:i") for run in oldest_first]
    series = [Series("passed", passed), Series("failed", failed, Tone.WARN)]
    told = [f"{count} of {len(run.results)}" for run, count in zip(oldest_first, passed, strict=True)]
    summary = f"Passed in each run, the oldest first: {', '.join(told)}." if told else ""
    return Plot("runs", "Test questions, by run", "result", "Run", labels, series, summary=summary)


def _over_time(key: str, by_day: Any, first: date, last: date) -> Plot:
    periods = periods_between(first, last)
    values = periods.counts(by_day, list(_TONES))
    return Plot(key, f"Questions by {periods.name}", "question", periods.heading, periods.labels, _series(values))


def _series(values: Any) -> list[Series]:
    """Answered and refused always, the third only where there is any."""
    return [
        Series(name, values[name], tone) for name, tone in _TONES.items() if name != _UNFINISHED or any(values[name])
    ]


def _range(counts: Iterable[tuple[date, str, int]], until: date | None) -> tuple[date, date]:
    last = min(until or timezone.localdate(), timezone.localdate())
    return min((day for day, _, _ in counts), default=last), last
