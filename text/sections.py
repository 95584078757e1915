"""What parts of a text are for, by their headings and first words: exercises, lists of terms, boxes for teachers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from text.words import join_patterns


class Purpose(StrEnum):
    """What a part of a text is for."""

    STATES = ""
    EXERCISE = "exercise"
    TEACHER = "teacher"
    TERMS = "terms"
    CAPTION = "caption"


def _join(name: str) -> str:
    return join_patterns("sections", name)


_EXERCISES = re.compile(rf"\b(?:{_join('exercises')})\b", re.IGNORECASE)
_EXERCISES_ALONE = re.compile(
    rf"[\d.\s]*(?:(?:chapter|section|end-of-chapter|review|study|additional|mixed)\s)?(?:{_join('exercises_alone')})"
    r"(?:\s(?:and|&|und|et|y)\s\w+)?[\s\d.:]*",
    re.IGNORECASE,
)
_KEY_TERMS = re.compile(rf"\b(?:{_join('key_terms')})\b", re.IGNORECASE)
_GLOSSARY = re.compile(rf"{_KEY_TERMS.pattern}|\b(?:{_join('glossary')})\b", re.IGNORECASE)
_TEACHER = re.compile(rf"[ \t>]*\*\*(?:{_join('teacher')})", re.IGNORECASE)
_ANSWERS = re.compile(rf"[\d.\s]*(?:{_join('answers')})[\s\d.:]*", re.IGNORECASE)
_WITH_ANSWERS = re.compile(rf"(?:\b(?:and|und|et|y)|&)\s(?:{_join('answers')})", re.IGNORECASE)
ANSWER_LABEL = re.compile(rf"(?:(?<=[.?!…)])|\n)[\s*_>]*\b(?:{_join('answers')})\W*:[\s*]*", re.IGNORECASE)
"""Stands between an exercise and its answer."""
ITEM = re.compile(rf"^[ \t>*]*(?:(?:{_join('labels')})\s)?(\d{{1,3}})[.):][ \t*]+", re.IGNORECASE | re.MULTILINE)
"""The number of an exercise or an answer."""
_FIRST_WORDS = 5  # of a heading, among which it must say so
_CAPTION = re.compile(
    rf"[ \t>*_]*(?:{_join('caption')})[*_ ]{{0,3}}\d[\w.–-]*+[*_]*+(?!\s+(?-i:[a-zäöüéèà]))",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(rf"(?:^|[.!?)]\s)[\s>*_\d.)-]*(?:{_join('instructs')})\b[^.!?]*[.:!]?$", re.IGNORECASE)
_NOUN, _ABOUT = _join("exercise"), _join("about")
_WHY = "why|how|warum|wieso|weshalb|wie|pourquoi|comment|por qué|cómo"
_ASKS_FOR_EXERCISE = re.compile(
    rf"(?!\W*(?:{join_patterns('questions', 'asks')}|{_WHY})(?!\w))"  # “Why do we need exercise?” wants a statement
    rf"(?:.*\b(?:{_join('given')})\b.*\b(?:{_NOUN})|\W*(?:(?:{_join('some')})\s)?(?:{_NOUN}))"
    rf"(?:\s(?:{_ABOUT})\s(?P<topic>.+?))?[\s.?!]*",
    re.IGNORECASE,
)
_NAMES_PURPOSE = re.compile(
    rf"\b(?:{_NOUN}|{_join('exercises')}|{_join('teacher')}|{_join('glossary')}|{_join('caption')}"
    rf"|(?:{_join('labels')})\s\d+[a-z]?)(?!\w)",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"(?:{_join('labels')})(?:\s?\d+[a-z]?)?(?:\s?[:.–-].*)?", re.IGNORECASE)


def is_exercise(heading_path: Sequence[str]) -> bool:
    """Say whether a section has exercises, references or other text that teaches nothing."""
    return any(
        _EXERCISES_ALONE.fullmatch(heading)
        or ((found := _EXERCISES.search(heading)) and len(heading[: found.end()].split()) <= _FIRST_WORDS)
        for heading in heading_path[-2:]
    )


def is_answer(heading_path: Sequence[str]) -> bool:
    """Say whether a section has the answers to exercises."""
    return bool(heading_path) and _ANSWERS.fullmatch(heading_path[-1]) is not None


def should_have_tasks(heading_path: Sequence[str]) -> bool:
    """Say whether the headings promise exercises alone, and no answers with them."""
    return is_exercise(heading_path) and not _WITH_ANSWERS.search(heading_path[-1])


def is_glossary(heading_path: Sequence[str]) -> bool:
    """Say whether a section lists terms, with or without their meaning."""
    return bool(heading_path) and _GLOSSARY.search(heading_path[-1]) is not None


def names_key_terms(heading_path: Sequence[str]) -> bool:
    """Say whether a section lists the terms of a chapter, which it explains elsewhere."""
    return bool(heading_path) and _KEY_TERMS.search(heading_path[-1]) is not None


def is_label(name: str) -> bool:
    """Say whether a bold text or a heading only labels what follows: “Homework”, “Task 3”, “Merke: …”."""
    return is_exercise([name]) or is_glossary([name]) or _LABEL.fullmatch(name.strip(" *:.")) is not None


def is_for_teachers(text: str, start: int) -> bool:
    """Say whether the paragraph around this offset opens with a label such as "Teacher Support". “**For teachers:**
    Grades are due” is none: with a colon it is said to them, as in “For teachers and parents: …”."""
    begins = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    return _TEACHER.match(text, begins) is not None


def is_caption(text: str) -> bool:
    """Say whether a paragraph is the caption of a figure: “Figure 3.1 …”, but not “Figure 3.1 shows …”."""
    return _CAPTION.match(text) is not None


def sets_task(text: str) -> bool:
    """Say whether a paragraph or item ends with a question or says what to work out."""
    return text.rstrip("*_\"'”’») \n").endswith(("?", "？")) or _INSTRUCTS.search(text) is not None


def find_purposes_asked(question: str) -> tuple[tuple[Purpose, ...], str]:
    """Return what the text that a question asks for may be for, and what it is asked about.

    “Give me an exercise on levers” asks for exercises; a question that speaks of them, of a figure or of what is for
    teachers for any text; each other question for what states something.
    """
    if asked := _ASKS_FOR_EXERCISE.fullmatch(question.strip()):
        return (Purpose.EXERCISE,), asked["topic"] or question
    return (tuple(Purpose) if _NAMES_PURPOSE.search(question) else (Purpose.STATES,)), question
