"""Small pieces of text for people. Pure."""

from __future__ import annotations


def count_noun(count: int, singular: str, plural: str = "") -> str:
    """Such as “1 passage” and “2,000 passages”; the plural adds an s if none is given."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def shorten(text: str, most: int) -> str:
    """At most `most` characters, cut between words; a single long word is cut anywhere."""
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
