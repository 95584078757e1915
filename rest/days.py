"""Days in requests: one that does not exist is called so, and a last day lasts until its end."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any

from django.utils import timezone
from rest_framework import serializers

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _refuse_no_day(text: object) -> None:
    """Raises ValidationError for what has the form of a day, such as 2027-02-29."""
    if isinstance(text, str) and (written := _DAY.match(text)):
        try:
            date.fromisoformat(written[0])
        except ValueError:
            raise serializers.ValidationError(f"There is no such day: {written[0]}.") from None


class DayField(serializers.DateField):
    """A day of our time."""

    def to_internal_value(self, value: Any) -> date:
        """Read a day as YYYY-MM-DD."""
        _refuse_no_day(value)
        day: date = super().to_internal_value(value)
        if not 2000 <= day.year < 3000:
            raise serializers.ValidationError("Between the years 2000 and 2999.")
        return day


class EndField(serializers.DateTimeField):
    """The end of something: a moment, or its last day."""

    def to_internal_value(self, value: Any) -> datetime:
        """Read a moment. A day alone ends in the last second of that day, in the time zone of the installation."""
        _refuse_no_day(value)
        if isinstance(value, str) and _DAY.fullmatch(value):
            return timezone.make_aware(datetime.combine(date.fromisoformat(value), time(23, 59, 59)))
        moment: datetime = super().to_internal_value(value)
        return moment
