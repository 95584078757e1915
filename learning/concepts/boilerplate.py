"""What defines nothing: headings without a concept, exercises, hints for teachers, sentences that need others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from learning.material import WORDS
from text.words import join_patterns

_EXERCISES = re.compile(rf"\b(?:{join_patterns('sections', 'exercises', WORDS)})\b", re.IGNORECASE)
_EXERCISES_ALONE = re.compile(
    rf"[\d.\s]*(?:(?:chapter|section|end-of-chapter|review|study|additional)\s)?"
    rf"(?:{join_patterns('sections', 'exercises_alone', WORDS)})(?:\s(?:and|&|und|et|y)\s\w+)?[\s\d.:]*",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(rf"\b(?:{join_patterns('sections', 'glossary', WORDS)})\b", re.IGNORECASE)
_SUMMARY = re.compile(rf"\b(?:{join_patterns('sections', 'summary', WORDS)})\b", re.IGNORECASE)
_TEACHER = re.compile(rf"[ \t>]*\*\*(?:{join_patterns('sections', 'teacher', WORDS)})", re.IGNORECASE)

_LEANS = re.compile(rf"(?:[\"“„«(¿¡*]\s*)?(?:{join_patterns('sentences', 'leans', WORDS)})\b", re.IGNORECASE)
_MEDIATED = re.compile(rf"\b(?:{join_patterns('sentences', 'mediated', WORDS)})", re.IGNORECASE)
_SUBJECT_BEFORE = re.compile(
    r"^(?!If|When|Wenn).*\b(?:it|they|he|she|this)\s(?:is|are|was) (?:also )?(?:called|known|named)|"
    r"[a-z]\*?[.!?]\*?[A-Z]|[a-z]{4}\. [a-z]|\*\w|\w\*|:$",
)
# What the conversion of a figure or a formula leaves: "shown in ,", "is given by".
_HOLE = re.compile(
    r"\b(?:in|by|and|of|from|see|is|are)\s*[,;.)]|\(\s*\)|,\s*,|\s,\s|\bis (?:given|expressed) by\b", re.IGNORECASE
)
MIN_WORDS, MAX_WORDS = 5, 45
"""Words of a definition."""


def is_exercise(heading_path: Sequence[str]) -> bool:
    """Say whether a section has exercises, references or other text that teaches nothing."""
    return any(
        _EXERCISES_ALONE.fullmatch(heading) or (_EXERCISES.search(heading) and len(heading.split()) <= 6)
        for heading in heading_path[-2:]
    )


def is_glossary(heading_path: Sequence[str]) -> bool:
    """Say whether a section lists terms, with or without their meaning."""
    return bool(heading_path) and _GLOSSARY.search(heading_path[-1]) is not None


def is_summary(heading_path: Sequence[str]) -> bool:
    """Say whether a section sums up others: its sentences are made to stand alone."""
    return bool(heading_path) and _SUMMARY.search(heading_path[-1]) is not None


def is_for_teachers(text: str, start: int) -> bool:
    """Say whether the paragraph around this offset opens with a label such as "Teacher Support"."""
    begins = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    return _TEACHER.match(text, begins) is not None


def stands_alone(sentence: str, *, glossary: bool = False) -> bool:
    """Say whether a sentence is complete, no question and no instruction, and needs no other one to be understood."""
    words = sentence.split()
    if not MIN_WORDS <= len(words) <= MAX_WORDS or "?" in sentence or "¿" in sentence or "|" in sentence:
        return False
    if (
        _LEANS.match(sentence)
        or _MEDIATED.search(sentence)
        or _HOLE.search(sentence)
        or _SUBJECT_BEFORE.search(sentence)
    ):
        return False
    begins = sentence.lstrip("\"'“„«(*")[:1]
    ends = sentence.rstrip("\"'”“»)* ")[-1:]
    return glossary or ((begins.isupper() or begins.isdigit()) and ends in ".!。")
