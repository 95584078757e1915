"""The language of a document, as PostgreSQL's full text and the embedder need to know it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cache

from engines.embedding import Embedder
from text.function_words import FUNCTION_WORDS

CONFIGURATIONS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""PostgreSQL's text search configurations by ISO 639-1 code; any other language is searched word for word."""

_OTHER_SCRIPTS = {
    "arabic",
    "armenian",
    "greek",
    "hindi",
    "nepali",
    "russian",
    "serbian",
    "tamil",
    "yiddish",
    "simple",
}
_WORD_FOR_WORD = {
    "af", "az", "be", "bg", "bn", "bs", "cs", "cy", "et", "fa", "gl", "gu", "he", "hr", "is", "ja", "ka", "kk", "km",
    "kn", "ko", "ky", "lo", "lv", "mk", "ml", "mn", "mr", "ms", "mt", "my", "pa", "pl", "ps", "sk", "sl", "sq", "te",
    "th", "ug", "uk", "ur", "uz", "vi", "zh",
}  # fmt: skip
"""Languages that PostgreSQL has no stems for."""

_SAMPLE = 4000
TELLING = 40
"""Characters of a text from which its language can be told."""

SIGNS = "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\u00a0\u202f"
"""Where a database's character type is C, as the embedded one's, all that is not ASCII is a letter to its parser: to
it “goggles” and goggles would be two words."""

APOSTROPHE = "’"

_loading = threading.Lock()

_PLAIN = str.maketrans(SIGNS + APOSTROPHE, " " * len(SIGNS) + "'")
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])")


def configuration_of(text: str) -> str:
    """The text search configuration for a text, told from its first characters.

    "english" for one too short to tell, and for one that looks like a language no school is likely to write, as tables
    of names and numbers do.
    """
    if len(text) < TELLING:
        return "english"
    code, _ = _classifier()(text[:_SAMPLE])
    return CONFIGURATIONS.get(code, "simple" if code in _WORD_FOR_WORD else "english")


def warm() -> None:
    """Load what tells languages ahead of the first question, which would wait most of a second for it."""
    _classifier()


def spaced(text: str) -> str:
    """The text as PostgreSQL tells its words: without the signs that it may take for letters, and Chinese and Japanese
    with a space around every character."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text.translate(_PLAIN))


def function_words(configuration: str) -> frozenset[str]:
    """Words that say next to nothing, where they are known: PostgreSQL's lists lack some, such as "may"."""
    code = next((code for code, name in CONFIGURATIONS.items() if name == configuration), "")
    return FUNCTION_WORDS.get(code, frozenset())


def vector_weight(configuration: str, embedder: Embedder) -> float:
    """How far the embedder can be trusted with a language, from 0 to 1.

    Fully where it knows the language, and in languages of the Latin script, where the sum of both legs measured
    better than the lexical leg alone (Spanish, German); hardly in other scripts, where the lexical leg alone found
    93 % and the vectors of an English model 4 % (Arabic, Chinese).
    """
    codes = {code for code, name in CONFIGURATIONS.items() if name == configuration}
    if "*" in embedder.languages or codes & embedder.languages or configuration not in _OTHER_SCRIPTS:
        return 1.0
    return 0.2


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    """Loaded by one thread, while others wait: py3langid would unpack its model in each that asks at the same time."""
    with _loading:
        import py3langid

        classify: Callable[[str], tuple[str, float]] = py3langid.classify
        classify("")
        return classify
