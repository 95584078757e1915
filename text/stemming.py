"""Words of a text as comparable stems, lower case, in the language at hand.

There is no list of stop words: weighted by inverse document frequency they count next to nothing, in any language.
"""

import re
import unicodedata

import snowballstemmer

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# A Chinese or Japanese character counts as a word of its own: these scripts do not put spaces between words.
# A code such as LS-05 is one word, so that LS alone says nothing about it.
_CODE = r"(?<![^\W_])[^\W\d_]{1,4}-\d{1,3}(?![^\W_])"
_HYPHENS = str.maketrans("\u2010\u2013", "--")
_WORD = re.compile(
    _CODE + r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+"
)

MOST_SEEN = 50_000
"""Words of a language that are remembered with their stems: more than a school's documents mostly have."""

_seen: dict[str, dict[str, str]] = {}


def codes_in(stems: set[str]) -> set[str]:
    """Return those of `stems` that are codes: letters, a hyphen and digits."""
    return {stem for stem in stems if re.fullmatch(_CODE, stem)}


class Stems:
    """Turns text of one language into stems. Not for use by two threads at once, though all remember words together."""

    def __init__(self, language: str) -> None:
        """Take an ISO 639-1 code, with or without a region; an unknown language is compared word for word."""
        code = language[:2].lower()
        algorithm = _ALGORITHMS.get(code)
        self._stemmer = snowballstemmer.stemmer(algorithm) if algorithm else None
        self._seen = _seen.setdefault(code, {})

    def of(self, text: str) -> set[str]:
        """Return the distinct stems of `text`."""
        return set(self.in_order(text))

    def in_order(self, text: str) -> list[str]:
        """Return the stem of each word of `text`."""
        plain = unicodedata.normalize("NFKC", text).lower().translate(_HYPHENS)
        return [self._stem(word) for word in _WORD.findall(plain)]

    def _stem(self, word: str) -> str:
        stem = self._seen.get(word)
        if stem is None:
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            stem = self._seen[word] = self._stemmer.stemWord(word) if self._stemmer else word
        return stem
