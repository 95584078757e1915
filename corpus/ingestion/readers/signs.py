"""Raised and lowered letters as plain text, signs of symbol fonts as Unicode, numbers of items as 3, iv or C."""

from __future__ import annotations

import re

from corpus.ingestion.readers.structure import clean

_ORDINALS = {*("st", "nd", "rd", "th", "er", "ère", "ere", "re", "ème", "eme", "nde", "os", "as", "tm", "sm")}


def raise_text(text: str) -> str:
    """Text above the line: x^2, 10^(-19). Endings of ordinal numbers and marks of notes stay as they are: 4th, [1]."""
    inner = text.strip().lower()
    return text if inner in _ORDINALS or inner.startswith("[") else lower_text(text, "^")


def lower_text(text: str, sign: str = "_") -> str:
    """Text below the line: x_2, v_(max)."""
    inner = text.strip()
    return text.replace(inner, f"{sign}{inner}" if len(inner) == 1 else f"{sign}({inner})", 1) if inner else text


def join_lowered(before: str, text: str) -> str:
    """Lowered text behind other text. Digits after a letter or bracket cannot be misread, and are searched for: H2O."""
    last = before[-1:]
    return text if text.strip().isdecimal() and (last.isalpha() or last in (")", "]")) else lower_text(text)


_BOXES = ("☐", "☑", "☒", "✔", "✘")
_SYMBOL = (
    " !∀#∃%&∍()*+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}~"
    "                                 €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊"
    "〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_FONTS = {
    "symbol": {0x20 + place: sign for place, sign in enumerate(_SYMBOL) if sign != " "},
    "wingdings": {
        **dict(zip(b"\x6f\x70\x71\x72\xa8\x78\xfd\xfe\xfc\xfb", "☐☐☐☐☐☒☒☑✔✘", strict=True)),
        **dict(zip(b"\xdf\xe0\xe1\xe2\xe7\xe8\xef\xf0\xf1\xf2\xf3\xf4", "←→↑↓←→⇐⇒⇑⇓⇔⇕", strict=True)),
        **dict(zip(range(0x80, 0x96), "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", strict=True)),
        **dict(zip(b"\x28\x2a\x4a\x4b\x4c\xab", "☎✉☺😐☹★", strict=True)),
    },
    "wingdings2": {
        **dict(zip(b"\x2a\x30\xa3\x51\x52\x53\x54\x4f\x50", "☐☐☐☒☑☒☒✘✔", strict=True)),
        **dict(zip(range(0x69, 0x7F), "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", strict=True)),
    },
    "wingdings3": dict(zip(b"\x66\x67\x68\x69\x22\x23\x24\x25", "←→↑↓←→↑↓", strict=True)),
    "webdings": dict(zip(b"\x61\x63\x72\x33\x34\x35\x36", "✔☐✘←→↑↓", strict=True)),
    "zapfdingbats": {0x20 + place: chr(0x2700 + place) for place in range(1, 0x5F)}
    | dict(zip(b"\x33\x34\x35\x36\x37\x38\x6f\x70\x71\x72", "✔✔✘✘✘✘☐☐☐☐", strict=True)),
}
_FONTS |= dict.fromkeys(("itczapfdingbats", "dingbats"), _FONTS["zapfdingbats"])


def read_symbols(text: str, font: str) -> str:
    """The text as it looks in its font. A sign of a symbol font without a meaning of its own is left out."""
    if (signs := _FONTS.get(font.lower().replace(" ", ""))) is None:
        return text
    return "".join(" " if sign == " " else signs.get(ord(sign) & 0xFF, "") for sign in text)


def read_symbol(code: str, font: str) -> str:
    sign = clean(read_symbols(chr(int(code, 16)), font)) if re.fullmatch("[0-9a-fA-F]{1,4}", code) else ""
    return "" if "\ue000" <= sign <= "\uf8ff" else sign


def read_box(bullet: str, font: str) -> str:
    """A bullet that is a box or a tick, "" for any other."""
    sign = read_symbols(bullet, font)
    return sign if sign in _BOXES else ""


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
