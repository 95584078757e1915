"""Spreadsheet values as the program displays them: 85%, 12.03.2026, 1,234.50 €."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal

_UNITS = {
    **{"y": "%y", "yy": "%y", "yyy": "%Y", "yyyy": "%Y", "m": "%m", "mm": "%m", "mmm": "%b", "mmmm": "%B"},
    **{"d": "%d", "dd": "%d", "ddd": "%a", "dddd": "%A", "h": "%H", "hh": "%H", "n": "%M", "nn": "%M"},
    **{"s": "%S", "ss": "%S", "am/pm": "%p", "a/p": "%p"},
}

# Excel shows this format in the local order of day and month, so it is ambiguous as text.
_BUILT_IN_DATE = "mm-dd-yy"
_SIGNS = re.compile(r'\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|"([^"]*)"|\\(.)|_.|\*.')
_GAP = "\0?[ \xa0\u202f'’]"  # separators of digit groups in the format
_NUMBER = re.compile(rf"[#0?](?:[#0?,.]|{_GAP}(?=[#0?]))*(?:E\+0+)?")
_EXACT = Context(prec=800)  # digits; a float has up to 309 before the point and 324 behind it
_TOKEN = re.compile(r'"[^"]*"|\\.|y+|m+|n+|d+|h+|s+|AM/PM|A/P|\.0+|.', re.IGNORECASE | re.DOTALL)
_LITERAL = r'(?:"[^"]*"|\\.|[^a-z"\\])*'
_MINUTES = re.compile(rf"(h+{_LITERAL})(m+)|(m+)(?={_LITERAL}s)", re.IGNORECASE)


def display_value(value: object, number_format: str = "General") -> str:
    """The text of a cell with this value and Excel number format; "" for an empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date | time):
        return _moment(value, number_format)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    return _number(value, number_format) if isinstance(value, int | float) else str(value)


def _number(value: float, number_format: str) -> str:
    # Without colours, conditions and fillers. Literal text and currency signs stay, after a NUL.
    shown = _SIGNS.sub(lambda match: "\0" + "".join(filter(None, match.groups())), number_format)
    sections = shown.split(";")
    pattern = sections[1] if value < 0 and len(sections) > 1 and _NUMBER.search(sections[1]) else sections[0]
    found = _NUMBER.search(pattern)
    if not found or "/" in pattern or "E" in found.group() or not math.isfinite(value):
        return _general(value)
    whole, _, fraction = found.group().partition(".")
    groups = re.split(f"({_GAP})", whole)  # placeholders and gaps alternate
    whole, fraction = "".join(groups[::2]), re.sub(_GAP, "", fraction)
    thousands = sum(len(part) - len(part.rstrip(",")) for part in (whole, fraction))  # each divides by 1000
    whole, fraction = whole.rstrip(","), fraction.replace(",", "")
    decimals = min(len(fraction), 10)
    amount = Decimal(repr(value if pattern is sections[0] else -value))
    amount = amount.scaleb((2 if "%" in pattern else 0) - 3 * thousands, _EXACT)
    amount = amount.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT)
    text = f"{amount:{',' if ',' in whole else ''}.{decimals}f}"
    optional = len(fraction) - len(fraction.rstrip("#?"))
    while optional and text.endswith("0"):
        text, optional = text[:-1], optional - 1
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    text = sign + text.rstrip(".").rjust(whole.count("0") if "," not in whole and "." not in text else 0, "0")
    text = _grouped(text, groups)
    return (pattern[: found.start()] + text + pattern[found.end() :]).replace("\0", "").strip()


def _grouped(text: str, groups: Sequence[str]) -> str:
    """A number with its whole part grouped by these placeholders and gaps, from the right."""
    digits, point, fraction = text.partition(".")
    tail = ""
    for placeholders, gap in zip(groups[:0:-2], groups[-2::-2], strict=True):
        if len(digits.lstrip("-")) > len(placeholders):
            digits, tail = digits[: -len(placeholders)], gap + digits[-len(placeholders) :] + tail
    return digits + tail + point + fraction


def _general(value: float) -> str:
    """Whole numbers with up to 15 digits (Excel's precision), others with ten digits."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    return f"{value:.{10 if abs(value) < 1e10 else 15}g}"


def _moment(value: date | time, number_format: str) -> str:
    pattern = re.sub(r"\[\$[^\]]*\]|\[(?=[hms]+\])|(?<=[hms])\]|_.|\*.", "", number_format.split(";")[0])
    if pattern == _BUILT_IN_DATE or not re.search("[ymdhs]", pattern, re.IGNORECASE):
        day, clock = ("" if isinstance(value, time) else "%Y-%m-%d"), ("" if type(value) is date else "%H:%M")
        is_midnight = isinstance(value, datetime) and value.time() == time()
        return value.strftime(day if is_midnight else f"{day} {clock}".strip())
    pattern = _MINUTES.sub(lambda match: (match[1] or "") + "n" * len(match[2] or match[3]), pattern)
    hour = "%I" if re.search("AM/PM|A/P", pattern, re.IGNORECASE) else "%H"
    tokens = (_write_unit(value, token, hour) for token in _TOKEN.findall(pattern))
    return "".join(token.strip('"') if token[:1] == '"' else token.removeprefix("\\") for token in tokens).strip()


def _write_unit(value: date | time, token: str, hour: str) -> str:
    """What a unit of a format stands for, n for minutes, or the token itself."""
    unit = token.lower()
    if unit not in _UNITS or (unit[0] in "ymd" and not isinstance(value, date)):
        return "" if unit in _UNITS else token
    text = value.strftime(hour if unit[0] == "h" else _UNITS[unit])
    return text[: 1 if unit == "a/p" else None] if len(unit) > 1 or unit == "y" else text.lstrip("0") or "0"
