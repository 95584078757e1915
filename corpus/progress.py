"""How far work in the background is, and about how long the rest will take at the pace measured so far."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils import timezone

_MEASURED_AFTER = 3.0
"""Seconds of work before a pace is believed."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class Progress(models.Model):
    """A row that is worked on: `progress_done` of `progress_total`, counted from `progress_first` on since a time."""

    progress_done = models.PositiveIntegerField(default=0, editable=False)
    progress_total = models.PositiveIntegerField(default=0, editable=False)
    progress_first = models.PositiveIntegerField(
        default=0, editable=False, help_text="How much was done when this step began"
    )
    progress_since = models.DateTimeField(null=True, editable=False, help_text="When this step began")

    class Meta:
        abstract = True

    @staticmethod
    def starting(done: int, total: int) -> dict[str, object]:
        """The fields of a step that begins now, of which some may be done already."""
        return {
            "progress_done": done,
            "progress_total": total,
            "progress_first": done,
            "progress_since": timezone.now(),
        }

    @property
    def time_left(self) -> str:
        """Such as “about 2 minutes left”. Empty as long as it is not known."""
        return time_left(self.progress_done, self.progress_total, since=self.progress_since, first=self.progress_first)


def time_left(done: int, total: int, *, since: datetime | None, first: int = 0) -> str:
    """About how long the rest takes, in words, if it goes on as fast as from `first` to `done` since then.

    Empty without a measured pace, and when nothing is left.
    """
    elapsed = (timezone.now() - since).total_seconds() if since else 0.0
    if elapsed < _MEASURED_AFTER or done <= first or done >= total:
        return ""
    return describe_time_left(elapsed * (total - done) / (done - first))


def describe_time_left(seconds: float) -> str:
    """A rough time left: nobody is told seconds, as they would be wrong."""
    if seconds < 15:
        return "a few seconds left"
    if seconds < 45:
        return "less than a minute left"
    if seconds < 55 * _MINUTE:
        minutes = max(round(seconds / _MINUTE), 1)
        return _about(minutes if minutes <= 10 else 5 * round(minutes / 5), "minute")
    if seconds < 23 * _HOUR:
        return _about(max(round(seconds / _HOUR), 1), "hour")
    return _about(max(round(seconds / _DAY), 1), "day")


def _about(number: int, unit: str) -> str:
    return f"about {number} {unit}{'' if number == 1 else 's'} left"
