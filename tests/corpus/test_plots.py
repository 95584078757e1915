"""Small plots: where their marks stand, what they say in words, and when a sentence does instead."""

from __future__ import annotations

from datetime import date

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from corpus.web.periods import MAX_PERIODS, periods_between
from corpus.web.plots import MAX_BARS, MIN_POINTS, Plot, Series, Tone, round_up, shorten

DAYS = ["1 Nov", "2 Nov", "3 Nov"]


def plot(*series: Series, labels: list[str] = DAYS, lies: bool = False) -> Plot:
    return Plot("key", "Questions by day", "question", "Day", labels, series, lies=lies)


def percent(text: str) -> float:
    return float(text.removesuffix("%"))


counts = st.lists(st.integers(0, 5000), min_size=1, max_size=60)


@given(counts, st.booleans())
def test_every_mark_lies_inside_the_picture(values: list[int], lies: bool) -> None:
    drawn = plot(Series("a", values), Series("b", values), labels=[str(n) for n in range(len(values))], lies=lies)
    for mark in drawn.marks:
        assert percent(mark.x) >= 0
        assert percent(mark.x) + percent(mark.width) <= 100.05
        assert float(mark.y) >= 0
        assert float(mark.y) + float(mark.height) <= drawn.height
    bars = sum(value > 0 for value in (values[:MAX_BARS] if lies else values))
    assert len(drawn.marks) == 2 * bars, "a zero has no mark"


def test_the_height_of_a_column_tells_its_number() -> None:
    marks = plot(Series("answered", [1, 2, 4])).marks
    heights = [float(mark.height) for mark in marks]
    assert heights == [pytest.approx(heights[2] / 4, abs=0.1), pytest.approx(heights[2] / 2, abs=0.1), heights[2]]


def test_the_parts_of_a_column_stand_on_each_other() -> None:
    below, above = plot(Series("answered", [3, 0, 0]), Series("refused", [1, 0, 0], Tone.WARN)).marks
    assert float(above.y) + float(above.height) == pytest.approx(float(below.y), abs=0.1)
    assert (below.x, below.width) == (above.x, above.width)


def test_two_points_are_told_in_words() -> None:
    few = plot(Series("answered", [3, 0, 1]), Series("refused", [1, 0, 0]))
    assert not few.is_drawn
    html = render_to_string("_plot.html", {"plot": few})
    assert "<svg" not in html
    assert "5 questions: 4 answered, 1 refused. The most, 4: 1 Nov." in html
    assert plot(Series("answered", [1] * MIN_POINTS)).is_drawn


def test_nothing_is_shown_of_nothing() -> None:
    assert render_to_string("_plot.html", {"plot": plot(Series("answered", [0, 0, 0]))}).strip() == ""
    assert render_to_string("_plot.html", {"plot": plot(Series("answered", []), labels=[])}).strip() == ""


def test_a_picture_has_a_name_a_description_and_a_table_of_the_same_numbers() -> None:
    html = render_to_string("_plot.html", {"plot": plot(Series("answered", [7, 0, 11]), Series("refused", [0, 5, 2]))})
    assert 'role="img" aria-labelledby="key-title key-desc"' in html
    assert '<desc id="key-desc">25 questions: 18 answered, 7 refused. The most, 13: 3 Nov.</desc>' in html
    assert '<th scope="row">3 Nov</th><td>11</td><td>2</td><td>13</td>' in html
    assert "style=" not in html, "the content security policy forbids it"


def test_a_name_cannot_bring_markup() -> None:
    html = render_to_string(
        "_plot.html", {"plot": plot(Series("asked", [1, 2, 3]), labels=["<b>x</b>", "b", "c"], lies=True)}
    )
    assert "<b>x</b>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html


def test_of_many_bars_the_picture_has_the_first_and_the_table_all() -> None:
    names = [f"Chatbot {number}" for number in range(MAX_BARS + 3)]
    many = plot(Series("asked", [1] * len(names)), labels=names, lies=True)
    html = render_to_string("_plot.html", {"plot": many})
    assert len(many.marks) == MAX_BARS
    assert len(many.rows) == len(names)
    assert f"the first {MAX_BARS} of {len(names)}" in html


@given(st.integers(0, 10**6))
def test_the_scale_is_round_and_not_much_too_large(value: int) -> None:
    assert value <= round_up(value) <= max(2 * value, 1)


def test_a_long_name_is_cut() -> None:
    assert len(shorten("x" * 100)) < 50
    assert shorten("Chemistry 9") == "Chemistry 9"


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(0, 3000))
def test_periods_have_no_gaps_and_lose_no_day(first: date, length: int) -> None:
    last = date.fromordinal(first.toordinal() + length)
    periods = periods_between(first, last)
    days = [(date.fromordinal(first.toordinal() + number), "x", 1) for number in range(length + 1)]
    assert sum(periods.counts(days, ["x"])["x"]) == length + 1
    assert len(periods.labels) == len(periods.starts)
    if periods.name != "month":
        assert len(periods.starts) <= MAX_PERIODS


def test_days_become_weeks_and_months() -> None:
    start = date(2026, 1, 7)  # a Wednesday
    assert periods_between(start, date(2026, 2, 1)).name == "day"
    assert periods_between(start, date(2026, 12, 1)).starts[0] == date(2026, 1, 5)
    assert periods_between(start, date(2029, 12, 1)).labels[0] == "Jan 2026"
