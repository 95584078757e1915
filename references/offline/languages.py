"""Languages of ZIM files, which are named by three letters (ISO 639-3)."""

from __future__ import annotations

_CODES = {
    "ara": "ar", "cat": "ca", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "eus": "eu", "fas": "fa",
    "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gle": "ga", "heb": "he", "hin": "hi", "hun": "hu", "hye": "hy",
    "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "nep": "ne", "nld": "nl", "nor": "no", "pol": "pl",
    "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta", "tur": "tr",
    "ukr": "uk", "vie": "vi", "yid": "yi", "zho": "zh",
}  # fmt: skip


def language_codes(metadata: str) -> list[str]:
    """Return the codes of two letters of the languages that a file names, such as "eng,fra"; unknown ones as they are."""
    return [_CODES.get(name, name) for part in metadata.split(",") if (name := part.strip().lower()[:8])]
