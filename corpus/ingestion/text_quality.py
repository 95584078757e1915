"""Whether the text that was read from a file looks broken, as of a PDF whose letters were mapped wrongly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean

from text.function_words import FUNCTION_WORDS
from text.languages import detect_language
from text.spelling import is_known_word
from text.tables import drop_tables

_WORD = re.compile(r"[^\W_]+")
_LITERAL = re.compile(r"\$[^$\n]{1,400}\$|`[^`\n]{1,400}`|https?://\S+")
_GLUED = re.compile(r"[^\W\d_]{4,}\d+|\d{2,}[^\W\d_]{4,}")
_MAX_SAMPLE = 40_000  # characters that are looked at
_MIN_WORDS = 60
_MAX_LONE, _MAX_GLUED, _MIN_KNOWN = 0.25, 0.08, 0.5
"""Shares of words that are one letter, that have digits glued to them, and that a dictionary has."""

_NOTE = "Much of the text looks broken ({why}). Look at what was read, and upload a better copy if there is one."


def find_broken_text(texts: Sequence[str]) -> str:
    """Return a note for the teacher if the text looks broken, else "". Words with capitals may be names."""
    text = _LITERAL.sub(" ", drop_tables("\n".join(texts)))[:_MAX_SAMPLE]
    words = _WORD.findall(text)
    if len(words) < _MIN_WORDS:
        return ""
    language = detect_language(text)
    why = []
    if fmean([len(word) == 1 and word.isalpha() for word in words]) > _MAX_LONE:
        why.append("many single letters")
    if fmean([bool(_GLUED.fullmatch(word)) for word in words]) > _MAX_GLUED:
        why.append("numbers glued to words")
    plain = [word for word in words if len(word) > 2 and word.isalpha() and word.islower()]
    if language in FUNCTION_WORDS and len(plain) >= _MIN_WORDS // 2:
        sample = plain[:: len(plain) // 400 + 1]
        if fmean([is_known_word(word, language) for word in sample]) < _MIN_KNOWN:
            why.append("few known words")
    return _NOTE.format(why=", ".join(why)) if why else ""
