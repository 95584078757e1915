"""What a reader makes of a text: shares and answers between places."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.reader.reading import MAX_ANSWER_TOKENS, Reading, best_span, softmax

TEXT = "Seven prisoners were inside."


def reading(begins: list[float], ends: list[float], offsets: list[tuple[int, int]] | None = None) -> Reading:
    places = offsets if offsets is not None else [(0, 5), (6, 15), (16, 20), (21, 27), (27, 28)]
    return Reading(
        answered=1.0,
        span=2.0,
        offsets=np.array(places, dtype=np.int64).reshape(-1, 2),
        begins=np.array(begins, dtype=np.float32),
        ends=np.array(ends, dtype=np.float32),
    )


SEVEN = reading([0.7, 0.1, 0.1, 0.05, 0.05], [0.2, 0.6, 0.1, 0.05, 0.05])
UNMARKED = reading([], [], [])


def test_the_answer_goes_from_the_likeliest_beginning_to_the_likeliest_end() -> None:
    start, end = SEVEN.answer
    assert TEXT[start:end] == "Seven prisoners"


def test_an_answer_never_ends_before_it_begins() -> None:
    start, end = reading([0.01, 0.01, 0.01, 0.96, 0.01], [0.9, 0.02, 0.02, 0.05, 0.01]).answer
    assert TEXT[start:end] == "inside"


def test_an_answer_is_no_longer_than_in_training() -> None:
    count = MAX_ANSWER_TOKENS + 5
    shares = [0.5, *[0.5 / (count - 1)] * (count - 1)]
    start, end = reading(shares, shares[::-1], [(n, n + 1) for n in range(count)]).answer
    assert end - start <= MAX_ANSWER_TOKENS


def test_the_likeliest_answer_within_a_sentence() -> None:
    start, end = SEVEN.best_within(6, 28)
    assert TEXT[start:end] == "prisoners"
    assert SEVEN.best_within(7, 9) == (0, 0)  # no token is whole in there


def test_the_share_is_that_of_the_tokens_between_the_places() -> None:
    assert SEVEN.measure_share(0, 28) == pytest.approx(1)
    assert SEVEN.measure_share(0, 15) == pytest.approx(math.sqrt(0.8 * 0.8))
    assert SEVEN.measure_share(16, 28) == pytest.approx(0.2)
    assert SEVEN.measure_share(28, 40) == 0


def test_a_moved_reading_has_its_places_in_the_longer_text() -> None:
    moved = SEVEN.moved(100)
    assert moved.answer == (100, 115)
    assert moved.measure_share(100, 115) == SEVEN.measure_share(0, 15)
    assert moved.measure_share(0, 28) == 0
    assert (moved.answered, moved.span) == (1, 2)


def test_a_reader_that_marks_nothing() -> None:
    assert not UNMARKED.marks
    assert SEVEN.marks
    assert UNMARKED.answer == UNMARKED.best_within(0, 10) == (0, 0)
    assert UNMARKED.measure_share(0, 10) == 0
    assert not UNMARKED.moved(10).marks


def test_the_best_span_is_that_of_all_pairs() -> None:
    random = np.random.default_rng(1)
    begins, ends = random.normal(size=(2, 50)).astype(np.float32)
    pairs = [begins[a] + ends[b] for a in range(50) for b in range(a, min(a + MAX_ANSWER_TOKENS, 50))]
    assert best_span(begins, ends) == pytest.approx(max(pairs))


def test_shares_of_logits() -> None:
    assert softmax(np.array([1000, 1000], dtype=np.float32)).tolist() == [0.5, 0.5]
    assert softmax(np.zeros(0, dtype=np.float32)).tolist() == []
