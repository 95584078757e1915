"""Plots of what was practised, over all learners of a plan. Never by person."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from corpus.web.periods import periods_between
from corpus.web.plots import Plot, Series, Tone
from learning.material import Verdict
from learning.models import Attempt, StudyPlan
from learning.practice.statistics import ConceptStatistics

_RIGHT, _NOT_RIGHT = "right", "not right"


def plot_concepts(rows: Sequence[ConceptStatistics]) -> Plot:
    """The answers to each concept, right or not. `rows` are in the order of teaching, each with an answer."""
    right = [round((row.share_right or 0) * row.attempts) for row in rows]
    rest = [row.attempts - count for row, count in zip(rows, right, strict=True)]
    names = [row.concept.shown_name for row in rows]
    series = [Series(_RIGHT, right), Series(_NOT_RIGHT, rest, Tone.WARN)]
    return Plot("concepts", "Answers by concept", "answer", "Concept", names, series, lies=True)


def plot_answers(plan: StudyPlan) -> Plot:
    """The judged answers of all learners over time, right or not, from the first to today."""
    rows = Attempt.objects.filter(question__concept__plan=plan, question__concept__removed_at__isnull=True)
    judged = rows.exclude(verdict=Verdict.UNSURE.value).order_by().annotate(day=TruncDate("answered_at"))
    counts = [
        (day, _RIGHT if verdict == Verdict.RIGHT else _NOT_RIGHT, count)
        for day, verdict, count in judged.values_list("day", "verdict").annotate(count=Count("pk"))
    ]
    today = timezone.localdate()
    periods = periods_between(min((day for day, _, _ in counts), default=today), today)
    values = periods.counts(counts, [_RIGHT, _NOT_RIGHT])
    series = [Series(_RIGHT, values[_RIGHT]), Series(_NOT_RIGHT, values[_NOT_RIGHT], Tone.WARN)]
    return Plot("answers", f"Answers by {periods.name}", "answer", periods.heading, periods.labels, series)
