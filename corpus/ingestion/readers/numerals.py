"""Numbers as they stand before items and headings: 3, iv, C."""

from __future__ import annotations

_ROMAN = {
    **{"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50, "xl": 40},
    **{"x": 10, "ix": 9, "v": 5, "iv": 4, "i": 1},
}


def format_number(number: int, form: str) -> str:
    """A number in one of Word's formats, such as lowerRoman; decimal if it has no other form."""
    if form in ("lowerRoman", "upperRoman") and 0 < number < 5000:
        text = ""
        for letters, value in _ROMAN.items():
            text += letters * (number // value)
            number %= value
    elif form in ("lowerLetter", "upperLetter") and 0 < number < 500:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)  # z is followed by aa, bb
    else:
        return "" if form == "none" else f"{number:02}" if form == "decimalZero" else str(number)
    return text.upper() if form.startswith("upper") else text
