"""Sections that teach nothing or list terms, and labels such as “Homework” that are no terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from learning.material import WORDS
from text.words import join_patterns


def _join(name: str) -> str:
    return join_patterns("sections", name, WORDS)


_EXERCISES = re.compile(rf"\b(?:{_join('exercises')})\b", re.IGNORECASE)
_EXERCISES_ALONE = re.compile(
    rf"[\d.\s]*(?:(?:chapter|section|end-of-chapter|review|study|additional)\s)?(?:{_join('exercises_alone')})"
    r"(?:\s(?:and|&|und|et|y)\s\w+)?[\s\d.:]*",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(rf"\b(?:{_join('glossary')})\b", re.IGNORECASE)
_TEACHER = re.compile(rf"[ \t>]*\*\*(?:{_join('teacher')})", re.IGNORECASE)
_ANSWERS = re.compile(rf"(?:{_join('answers')})[\s:]*", re.IGNORECASE)
ANSWER_LABEL = re.compile(rf"\W*\b(?:{_join('answers')})\W*:[\s*]*", re.IGNORECASE)
"""Stands between an exercise and its answer."""
ITEM = re.compile(rf"^[ \t>*]*(?:(?:{_join('labels')})\s)?(\d{{1,3}})[.):][ \t*]+", re.IGNORECASE | re.MULTILINE)
"""The number of an exercise or an answer."""
_LABEL = re.compile(rf"(?:{_join('labels')})(?:\s?\d+[a-z]?)?(?:\s?[:.–-].*)?", re.IGNORECASE)


def is_exercise(heading_path: Sequence[str]) -> bool:
    """Say whether a section has exercises, references or other text that teaches nothing."""
    return any(
        _EXERCISES_ALONE.fullmatch(heading) or (_EXERCISES.search(heading) and len(heading.split()) <= 6)
        for heading in heading_path[-2:]
    )


def is_answer(heading_path: Sequence[str]) -> bool:
    """Say whether a section has the answers to exercises."""
    return bool(heading_path) and _ANSWERS.fullmatch(heading_path[-1]) is not None


def is_glossary(heading_path: Sequence[str]) -> bool:
    """Say whether a section lists terms, with or without their meaning."""
    return bool(heading_path) and _GLOSSARY.search(heading_path[-1]) is not None


def is_label(name: str) -> bool:
    """Say whether a bold text or a heading only labels what follows: “Homework”, “Task 3”, “Merke: …”."""
    return is_exercise([name]) or is_glossary([name]) or _LABEL.fullmatch(name.strip(" *:.")) is not None


def is_for_teachers(text: str, start: int) -> bool:
    """Say whether the paragraph around this offset opens with a label such as "Teacher Support"."""
    begins = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    return _TEACHER.match(text, begins) is not None
