"""The words of questions that are made by rules, in the languages of the site."""

from __future__ import annotations

import re
from dataclasses import dataclass

from learning.material import WORDS
from text.words import read_words


@dataclass(frozen=True)
class Wording:
    """Templates of one language, and the few words that a file adds: `place` is what a step is matched with."""

    which_term: str
    which_gap: str
    which_fits: str
    what_is: str
    order: str
    order_of: str
    match: str
    table: str
    short: str
    why: str
    calculate: str
    marks: list[str]
    source: str
    sources: str
    true: str
    false: str
    place: str

    def quote(self, text: str) -> str:
        return f"{self.marks[0]}{text}{self.marks[1]}"


GAP = "____"
"""Stands for the missing words of a cloze or a number question."""


def get_wording(language: str) -> Wording:
    return Wording(**read_words(language, WORDS)["wording"])


_OPEN_ARTICLE = re.compile(r"\b([Aa])(?:/an\b|\(n\))")


def use_one_article(text: str) -> str:
    """The text with "a" for the open articles "a/an" and "a(n)" before a gap."""
    return _OPEN_ARTICLE.sub(r"\1", text)
