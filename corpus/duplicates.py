"""Whether two passages say the same, so that one of them is enough. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from corpus.language import spaced

SAME = 0.9
"""The share of the longer text's words that must stand in the other, in one unbroken run."""

_VOCABULARY = 0.7
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Wording:
    """A text reduced to its words, for comparing: case, punctuation, mark-up and line breaks are gone."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(_WORD.findall(spaced(self.text).casefold()))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def figures(self) -> list[str]:
        return sorted(word for word in self.words if any(letter.isdigit() for letter in word))

    def says_the_same(self, other: Wording) -> bool:
        """Equal, or different only at the edges: a running title more, a last sentence cut elsewhere.

        At an edge only one of them has more words. A word changed, or any number, makes two texts: the one may correct
        the other, and hiding a contradiction between sources is worse than showing a passage twice.
        """
        if self.words == other.words:
            return bool(self.words) or self.text == other.text
        shorter, longer = sorted((self.words, other.words), key=len)
        needed = SAME * len(longer)
        if len(shorter) < needed or self.figures != other.figures:
            return False
        shared = len(self.vocabulary & other.vocabulary)  # quick to tell, and rules out nearly all pairs
        if shared < _VOCABULARY * len(self.vocabulary | other.vocabulary):
            return False
        run = SequenceMatcher(None, shorter, longer, autojunk=False).find_longest_match()
        before = min(run.a, run.b)
        after = min(len(shorter) - run.a, len(longer) - run.b) - run.size
        return run.size >= needed and before == after == 0
