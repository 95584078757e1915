"""The words of each language, in a file each. What only one app needs stands in a folder `words` of its own."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es")
"""Codes of the languages that a chatbot can answer in. Each has a file in every such folder."""


@cache
def read_words(language: str, folder: Path = Path(__file__).parent) -> dict[str, Any]:
    """Return what the file of a language in `folder` holds, that of English for a language without one.

    Texts of several lines are sets of words.
    """
    code = language[:2].lower()
    file = folder / f"{code if code in LANGUAGES else LANGUAGES[0]}.toml"
    return {name: _split(value) for name, value in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def join_patterns(section: str, name: str, folder: Path = Path(__file__).parent) -> str:
    """Return a regular expression for what any of the languages has in a section under this name."""
    return "|".join(part for code in LANGUAGES for part in read_words(code, folder)[section][name])


def _split(value: object) -> object:
    """Split texts of several lines into words, in tables too."""
    if isinstance(value, dict):
        return {name: _split(one) for name, one in value.items()}
    return frozenset(value.split()) if isinstance(value, str) and "\n" in value else value
