"""Exercises that the author of a document wrote, as questions with the author's answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.passages import Passage
from learning.grading.quantities import parse_quantity, parse_unit
from learning.material import DraftQuestion, FoundConcept, QuestionKind
from learning.questions.checking.giveaways import speaks_of_text
from learning.questions.wording import TOLERANCE
from learning.reading.statements import find_fault, find_term, get_term_stems, plain, read_statements
from text.sections import ANSWER_LABEL, ITEM, is_answer, is_exercise

_SYMBOL = re.compile(r"^\w+\s?=\s?")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,\s'’]\d{3})*(?:[.,]\d+)?(?:\s?/\s?\d+|\s?[·×*x]\s?10\S*)?\s*")
_OPTION = re.compile(r"^\W{0,3}[a-h][.)]\s", re.MULTILINE | re.IGNORECASE)


@dataclass
class _Exercise:
    """What is asked, and the author's answer, "" without one; `place` is the index of the passage that has it."""

    number: str
    text: str
    place: int
    answer: str


def add_exercises(concepts: Sequence[FoundConcept], passages: Sequence[Passage], language: str) -> list[FoundConcept]:
    """Return the concepts with the exercises that name them, at most four each, and each with one concept.

    One without an answer is asked if a sentence about the concept has nearly all of its words.
    """
    found = list(concepts)
    for exercise in _find_exercises(passages):
        named = [
            (len(name), place)
            for place, concept in enumerate(found)
            for name in (concept.name, *concept.synonyms)
            if len(concept.questions) < 4 and find_term(f"{exercise.text} {exercise.answer}", name, language)
        ]
        if named:
            place = max(named)[1]
            found[place] = _add(found[place], exercise, passages[exercise.place], language)
    return found


def _add(concept: FoundConcept, exercise: _Exercise, home: Passage, language: str) -> FoundConcept:
    if not exercise.answer:
        asked = get_term_stems(exercise.text, language)
        said = [
            (len(asked & get_term_stems(one.text, language)), -place, one)
            for place, one in enumerate(read_statements(concept.as_text().passages, language))
            if not find_fault(one.text, language)
        ]
        share, _, one = max(said, default=(0, 0, None))
        if one is None or not exercise.text.endswith("?") or share < 0.75 * len(asked):
            return concept
        return replace(concept, questions=(*concept.questions, _ask(exercise.text, one.text, one.number, language)))
    cited = concept.passages if home in concept.passages else (*concept.passages, home)
    question = _ask(exercise.text, exercise.answer, cited.index(home) + 1, language)
    return replace(concept, passages=cited, questions=(*concept.questions, question))


def _ask(prompt: str, answer: str, number: int, language: str) -> DraftQuestion:
    """Return a question for a number if the answer is one, such as “F = 12 N”, else for a short answer."""
    explanation, found = f"{answer} [{number}]", parse_quantity(value := _SYMBOL.sub("", answer.strip(" .")), language)
    if found and parse_unit(found.unit) and _NUMBER.fullmatch(value.removesuffix(found.unit)):
        given = {"value": found.readings[0], "unit": found.unit, "tolerance": TOLERANCE}
        return DraftQuestion(QuestionKind.NUMBER, prompt, given, explanation, (number,))
    return DraftQuestion(QuestionKind.SHORT, prompt, {"reference": answer}, explanation, (number,))


def _find_exercises(passages: Sequence[Passage]) -> Iterator[_Exercise]:
    """Yield the numbered exercises; an answer below another heading belongs to the only one of its document and number,
    or of its chapter."""
    found: list[_Exercise] = []
    for place, passage in enumerate(passages):
        if is_answer(passage.heading_path):
            for number, text, _ in _read_items(passage.excerpt):
                same = [one for one in found if one.number == number and passages[one.place].origin == passage.origin]
                near = [one for one in same if passages[one.place].heading_path[:-1] == passage.heading_path[:-1]]
                if len(one_of := same if len(same) == 1 else near) == 1 and not one_of[0].answer:
                    one_of[0].answer, one_of[0].place = text, place
        elif is_exercise(passage.heading_path):
            found += [_Exercise(number, text, place, answer) for number, text, answer in _read_items(passage.excerpt)]
    yield from (one for one in found if not speaks_of_text(one.text))


def _read_items(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield number, text and answer of each item that has no options and is not too long."""
    _, *parts = ITEM.split(text)
    for number, body in zip(parts[::2], parts[1::2], strict=True):
        asked, answer = (*ANSWER_LABEL.split(body, maxsplit=1), "")[:2]
        texts = [plain(one.strip().partition("\n\n")[0]) for one in (asked, answer)]
        if texts[0] and not _OPTION.search(body) and all(len(one.split()) <= 80 for one in texts):
            yield number, texts[0], texts[1]
