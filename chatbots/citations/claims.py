"""The claims of an answer: each group of citation markers with the words that it supports. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from chatbots.citations.markers import MARKER, blank_out_code
from text.sentences import Sentence, split_sentences
from text.words import read_words

_GROUP = re.compile(rf"{MARKER.pattern}(?:[ \t]?{MARKER.pattern})*")
_WORD = re.compile(r"[^\W_]")
_WORD_WHOLE = re.compile(r"[^\W_]{2,}")

MIN_WORDS = 4
"""Words of a sentence that states something: “Yes.” and “I hope this helps” do without."""


@dataclass(frozen=True)
class Claim:
    """Words of an answer, `text[start:end]`, and the numbers of the sources that they cite.

    `first` is the index of its first marker among all markers of the answer.
    """

    text: str
    start: int
    end: int
    numbers: tuple[int, ...]
    first: int


def extract_claims(text: str, language: str = "en") -> list[Claim]:
    """The cited claims of a checked answer, in order. Text without a citation is no claim, and no question is.

    A marker belongs to the words before it in its sentence, back to the previous marker: "Ice melts at 0 °C [1] and
    water boils at 100 °C [2]." has two claims. A marker after the full stop, or in its own paragraph, belongs to the
    sentence before it. A marker at the beginning of the text belongs to the sentence after it.
    """
    groups = [
        (match.start(), match.end(), tuple(int(number) for number in MARKER.findall(match[0])))
        for match in _GROUP.finditer(blank_out_code(text))
    ]
    sentences = split_sentences(text, language)
    found: list[Claim] = []
    first, after = 0, 0
    following = [start for start, _, _ in groups[1:]]
    for (start, end, numbers), until in zip(groups, [*following, len(text)], strict=False):
        span = _cited_span(text, sentences, start, end, after, until)
        if span and "?" not in (text[slice(*span)].rstrip(" *_")[-1:], text[end : end + 1]):
            found.append(Claim(text[slice(*span)].strip(), *span, numbers, first))
        first += len(numbers)
        after = end
    return found


def extract_uncited_claims(text: str, language: str = "en") -> list[Claim]:
    """The sentences of a checked answer that no marker belongs to, in order, but for questions and lead-ins. Signs of
    emphasis around them and rows of tables, which a mark would break, are left out."""
    cited = extract_claims(text, language)
    plain = blank_out_code(text)
    found = []
    for one in split_sentences(plain, language):
        words = plain[one.start : one.end].rstrip(" *_")
        start = one.end - len(plain[one.start : one.end].lstrip(" *_"))
        end = one.start + len(words)
        if _speaks_of_itself(language).search(words):
            continue
        if one.kind == "row" or len(_WORD_WHOLE.findall(words)) < MIN_WORDS or words.endswith(("?", ":")):
            continue
        if not any(claim.start < end and start < claim.end for claim in cited) and not MARKER.search(words):
            found.append(Claim(plain[start:end], start, end, (), 0))
    return found


@cache
def _speaks_of_itself(language: str) -> re.Pattern[str]:
    """A pattern for sentences of a model that talks to the reader: “Let me know if …”."""
    return re.compile("|".join(read_words(language)["speaks_of_itself"]))


def _cited_span(
    text: str, sentences: Sequence[Sentence], start: int, end: int, after: int, until: int
) -> tuple[int, int] | None:
    """The words that the markers in [start, end) support; those before end at `after`, the next begin at `until`."""
    for index in reversed(range(bisect_left(sentences, start, key=lambda one: one.start))):
        sentence = sentences[index]
        left, right = max(sentence.start, after), min(sentence.end, start)
        if _WORD.search(text, left, max(left, right)):
            return left, right
        if sentence.end <= after:
            break
    next_one = bisect_right(sentences, end, key=lambda one: one.end)
    if next_one == len(sentences):
        return None
    left, right = max(sentences[next_one].start, end), min(sentences[next_one].end, until)
    return (left, right) if _WORD.search(text, left, max(left, right)) else None
