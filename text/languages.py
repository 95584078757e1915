"""Languages: PostgreSQL's text search configurations by ISO 639-1 code, and detecting the language of a text."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cache, lru_cache

CONFIGURATIONS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Text search configurations by language code. Any other language is compared word for word ("simple")."""

LATIN = frozenset(CONFIGURATIONS.values()) - {
    "arabic", "armenian", "greek", "hindi", "nepali", "russian", "serbian", "tamil", "yiddish"
}  # fmt: skip
"""Configurations of languages in Latin script."""

DETECTABLE = 40
"""Characters that a text needs for its language to be detected."""

_CODES = {name: code for code, name in CONFIGURATIONS.items()}
_WITHOUT_STEMS = {
    "af", "az", "be", "bg", "bn", "bs", "cs", "cy", "et", "fa", "gl", "gu", "he", "hr", "is", "ja", "ka", "kk", "km",
    "kn", "ko", "ky", "lo", "lv", "mk", "ml", "mn", "mr", "ms", "mt", "my", "pa", "pl", "ps", "sk", "sl", "sq", "te",
    "th", "ug", "uk", "ur", "uz", "vi", "zh",
}  # fmt: skip
_SAMPLE = 4000
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u3040-\ud7ff]{3}")  # Greek, Cyrillic, Hebrew, Arabic, …
_loading = threading.Lock()


def get_configuration(language: str) -> str:
    """Return the text search configuration of a language code, with or without a region."""
    return CONFIGURATIONS.get(language[:2].lower(), "simple")


def get_language_code(configuration: str) -> str:
    """Return the language code of a text search configuration, "" for "simple"."""
    return _CODES.get(configuration, "")


def detect_configuration(text: str) -> str:
    """Return the text search configuration for a text, by its first characters.

    It is "english" for a text that is too short, and for one that looks like a language no school is likely to use:
    tables of names and numbers do.
    """
    return _detected(text[:_SAMPLE]) if len(text) >= DETECTABLE else "english"


@lru_cache(maxsize=256)
def _detected(sample: str) -> str:
    code, _ = _classifier()(sample)
    return CONFIGURATIONS.get(code, "simple" if code in _WITHOUT_STEMS else "english")


@lru_cache(maxsize=1024)
def detect_language(text: str) -> str:
    """Return the language code of a text. It is "" for a text in Latin script that is too
    short, and for one that looks like a language no school is likely to use."""
    if len(text) < DETECTABLE and not _OTHER_SCRIPT.search(text):
        return ""
    code, _ = _classifier()(text)
    return code if code in CONFIGURATIONS or code in _WITHOUT_STEMS else ""


def load_detector() -> None:
    """Load the classifier now: it takes most of a second, which the first question would wait for."""
    _classifier()


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    """Load it under a lock: py3langid would unpack its model once in each thread that asks at the same time."""
    with _loading:
        import py3langid

        classify: Callable[[str], tuple[str, float]] = py3langid.classify
        classify("")
        return classify
