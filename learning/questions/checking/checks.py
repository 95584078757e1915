"""The checks that every question passes before anybody sees it, whether rules or a model made it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from chatbots.citations.claims import extract_claims
from chatbots.citations.markers import MARKER
from learning.material import DraftQuestion, QuestionKind
from learning.questions.checking import giveaways
from learning.questions.checking.answers import (
    get_asked_words,
    is_sentence,
    right_options,
    true_statements,
    wrong_options,
)
from learning.questions.checking.options import are_options_apart, evidence
from learning.questions.checking.support import SupportCheck
from learning.questions.faults import find_faults
from learning.questions.sources import ConceptSources, flat
from learning.questions.wording import GAP, use_one_article
from learning.reading.patterns import get_patterns
from learning.reading.statements import find_fault
from learning.reading.terms import find_term, get_term_stems, overlap


class DropReason(StrEnum):
    """Why a question was dropped."""

    MALFORMED = "malformed"
    NOT_IN_SOURCE = "answer not in its source"
    WRONG_IN_SOURCE = "a wrong option may be right"
    OPTIONS_ALIKE = "two options mean the same"
    GIVES_AWAY = "the question gives its answer away"
    NOT_ALONE = "not understood without the text"
    GAP_AMBIGUOUS = "the gap fits other words"
    EXPLANATION = "explanation not supported"
    NO_MODEL = "the model did not answer"


class Checker:
    """Checks questions of one concept."""

    def __init__(self, sources: ConceptSources) -> None:
        self._sources = sources
        self._support = SupportCheck(sources)
        self._language = sources.language

    def problem(self, question: DraftQuestion) -> DropReason | None:
        """Return the first check that a question fails, None if it passes all; cheap checks come first.

        What rules make is put together from sentences of the sources, so that only its options can be wrong.
        """
        checks: list[tuple[DropReason, Callable[[DraftQuestion], bool]]] = [
            (DropReason.GIVES_AWAY, lambda question: giveaways.gives_away(question, self._language)),
            (DropReason.GAP_AMBIGUOUS, self._is_gap_ambiguous),
            (DropReason.OPTIONS_ALIKE, self._has_options_alike),
            (DropReason.WRONG_IN_SOURCE, self._is_wrong_in_source),
        ]
        if question.made_by:
            checks[:0] = [(DropReason.MALFORMED, self._is_malformed), (DropReason.NOT_ALONE, self._needs_the_text)]
            checks[-1:-1] = [(DropReason.NOT_IN_SOURCE, self._is_not_in_source)]
            checks += [(DropReason.EXPLANATION, self._is_explanation_bad)]
        return next((reason for reason, fails in checks if fails(question)), None)

    def _is_malformed(self, question: DraftQuestion) -> bool:
        faults = find_faults(
            question.kind,
            prompt=question.prompt.strip(),
            options=question.options,
            targets=question.targets,
            answer=question.answer,
            explanation="[1]",
            sources=(1, *self._sources.numbers),
        )
        known = question.sources and set(question.sources) <= set(self._sources.numbers)
        few = question.options and not MIN_OPTIONS <= len(question.options) <= MAX_OPTIONS
        return bool(faults or few or not known)

    def _needs_the_text(self, question: DraftQuestion) -> bool:
        language = self._language
        match question.kind:
            case QuestionKind.SEVERAL:
                sentences = [one for one in question.options if len(one.split()) > 5]
                return any(find_fault(one, language) for one in sentences) or giveaways.speaks_of_text(question.prompt)
            case QuestionKind.TRUTH:
                return bool(find_fault(question.prompt, language)) or giveaways.speaks_of_text(question.prompt)
            case QuestionKind.CLOZE | QuestionKind.NUMBER if GAP in question.prompt:
                return bool(find_fault(_filled(question), language))
            case QuestionKind.ORDER:
                return any(get_patterns(language).leans.match(option) for option in question.options)
        quoted = any(mark in question.prompt for mark in "“„«")
        return not quoted and giveaways.speaks_of_text(question.prompt)

    def _is_gap_ambiguous(self, question: DraftQuestion) -> bool:
        """Say whether another concept of the plan stands in the same frame, or in a definition of like words."""
        if question.kind != QuestionKind.CLOZE:
            return False
        accepted = question.answer["accepted"]
        frame = get_term_stems(question.prompt.replace(GAP, ""), self._language)
        for other in self._sources.others:
            if any(flat(other.name) == flat(one) for one in accepted) or not other.definition:
                continue
            if any(find_term(other.definition, one, self._language) for one in accepted) and not other.meaning:
                continue
            words = get_term_stems(other.definition, self._language) - get_term_stems(other.name, self._language)
            if overlap(words, frame) > MAX_FRAME_OVERLAP or frame <= words:
                return True
        return False

    def _has_options_alike(self, question: DraftQuestion) -> bool:
        both = (question.options, question.targets)
        return not all(are_options_apart(one, question, self._language) for one in both if one)

    def _is_not_in_source(self, question: DraftQuestion) -> bool:
        if not all(self._is_claimed(question, one) for one in true_statements(question)):
            return True
        match question.kind:
            case QuestionKind.SINGLE | QuestionKind.SEVERAL:
                return any(self._evidence(question, one) < MIN_EVIDENCE for one in right_options(question))
            case QuestionKind.CLOZE:
                return not all(self._is_acceptable(question, one) for one in question.answer["accepted"])
            case QuestionKind.ORDER:
                steps = [question.options[index] for index in question.answer["order"]]
                return not self._support.in_order(steps, question.sources)
            case QuestionKind.NUMBER:
                return not self._support.has_number(
                    question.answer["value"], get_asked_words(question), question.sources
                )
        return False

    def _is_claimed(self, question: DraftQuestion, statement: str) -> bool:
        if question.kind in (QuestionKind.SINGLE, QuestionKind.MATCH) and self._is_defined(statement):
            return True
        words = use_one_article(statement)
        if not self._support.says(words, question.sources):
            return False
        whole = question.kind in (QuestionKind.TRUTH, QuestionKind.CLOZE) or is_sentence(statement)
        checked = whole and question.kind not in (QuestionKind.SHORT, QuestionKind.SINGLE, QuestionKind.NUMBER)
        return not checked or self._support.is_near(words, question.sources)

    def _is_acceptable(self, question: DraftQuestion, word: str) -> bool:
        """Say whether a word for the gap is in the source, or a name of the concept or form of the first word."""
        forms = (question.answer["accepted"][0], *self._sources.own_names)
        known = word != forms[0] and any(flat(word) == flat(one) for one in forms)
        return known or self._evidence(question, word) >= MIN_EVIDENCE

    def _evidence(self, question: DraftQuestion, option: str) -> float:
        alone = question.kind == QuestionKind.SEVERAL and is_sentence(option)
        about = "" if alone else get_asked_words(question)
        return evidence(option, about, self._sources.sentence_stems, self._language)

    def _is_defined(self, statement: str) -> bool:
        """Say whether the statement is a term and its meaning as a definition of the sources has them."""
        words = flat(statement)
        every = (*self._sources.definitions, *self._sources.terms_defined)
        return any(
            words in (flat(f"{one.written} {one.meaning}"), flat(f"{one.meaning} {one.written}")) for one in every
        )

    def _is_wrong_in_source(self, question: DraftQuestion) -> bool:
        """Say whether a wrong option, or a statement marked as false, may be right."""
        if question.kind == QuestionKind.TRUTH and not question.answer["value"]:
            return self._may_be_true(question.prompt, question.answer["reason"])
        if question.kind not in (QuestionKind.SINGLE, QuestionKind.SEVERAL):
            return False
        right = min(self._evidence(question, one) for one in right_options(question))
        limit = min(right, MAX_WRONG_EVIDENCE)
        return any(self._evidence(question, option) >= limit for option in wrong_options(question))

    def _may_be_true(self, statement: str, reason: str) -> bool:
        """Say whether the sources have a statement that is marked as false, or its reason says the same."""
        if any(flat(statement) in text for text in self._sources.flats.values()):
            return True
        if get_term_stems(reason, self._language) == get_term_stems(statement, self._language):
            return True
        return not self._support.contradicts(statement) and not self._has_new_words(statement)

    def _has_new_words(self, statement: str) -> bool:
        """Say whether a word of a statement is in no sentence with the others, such as an exchanged number."""
        words = get_term_stems(statement, self._language)
        return not any(words <= one for one in self._sources.sentence_stems)

    def _is_explanation_bad(self, question: DraftQuestion) -> bool:
        """Say whether the explanation cites nothing, cites what is not there, or says what its sources do not."""
        cited = [int(number) for number in MARKER.findall(question.explanation)]
        if (
            not cited
            or not question.explanation.rstrip(" .").endswith("]")
            or not set(cited) <= set(self._sources.numbers)
        ):
            return True
        claims = extract_claims(question.explanation, self._language)
        return not claims or not all(self._support.says(one.text, one.numbers) for one in claims)


MIN_EVIDENCE, MAX_WRONG_EVIDENCE = 0.5, 0.75
"""Least share of a question's words in the sentence that has its right answer, and that a wrong one must stay below."""

MIN_OPTIONS, MAX_OPTIONS = 3, 8
"""Options of a question, steps of an order and pairs."""

MAX_FRAME_OVERLAP = 0.5
"""Highest share of stems that a cloze may have in common with the definition of another concept."""


def _filled(question: DraftQuestion) -> str:
    if question.kind == QuestionKind.NUMBER:
        return question.prompt.replace(GAP, f"{question.answer['value']:g}")
    return use_one_article(question.prompt).replace(GAP, str(question.answer["accepted"][0]).capitalize())
