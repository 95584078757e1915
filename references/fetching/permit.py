"""What `fetch` wants to see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Permit:
    """A school makes calls to the outside. Only `references.outside_calls.get_permit` makes one, which asks first.

    `school` is its id: what one school has read is cached for itself alone.
    """

    school: str = ""
