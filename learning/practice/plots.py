"""The plot of what was practised, over all learners of a plan. Never by person."""

from __future__ import annotations

from django.db.models import Q

from corpus.web.plots import Plot, Tone, plot_over_time
from learning.material import Verdict
from learning.models import Attempt, StudyPlan

_KINDS = {
    "right": (Q(verdict=Verdict.RIGHT.value), Tone.MAIN),
    "not right": (~Q(verdict__in=[Verdict.RIGHT.value, Verdict.UNSURE.value]), Tone.WARN),
}


def plot_answers(plan: StudyPlan) -> Plot:
    """Plot the judged answers of all learners over time, right or not, from the first to today."""
    rows = Attempt.objects.filter(question__concept__plan=plan, question__concept__removed_at__isnull=True)
    return plot_over_time(rows.exclude(verdict=Verdict.UNSURE.value), "answered_at", _KINDS, title="Answers")
