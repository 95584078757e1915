"""Text from bytes of unknown encoding."""

from __future__ import annotations

import codecs
import re

# Longest first: the mark of UTF-16 begins like that of UTF-32.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings of teachers' files, the most frequent first.
_LEGACY = [
    *("cp1252", "iso8859_15", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r"),
    *("mac_roman", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"),
]
# Charsets of web pages by their usual names, of the WHATWG Encoding Standard, with Python's codec for each. Python has
# more codecs, and the time that some of them take (punycode, idna) grows with the square of the length.
_WEB_CODECS = {
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8"), "utf-8"),
    **dict.fromkeys(("utf-16", "utf-16le", "ucs-2", "unicode", "iso-10646-ucs-2"), "utf-16-le"),
    "utf-16be": "utf-16-be",
    **dict.fromkeys(("ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "cp819"), "cp1252"),
    **{name: f"cp{page}" for page in range(1250, 1259) for name in (f"windows-{page}", f"cp{page}", f"x-cp{page}")},
    **{f"iso{dash}8859-{n}": f"iso8859_{n}" for n in (*range(2, 9), 10, 13, 14, 15, 16) for dash in ("-", "")},
    **dict.fromkeys(("iso-8859-9", "iso8859-9", "latin5", "l5"), "cp1254"),
    **dict.fromkeys(("windows-874", "tis-620", "iso-8859-11", "iso8859-11"), "cp874"),
    **dict.fromkeys(("latin2", "l2"), "iso8859_2"),
    "latin-9": "iso8859_15",
    **dict.fromkeys(("koi8-r", "koi8", "koi"), "koi8_r"),
    "koi8-u": "koi8_u",
    **dict.fromkeys(("macintosh", "mac", "x-mac-roman"), "mac_roman"),
    "x-mac-cyrillic": "mac_cyrillic",
    **dict.fromkeys(("ibm866", "cp866", "866"), "cp866"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk", "gb-2312-80", "chinese"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "cn-big5", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("shift-jis", "sjis", "x-sjis", "ms-kanji", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-jp", "x-euc-jp"), "euc_jp"),
    "iso-2022-jp": "iso2022_jp",
    **dict.fromkeys(("euc-kr", "ks-c-5601-1987", "ksc5601", "windows-949", "korean"), "cp949"),
}
_WESTERN_SIGNS = {*"€„“”‘’‚–—…•·°²³½¼¾§©®™«»¿¡´œŒ£ªº±×\xa0", *map(chr, range(0xC0, 0x100))}  # and the letters À to ÿ
_TWO_BYTES, _LETTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]"), re.compile(rb"[A-Za-z]")
_SAMPLE = 65_536  # bytes
_NOTE = "Some characters in this file could not be read and are shown as �."


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text and notes for the teacher.

    Decode by byte order mark, else as UTF-8, else as UTF-16 without a mark, else by the likeliest legacy encoding.

    Lines in Windows' encoding within a UTF-8 file are decoded as such.
    """
    if mixed := _mixed(data):
        return mixed
    encoding = _unicode_encoding(data)
    if encoding:
        text = data.decode(encoding, "replace")
        return text, ((_NOTE,) if "�" in text and "�".encode(encoding) not in data else ())
    return _legacy(data), ()


def web_codec(charset: str) -> str | None:
    """Python's codec for a charset that a web page or its server names; None for one that browsers do not know."""
    return _WEB_CODECS.get(charset.strip().lower().replace("_", "-"))


def is_text(data: bytes) -> bool:
    """Whether the bytes are text in some encoding, not a binary format."""
    encoding = _unicode_encoding(data)
    text = data.decode(encoding, "replace") if encoding else data.decode("latin-1")
    control = len(re.findall("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]", text))
    if encoding is None:
        return "\x00" not in text and control * 200 <= len(text)
    return control * 10 <= len(text)


def _unicode_encoding(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if _mostly_utf8(data):
        return "utf-8"
    return _unmarked_utf16(data[:_SAMPLE])


def _mostly_utf8(data: bytes) -> bool:
    """Whether it is valid UTF-8, or has at least ten good characters beyond ASCII for each bad one."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        bad = text.count("�")
        return sum(character > "\x7f" for character in text) - bad >= 10 * bad
    return not _unmarked_utf16(data[:_SAMPLE])


def _mixed(data: bytes) -> tuple[str, tuple[str, ...]] | None:
    """UTF-8 with some lines in Windows' Western European encoding (cp1252). None for anything else."""
    lines, foreign, marked = [], [], False
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            text = line.decode("utf-8")
            marked = marked or not text.isascii()
        except UnicodeDecodeError:
            text = line.decode("cp1252", "replace")
            if _TWO_BYTES.search(line) or not _LETTER.search(line) or not _is_western(text):
                return None
            foreign.append(number)
        lines.append(text)
    if not foreign or not marked:
        return None
    where = ", ".join(map(str, foreign[:5])) + (f" and {len(foreign) - 5} more" if len(foreign) > 5 else "")
    which = f"line {where} is" if len(foreign) == 1 else f"lines {where} are"
    return "\n".join(lines), (f"The file has two encodings: {which} not in that of the rest (UTF-8).",)


def _unmarked_utf16(sample: bytes) -> str | None:
    """UTF-16 without a mark: in ASCII text every other byte is NUL."""
    half = len(sample) // 2
    low, high = sample[1::2].count(0), sample[::2].count(0)
    if half and low >= 0.6 * half and high <= 0.05 * half:
        return "utf-16-le"
    if half and high >= 0.6 * half and low <= 0.05 * half:
        return "utf-16-be"
    return None


def _western(data: bytes) -> str | None:
    """Text in cp1252, if all characters beyond ASCII are plausible in it and most letters are ASCII. Else None.

    A separate check, because charset_normalizer guesses rarer encodings for short lists such as German names.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    letters = [character for character in text if character.isalpha()]
    mostly_ascii = 4 * sum(not letter.isascii() for letter in letters) <= len(letters)
    return text if mostly_ascii and _is_western(text) else None


def _is_western(text: str) -> bool:
    return all(character.isascii() or character in _WESTERN_SIGNS for character in text)


def _legacy(data: bytes) -> str:
    from charset_normalizer import from_bytes

    if western := _western(data):
        return western
    matches = list(from_bytes(data, cp_isolation=_LEGACY))
    if not matches:
        return data.decode("cp1252", "replace")
    best = (matches[0].chaos, matches[0].coherence)
    equals = [match for match in matches if (match.chaos, match.coherence) == best]
    return str(min(equals, key=lambda match: _LEGACY.index(match.encoding)))
