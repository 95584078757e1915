"""How often, and after which delays, indexing is tried again."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

MAX_ATTEMPTS = 3
"""How often indexing is tried after an internal error or the death of a worker."""


def retry_delay(attempts: int) -> timedelta:
    """The delay before the next attempt: 15 seconds after the first, then two minutes.

    It grows by a factor of 8. The setting `LECTERN_RETRY_SECONDS` is the first delay.
    """
    return timedelta(seconds=settings.LECTERN_RETRY_SECONDS * 8 ** (attempts - 1))
