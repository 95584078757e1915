"""Tables with bars: their numbers, their bars, and the periods in which things are counted."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from corpus.web.plots import MAX_PERIODS, Plot, Series, Tone, plot_over_time
from knowledge.models import PersonalDocument
from tests.factories import Cast

DAYS = ["1 Nov", "2 Nov", "3 Nov"]


def plot(*series: Series, labels: list[str] = DAYS) -> Plot:
    return Plot("Questions by day", "Day", labels, series)


def percent(text: str) -> float:
    return float(text.removesuffix("%"))


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=30))
def test_bars_follow_each_other_inside_their_cell(values: list[int]) -> None:
    drawn = plot(Series("a", values), Series("b", values[::-1]), labels=[str(n) for n in range(len(values))])
    longest = max(row.values[0] + row.values[1] for row in drawn.rows)
    for row in drawn.rows:
        end = 0.0
        for _, x, width in row.bars:
            assert percent(x) == pytest.approx(end, abs=0.11)
            end = percent(x) + percent(width)
        assert end == pytest.approx(100 * sum(row.values) / (longest or 1), abs=0.11)
        assert len(row.bars) == sum(value > 0 for value in row.values), "a zero has no bar"


def test_nothing_is_shown_of_nothing() -> None:
    assert render_to_string("_plot.html", {"plot": plot(Series("answered", [0, 0, 0]))}).strip() == ""
    assert render_to_string("_plot.html", {"plot": plot(Series("answered", []), labels=[])}).strip() == ""


def test_the_table_has_all_numbers_and_their_sums() -> None:
    html = render_to_string("_plot.html", {"plot": plot(Series("answered", [7, 0, 11]), Series("refused", [0, 5, 2]))})
    assert '<th scope="row">3 Nov</th><td>11</td><td>2</td>' in html
    assert '<th scope="row">Together</th><td>18</td><td>7</td>' in html
    assert "style=" not in html, "the content security policy forbids it"


def test_a_name_cannot_bring_markup() -> None:
    html = render_to_string("_plot.html", {"plot": plot(Series("asked", [1, 2, 3]), labels=["<b>x</b>", "b", "c"])})
    assert "<b>x</b>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html


def add_document(people: Cast, *, ago: int) -> None:
    document = PersonalDocument.objects.create(school=people.alice.school, owner=people.alice.user, title="T")
    created = timezone.now() - timedelta(days=ago)
    PersonalDocument.objects.filter(pk=document.pk).update(created_at=created, title="Old" if ago else "New")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("days", "unit", "heading"),
    [(7, "day", "Day"), (MAX_PERIODS, "week", "Week from"), (60, "week", "Week from"), (365, "month", "Month")],
)
def test_rows_are_counted_by_day_week_or_month_and_none_is_lost(
    people: Cast, days: int, unit: str, heading: str
) -> None:
    for ago in (0, 1, days // 2, days):
        add_document(people, ago=ago)
    kinds = {"new": (Q(title="New"), Tone.MAIN), "old": (Q(title="Old"), Tone.WARN), "odd": (Q(title="-"), Tone.REST)}
    rows = PersonalDocument.objects.all()
    drawn = plot_over_time(rows, "created_at", kinds, title="Documents")
    assert (drawn.title, drawn.heading) == (f"Documents by {unit}", heading)
    assert [(one.name, sum(one.values)) for one in drawn.series] == [("new", 1), ("old", 3)], (
        "of the rest there is none"
    )
    assert drawn.series[0].values[-1] == 1
    today = plot_over_time(rows, "created_at", kinds, title="Documents", first=timezone.localdate())
    assert (today.total, len(today.labels)) == (1, 1)


@pytest.mark.django_db
def test_an_end_before_the_first_row_shows_nothing(people: Cast) -> None:
    add_document(people, ago=1)
    kinds = {"all": (Q(), Tone.MAIN)}
    drawn = plot_over_time(
        PersonalDocument.objects.all(), "created_at", kinds, title="Documents", last=date(2020, 1, 1)
    )
    assert drawn.total == 0
