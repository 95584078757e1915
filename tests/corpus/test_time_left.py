"""How long work still takes: told in rough words, and only where a pace has been measured."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from corpus.progress import describe_time_left, time_left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "a few seconds left"),
        (30, "less than a minute left"),
        (70, "about 1 minute left"),
        (130, "about 2 minutes left"),
        (17 * 60, "about 15 minutes left"),
        (56 * 60, "about 1 hour left"),
        (5 * 3600, "about 5 hours left"),
        (23.5 * 3600, "about 1 day left"),
        (72 * 3600, "about 3 days left"),
    ],
)
def test_it_is_told_roughly(seconds: float, words: str) -> None:
    assert describe_time_left(seconds) == words


@given(st.floats(0, 10**7))
def test_no_number_is_zero(seconds: float) -> None:
    assert " 0 " not in describe_time_left(seconds)


def test_the_rest_is_expected_to_go_as_fast_as_what_was_done() -> None:
    since = timezone.now() - timedelta(minutes=4)
    assert time_left(80, 120, since=since) == "about 2 minutes left"
    assert time_left(80, 120, since=since, first=60) == "about 8 minutes left", "what was there at first took no time"


def test_nothing_is_told_without_a_pace() -> None:
    now = timezone.now()
    assert time_left(0, 120, since=now - timedelta(minutes=4)) == ""
    assert time_left(60, 120, since=now - timedelta(minutes=4), first=60) == ""
    assert time_left(80, 120, since=None) == ""
    assert time_left(80, 120, since=now) == "", "it has only begun"
    assert time_left(120, 120, since=now - timedelta(minutes=4)) == ""
    assert time_left(0, 0, since=now - timedelta(minutes=4)) == ""
