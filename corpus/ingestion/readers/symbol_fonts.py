"""Signs of symbol fonts as Unicode. A box that is ticked or not may be the answer to a question."""

from __future__ import annotations

from corpus.ingestion.readers.structure import clean

_BOXES = frozenset("☐☑☒✔✘")
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
    """The sign with this hexadecimal code in a font."""
    try:
        sign = clean(read_symbols(chr(int(code, 16)), font))
    except (ValueError, OverflowError):
        return ""
    return "" if "\ue000" <= sign <= "\uf8ff" else sign


def read_box(bullet: str, font: str) -> str:
    """A bullet that is a box or a tick, "" for any other."""
    sign = read_symbols(bullet, font)
    return sign if sign in _BOXES else ""
