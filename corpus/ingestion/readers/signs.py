"""Raised and lowered letters as plain text."""

from __future__ import annotations

_ORDINALS = {*("st", "nd", "rd", "th", "er", "ère", "ere", "re", "ème", "eme", "nde", "os", "as", "tm", "sm")}


def raise_text(text: str) -> str:
    """Text above the line: x^2, 10^(-19). Endings of ordinal numbers and marks of notes stay as they are: 4th, [1]."""
    inner = text.strip().lower()
    return text if inner in _ORDINALS or inner.startswith("[") else _marked("^", text)


def lower_text(text: str) -> str:
    """Text below the line: x_2, v_(max)."""
    return _marked("_", text)


def _marked(sign: str, text: str) -> str:
    inner = text.strip()
    if not inner:
        return text
    marked = f"{sign}{inner}" if len(inner) == 1 else f"{sign}({inner})"
    return text.replace(inner, marked, 1)


def join_lowered(before: str, text: str) -> str:
    """Lowered text behind other text. Digits after a letter or bracket cannot be misread, and are searched for: H2O."""
    last = before[-1:]
    return text if text.strip().isdecimal() and (last.isalpha() or last in (")", "]")) else lower_text(text)
