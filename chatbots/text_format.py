"""Small pieces of sentences for people. Pure."""

from __future__ import annotations


def count_noun(count: int, one: str, more: str = "") -> str:
    """Such as “1 passage” and “2,000 passages”; `more` where it takes more than an s."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def shorten(text: str, most: int) -> str:
    """At most so many characters, cut between words."""
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
