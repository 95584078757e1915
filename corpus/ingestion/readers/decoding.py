"""Text from bytes of unknown encoding."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

# Longest first: the mark of UTF-16 begins like that of UTF-32.
_MARKS = (
    *((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF8, "utf-8")),
    *((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
)
# Encodings of teachers' files, the most frequent first.
_LEGACY = [
    *("cp1252", "iso8859_15", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r"),
    *("mac_roman", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"),
]
# What browsers read instead of a charset, by Python's names (the WHATWG Encoding Standard).
_SUPERSETS = {
    **{"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874", "iso8859-11": "cp874"},
    **{"utf-16": "utf-16-le", "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932"},
    **{"euc_kr": "cp949", "cp31j": "cp932", "unicode": "utf-16-le", "ucs-2": "utf-16-le"},
    **{"latin-9": "iso8859-15", "koi8": "koi8-r", "koi": "koi8-r", "mac": "mac-roman"},
}
# Python has more codecs. Some have no letters of ASCII (cp037), and the time of others (punycode, idna) grows with the
# square of the length.
_WEB = re.compile(
    r"utf-(?:8|16-[bl]e)|cp(?:125\d|437|7\d\d|8[56]\d|874|9\d\d)|iso8859-\d+|koi8-[ru]|mac-\w+|gb18030|big5hkscs|(?:euc|iso2022)_jp"
)
_WESTERN = re.compile("[\\x00-\\x7f€„“”‘’‚–—…•·°²³½¼¾§©®™«»¿¡´œŒ£ªº±×\xa0À-ÿ]*")
_TWO_BYTES, _LETTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]"), re.compile(rb"[A-Za-z]")
_ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are no UTF-8
_SAMPLE = 65_536  # bytes
_NOTE = "Some characters in this file could not be read and are shown as �."


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text, by its mark, as UTF-8 (lines of cp1252 in it, too), as UTF-16 or in a legacy encoding, and notes."""
    if mixed := _mixed(data):
        return mixed
    encoding = _unicode_encoding(data)
    if encoding:
        text = data.decode(encoding, "replace")
        return text, ((_NOTE,) if "�" in text and "�".encode(encoding) not in data else ())
    return _legacy(data), ()


def web_codec(charset: str) -> str | None:
    """Python's codec for a charset that a web page or its server names; None for one that browsers do not know."""
    name = re.sub("^(?:x-)?windows-", "cp", charset.strip().lower()).removeprefix("x-")
    try:
        codec = codecs.lookup(_SUPERSETS.get(name, name)).name
    except (LookupError, ValueError):
        return None
    codec = _SUPERSETS.get(codec, codec)
    return codec if _WEB.fullmatch(codec) else None


def is_text(data: bytes) -> bool:
    encoding = _unicode_encoding(data)
    text = data.decode(encoding, "replace") if encoding else data.decode("latin-1")
    control = len(re.findall("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]", text))
    if encoding is None:
        return "\x00" not in text and control * 200 <= len(text)
    return control * 10 <= len(text)


def _unicode_encoding(data: bytes) -> str | None:
    """That of its mark, UTF-16 without one, or UTF-8 with ten good characters beyond ASCII for each bad one."""
    if stated := next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None):
        return stated
    sample = data[:_SAMPLE]
    zeros = (sample[1::2].count(0), sample[::2].count(0))
    for encoding, (most, few) in (("utf-16-le", zeros), ("utf-16-be", zeros[::-1])):
        if most >= 0.3 * len(sample) > 0 and few <= 0.025 * len(sample):  # in ASCII text every other byte is NUL
            return encoding
    text = data.decode("utf-8", "replace")
    bad = text.count("�") - data.count("�".encode())
    return "utf-8" if not bad or sum(character > "\x7f" for character in text) >= 11 * bad else None


def _mixed(data: bytes) -> tuple[str, tuple[str, ...]] | None:
    """UTF-8 with some lines in Windows' Western European encoding (cp1252). None for anything else."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    foreign = {n: text.encode("utf-8", "surrogateescape") for n, text in enumerate(lines) if _ESCAPED.search(text)}
    if not foreign or all(text.isascii() for n, text in enumerate(lines) if n not in foreign):
        return None
    for n, line in foreign.items():
        lines[n] = line.decode("cp1252", "replace")
        if _TWO_BYTES.search(line) or not _LETTER.search(line) or not _WESTERN.fullmatch(lines[n]):
            return None
    where = ", ".join(f"{n + 1}" for n in [*foreign][:5]) + (
        f" and {len(foreign) - 5} more" if len(foreign) > 5 else ""
    )
    which = f"line {where} is" if len(foreign) == 1 else f"lines {where} are"
    return "\n".join(lines), (f"The file has two encodings: {which} not in that of the rest (UTF-8).",)


def _legacy(data: bytes) -> str:
    """Text in cp1252, if most letters are ASCII and all others plausible, else in the likeliest encoding."""
    from charset_normalizer import from_bytes

    with suppress(UnicodeDecodeError):  # charset_normalizer guesses rarer encodings for lists of German names
        text = data.decode("cp1252")
        letters = list(filter(str.isalpha, text))
        if 4 * sum(not letter.isascii() for letter in letters) <= len(letters) and _WESTERN.fullmatch(text):
            return text
    matches = [((one.chaos, one.coherence), one) for one in from_bytes(data, cp_isolation=_LEGACY)]
    equals = [one for score, one in matches if score == matches[0][0]]
    best = min(equals, key=lambda match: _LEGACY.index(match.encoding), default=None)
    return str(best) if best else data.decode("cp1252", "replace")
