"""Grade a short answer with a language model; without one, compare it for the learner to rate."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatbots.citations.markers import list_cited_numbers, strip_markers
from chatbots.passages import NumberedPassage
from engines.llm import LLM
from learning.grading.cloze import differs_by_one_letter, strip_accents
from learning.grading.feedback import join_texts, make_grade, quote_text
from learning.grading.model_verdict import ShortQuestion, ask_model
from learning.material import Grade, GradedQuestion, Verdict
from text.function_words import content_stems
from text.stemming import stems

_SEPARATORS = re.compile(r"[\s.,;:!?\"'’“”„«»()]+")  # no signs such as < and −, which mean something
_SHARES = {Verdict.RIGHT: 1.0, Verdict.PARTLY: 0.5}


def grade_short(
    question: GradedQuestion, given: str, passages: Sequence[NumberedPassage], *, language: str, llm: LLM | None
) -> Grade:
    """Return the verdict of the language model, if there is one and it cites sources that exist.

    Else only empty, exact and nearly exact answers get a verdict. Any other is unsure, and the feedback names the words
    of the reference that it lacks. `passages` are the sources of the question.
    """
    reference = strip_markers(str(question.answer["reference"]))
    asked = ShortQuestion(strip_markers(question.prompt), reference, language)
    if llm is not None and (found := ask_model(llm, asked, given, passages)) is not None:
        return _grade(found.verdict, question, asked, found.missing, found.cited)
    verdict = compare(given, reference)
    missing = find_missing(asked, given) if verdict == Verdict.UNSURE else []
    numbers = sorted(list_cited_numbers(question.explanation)) or [passage.number for passage in passages]
    return _grade(verdict, question, asked, missing, numbers)


def compare(given: str, reference: str) -> Verdict:
    """Return right for the reference itself, perhaps misspelt, wrong for an empty answer, and else unsure."""
    words, wanted = _split_words(given), _split_words(reference)
    if not words or not re.search(r"\w", given):
        return Verdict.WRONG
    if len(words) == len(wanted) and all(map(_is_same, words, wanted)):
        return Verdict.RIGHT
    return Verdict.UNSURE


def find_missing(asked: ShortQuestion, given: str) -> list[str]:
    """Return the words of the reference that neither the answer nor the question has, as they are written there."""
    wanted = content_stems(asked.reference, asked.language, ignored=asked.prompt)
    wanted -= set(stems(given, asked.language))
    words = [word for word in re.findall(r"\w+", asked.reference) if wanted.issuperset(stems(word, asked.language))]
    known = _split_words(given)
    lacking = [word for word in words if not any(differs_by_one_letter(one, *_split_words(word)) for one in known)]
    return list(dict.fromkeys(lacking))[:6]


def _split_words(text: str) -> list[str]:
    return [word for word in _SEPARATORS.split(strip_accents(text.casefold())) if word]


def _is_same(given: str, word: str) -> bool:
    """Whether it is the same word, or misspelt so that it is no other one: “photon” is no misspelt “proton”."""
    is_other_letter = len(given) == len(word) and sorted(given) != sorted(word)
    return given == word or (differs_by_one_letter(given, word) and not is_other_letter)


def _grade(
    verdict: Verdict, question: GradedQuestion, asked: ShortQuestion, missing: Sequence[str], cited: Sequence[int]
) -> Grade:
    said = []
    if verdict != Verdict.RIGHT:
        said.append(f"A model answer: {quote_text(asked.reference)}")
        if missing and verdict != Verdict.WRONG:
            said.insert(
                0, f"{'Not in your answer' if verdict == Verdict.UNSURE else 'Still missing'}: {join_texts(missing)}."
            )
    return make_grade(verdict, _SHARES.get(verdict, 0.0), said, question.explanation, cited)
