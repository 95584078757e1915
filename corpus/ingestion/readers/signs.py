"""How raised and lowered text is written, the same for every format."""

from __future__ import annotations


def raise_text(text: str) -> str:
    """Text as an exponent: `^2`, or `^(23)` where it is more than one sign."""
    return f"^{text}" if len(text) == 1 else f"^({text})"


def lower_text(text: str) -> str:
    """Text as an index: `_2`, or `_(12)` where it is more than one sign."""
    return f"_{text}" if len(text) == 1 else f"_({text})"
