"""When a concept is due again, by fsrs: one card a learner and concept."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fsrs import Card, Rating, Scheduler, State

from learning.material import Verdict

_SCHEDULER = Scheduler(enable_fuzzing=False)
"""With the default parameters of fsrs, fitted on many learners. Without fuzzing, equal answers are due together."""

_RATINGS = {Verdict.RIGHT: Rating.Good, Verdict.PARTLY: Rating.Hard, Verdict.WRONG: Rating.Again}
"""`Verdict.UNSURE` is no review: the learner is to say first whether the answer was right."""

_UNUSED_ID = 1  # one card a row: without an id fsrs would sleep to make a unique one


def new_card(now: datetime) -> dict[str, object]:
    return dict(Card(card_id=_UNUSED_ID, due=now).to_dict())


def review(card: dict[str, object], verdict: Verdict, now: datetime) -> tuple[dict[str, Any], datetime]:
    """Return the card after an answer, and when it is due. Neither changes if the verdict is unsure."""
    before = _load(card)
    rating = _RATINGS.get(verdict)
    if rating is None:
        return card, before.due
    after, _ = _SCHEDULER.review_card(before, rating, now)
    return dict(after.to_dict()), after.due


def retrievability(card: dict[str, object], now: datetime) -> float | None:
    """Return the probability from 0 to 1 that the learner recalls the concept, None before the first review."""
    loaded = _load(card)
    return None if loaded.last_review is None else _SCHEDULER.get_card_retrievability(loaded, now)


def is_learnt(card: dict[str, object]) -> bool:
    """Whether the card has passed the steps of learning, and was not forgotten since."""
    return _load(card).state == State.Review


def is_forgotten(card: dict[str, object]) -> bool:
    """Whether the concept was learnt once, and the last review found it forgotten."""
    return _load(card).state == State.Relearning


def _load(card: dict[str, object]) -> Card:
    return Card.from_dict(card)  # type: ignore[arg-type]
