"""Grade a short answer by its meaning: with a language model, or else by words and vectors.

Without a model two logistic regressions decide: whether the answer is wrong, and if not, whether it is whole or a part.
Their features are those of `short_features`:

- disorder, swapped, swapped_any: the words of the reference are there, but in another order or in other company
- polarity, polarity_any: a negation too many or too few beside the words of the reference
- opposite, opposite_any: a word that contradicts one of the reference; number: other numbers than the reference has
- substituted: another word in the place of one of the reference; conflict, conflict_any: the largest of these
- off_topic, best_part, worst_part: the coverage of the parts of the reference, by stems, slips, synonyms and vectors
- copied: the answer stands in the source word for word
- length, new_words, parts, few_words, asks_two, length_of_two: is it long enough for what is asked?
- cosine, worst_part_cosine, cosine_too_low, reference_too_far, parts_too_far, nearer_than_question: of the vectors

No weight may have the wrong sign: to say more of the reference never makes an answer worse. With vectors the mean of
the probabilities with and without them counts. Below the limits the verdict is unsure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chatbots.citations.markers import cited_numbers, strip_markers
from chatbots.passages import NumberedPassage
from engines.embedding import Embedder
from engines.llm import LLM
from learning.grading.feedback import judged, listed, quoted
from learning.grading.model_verdict import ask_model
from learning.grading.short_features import AnswerComparison, ShortQuestion, answer_features
from learning.grading.short_weights import WHOLE_BY_VECTORS, WHOLE_BY_WORDS, WRONG_BY_VECTORS, WRONG_BY_WORDS
from learning.material import Grade, Verdict
from text.function_words import content_stems
from text.matching import coverage, inverse_frequencies
from text.sentences import split_sentences
from text.stemming import stems

LEAST_SURE = {Verdict.RIGHT: 0.55, Verdict.PARTLY: 0.5, Verdict.WRONG: 0.55}
"""Least probability of a verdict. All limits were chosen by cross-validation within the fitted half."""

LEAST_SURE_OF_OTHER_WORDS = 0.7
"""The same of a right answer that has another word in the place of one of the reference: a synonym, or its opposite."""

LEAST_COVERED = 0.3
"""Share of the reference, by meaning, that a right answer has at least; it is unsure with less, however long it is."""

MORE_BY_WORDS = 0.05
"""What is added to the least probability without vectors."""

SENTENCES = 3
"""Sentences of the sources that an answer is compared with: those nearest to the reference."""

_KNOWS_NOTHING = re.compile(
    r"(?:i )?(?:dont|do not) know|idk|no idea|dunno|keine ahnung|(?:ich )?wei(?:ß|ss) (?:ich |es )?nicht"
    r"|je (?:ne )?sais pas|aucune idée|no (?:lo )?sé|ni idea",
    re.IGNORECASE,
)
_MOST_MISSING = 6  # words that are named as missing


class _Question(Protocol):
    @property
    def prompt(self) -> str: ...
    @property
    def answer(self) -> Mapping[str, Any]: ...
    @property
    def explanation(self) -> str: ...


@dataclass(frozen=True)
class Probabilities:
    """Of the verdicts on an answer; they add up to 1."""

    right: float
    partly: float
    wrong: float


def grade_short(
    question: _Question,
    given: str,
    passages: Sequence[NumberedPassage],
    *,
    language: str,
    llm: LLM | None,
    embedder: Embedder | None,
) -> Grade:
    """Return the verdict of the language model, if there is one and it cites sources that exist; else by words.

    `passages` are the sources of the question.
    """
    reference = strip_markers(str(question.answer["reference"]))
    asked = ShortQuestion(strip_markers(question.prompt), reference, source_of(reference, passages, language), language)
    numbers = sorted(cited_numbers(question.explanation)) or [passage.number for passage in passages]
    if llm is not None and (found := ask_model(llm, asked, given, passages)) is not None:
        return _grade(found.verdict, question, asked, found.missing, found.cited)
    compared = AnswerComparison(asked, given, embedder)
    verdict, chances = verdict_by_words(compared)
    if verdict == Verdict.UNSURE:
        return judged(verdict, chances.right + chances.partly / 2, [], question.explanation, cited=numbers)
    return _grade(verdict, question, asked, _missing(compared) if verdict == Verdict.PARTLY else [], numbers)


def source_of(reference: str, passages: Sequence[NumberedPassage], language: str) -> str:
    """Return the sentences of the passages that have most of the reference's words, in their order."""
    sentences = [
        passage.text[sentence.start : sentence.end].strip()
        for passage in passages
        for sentence in split_sentences(passage.text, language)
    ]
    found = [set(stems(sentence, language)) for sentence in sentences]
    weights = inverse_frequencies(content_stems(reference, language), found)
    best = sorted(range(len(sentences)), key=lambda n: (-coverage(found[n], weights), n))[:SENTENCES]
    return " ".join(sentences[n] for n in sorted(best))


def verdict_by_words(compared: AnswerComparison) -> tuple[Verdict, Probabilities]:
    """Return the verdict without a language model, unsure if none is probable enough."""
    answer = compared.all
    if not answer or _KNOWS_NOTHING.fullmatch(" ".join(token.word for token in answer)):
        return Verdict.WRONG, Probabilities(0.0, 0.0, 1.0)
    said = [token.stem for token in answer]
    if any(said == [token.stem for token in text] for text in (compared.all_reference, compared.all_source)):
        return Verdict.RIGHT, Probabilities(1.0, 0.0, 0.0)
    features = answer_features(compared)
    chances = probabilities(features)
    verdict, sure = max(
        ((Verdict.RIGHT, chances.right), (Verdict.PARTLY, chances.partly), (Verdict.WRONG, chances.wrong)),
        key=lambda pair: pair[1],
    )
    least = LEAST_SURE[verdict] + (0.0 if compared.vectors else MORE_BY_WORDS)
    if verdict == Verdict.RIGHT and features["substituted"]:
        least = max(least, LEAST_SURE_OF_OTHER_WORDS)
    if verdict == Verdict.RIGHT and features["covered"] < LEAST_COVERED:
        return Verdict.UNSURE, chances
    return (verdict if sure >= least else Verdict.UNSURE), chances


def probabilities(features: Mapping[str, float]) -> Probabilities:
    """Return how probable each verdict is by the features of an answer."""
    wrong = _logistic(WRONG_BY_WORDS, features)
    whole = _logistic(WHOLE_BY_WORDS, features)
    if "cosine" in features:
        wrong = (wrong + _logistic(WRONG_BY_VECTORS, features)) / 2
        whole = (whole + _logistic(WHOLE_BY_VECTORS, features)) / 2
    return Probabilities((1 - wrong) * whole, (1 - wrong) * (1 - whole), wrong)


def _logistic(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The probability; the weight without a name is the intercept."""
    score = math.fsum(weight * (features[name] if name else 1.0) for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


def _missing(compared: AnswerComparison) -> list[str]:
    """The words of the reference that the answer lacks, as they are written there."""
    lacking = [token for token in compared.asked_for if compared.best(token, compared.answer) < 0.5]
    text = compared.question.reference
    found = [re.search(rf"\b{re.escape(token.word)}\b", text, re.IGNORECASE) for token in lacking]
    return list(dict.fromkeys(match[0] for match in found if match))[:_MOST_MISSING]


def _grade(
    verdict: Verdict, question: _Question, asked: ShortQuestion, missing: Sequence[str], cited: Sequence[int]
) -> Grade:
    said = []
    if verdict != Verdict.RIGHT:
        said = [f"Still missing: {listed(missing)}."] if missing and verdict == Verdict.PARTLY else []
        said.append(f"A model answer: {quoted(asked.reference)}")
    share = {Verdict.RIGHT: 1.0, Verdict.PARTLY: 0.5}.get(verdict, 0.0)
    return judged(verdict, share, said, question.explanation, missing=missing, cited=cited)
