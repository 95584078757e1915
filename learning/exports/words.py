"""The few words that an exported file adds, in the languages of plans."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """The words in one language."""

    source: str
    sources: str
    true: str
    false: str
    place: str
    """“Step 2”: what the steps of an ordering question are matched with."""


_WORDS = {
    "en": Words("Source", "Sources", "True", "False", "Step"),
    "de": Words("Quelle", "Quellen", "Richtig", "Falsch", "Schritt"),
    "fr": Words("Source", "Sources", "Vrai", "Faux", "Étape"),
    "es": Words("Fuente", "Fuentes", "Verdadero", "Falso", "Paso"),
}


def words_of(language: str) -> Words:
    """The words in this language, else in English."""
    return _WORDS.get(language, _WORDS["en"])
