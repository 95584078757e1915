"""The checks that every question passes before anybody sees it, whether rules or a model made it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from chatbots.citations.entities import EntityIndex, extract_entities
from chatbots.citations.markers import list_cited_numbers, strip_markers
from learning.material import DraftQuestion, QuestionKind
from learning.questions.checking import giveaways
from learning.questions.checking.giveaways import (
    are_options_apart,
    contradicts,
    evidence,
    get_asked_words,
    is_said,
    right_options,
    wrong_options,
)
from learning.questions.faults import find_faults
from learning.questions.sources import ConceptSources, Sentence, flat
from learning.questions.wording import GAP, use_one_article
from learning.reading.statements import find_fault, find_term, get_pattern, get_term_stems, overlap

_CITED = re.compile(r"((?:\s*\[\d{1,3}\])+)\s*\.?")


class DropReason(StrEnum):
    MALFORMED = "malformed"
    NOT_IN_SOURCE = "answer not in its source"
    WRONG_IN_SOURCE = "a wrong option may be right"
    OPTIONS_ALIKE = "two options mean the same"
    GIVES_AWAY = "the question gives its answer away"
    NOT_ALONE = "not understood without the text"
    GAP_AMBIGUOUS = "the gap fits other words"
    EXPLANATION = "explanation does not quote its source"
    NO_MODEL = "the model did not answer"


class Checker:
    def __init__(self, sources: ConceptSources) -> None:
        self._sources, self._language = sources, sources.language

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
            checks[-1:-1] = [
                (DropReason.EXPLANATION, self._is_explanation_bad),
                (DropReason.NOT_IN_SOURCE, self._is_not_in_source),
            ]
        return next((reason for reason, fails in checks if fails(question)), None)

    def _is_malformed(self, question: DraftQuestion) -> bool:
        faults = find_faults(replace(question, explanation="[1]"), (1, *self._sources.numbers))
        known = question.sources and set(question.sources) <= set(self._sources.numbers)
        few = question.options and not MIN_OPTIONS <= len(question.options) <= MAX_OPTIONS
        return bool(faults or few or not known)

    def _needs_the_text(self, question: DraftQuestion) -> bool:
        sentences: list[str] = []
        match question.kind:
            case QuestionKind.SEVERAL:
                sentences = [one for one in question.options if len(one.split()) > MAX_PHRASE]
            case QuestionKind.TRUTH:
                sentences = [question.prompt]
            case QuestionKind.CLOZE | QuestionKind.NUMBER if GAP in question.prompt:
                sentences = [_filled(question)]
            case QuestionKind.ORDER:
                return any(get_pattern("leans", self._language).match(option) for option in question.options)
        quoted = any(mark in question.prompt for mark in "“„«")
        return any(find_fault(one, self._language) for one in sentences) or (
            not quoted and giveaways.speaks_of_text(question.prompt)
        )

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
            if overlap(words, frame) > 0.5 or frame <= words:
                return True
        return False

    def _has_options_alike(self, question: DraftQuestion) -> bool:
        both = (question.options, question.targets)
        return not all(are_options_apart(one, question, self._language) for one in both if one)

    def _is_not_in_source(self, question: DraftQuestion) -> bool:
        """Say whether the explanation, which quotes the sources, does not say the right answer."""
        language, answer = self._language, question.answer
        said = self._sources.split(strip_markers(question.explanation))
        match question.kind:
            case QuestionKind.SINGLE | QuestionKind.SEVERAL:
                return any(self._evidence(question, one, said) < MIN_EVIDENCE for one in right_options(question))
            case QuestionKind.NUMBER:
                key = extract_entities(f"is {answer['value']:.10g}")[0].key
                topic = get_term_stems(get_asked_words(question), language)
                numbers = [words for text, words in said if key in EntityIndex.of(text).numbers]
                return all(len(topic & words) < MIN_EVIDENCE * len(topic) for words in numbers)
            case QuestionKind.CLOZE:
                whole = use_one_article(question.prompt).replace(GAP, answer["accepted"][0])
                names = {flat(one) for one in (answer["accepted"][0], *self._sources.own_names)}
                return not is_said(whole, said, language) or not {flat(one) for one in answer["accepted"]} <= names
            case QuestionKind.TRUTH:
                statements = [question.prompt, answer["reason"]] if answer["value"] else [answer["reason"]]
                return not all(is_said(one, said, language) for one in statements)
            case QuestionKind.SHORT:
                known = frozenset[str]().union(*(stems for _, stems in said))
                wanted = get_term_stems(answer["reference"], language)
                return len(wanted & known) < 0.75 * len(wanted) or contradicts(answer["reference"], said, language)
            case QuestionKind.ORDER:
                text = flat(question.explanation)
                places = [text.find(flat(question.options[index])) for index in answer["order"]]
                return min(places) < 0 or places != sorted(set(places))
            case QuestionKind.MATCH:
                pairs = zip(question.options, answer["pairs"], strict=True)
                return not all(is_said(f"{one} {question.targets[index]}", said, language) for one, index in pairs)

    def _evidence(self, question: DraftQuestion, option: str, sentences: list[Sentence] | None = None) -> float:
        alone = question.kind == QuestionKind.SEVERAL and len(option.split()) > MAX_PHRASE
        about = "" if alone else get_asked_words(question)
        stems = [one for _, one in (self._sources.sentences if sentences is None else sentences)]
        return evidence(option, about, stems, self._language)

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
        words, sentences = get_term_stems(statement, self._language), self._sources.sentences
        return not contradicts(statement, sentences, self._language) and any(words <= one for _, one in sentences)

    def _is_explanation_bad(self, question: DraftQuestion) -> bool:
        """Say whether the explanation has words that are not quoted from the passage that it cites right after them."""
        *cited, rest = _CITED.split(question.explanation)
        return (
            not cited
            or bool(rest.strip(" ."))
            or any(
                not any(flat(text) in self._sources.flats.get(number, "") for number in list_cited_numbers(numbers))
                for text, numbers in zip(cited[::2], cited[1::2], strict=True)
            )
        )


MIN_EVIDENCE, MAX_WRONG_EVIDENCE = 0.5, 0.75
"""Least share of a question's words in the sentence that has its right answer, and that a wrong one must stay below."""

MAX_PHRASE = 5
"""Words of an option that says nothing without its prompt."""

MIN_OPTIONS, MAX_OPTIONS = 3, 8
"""Options of a question, steps of an order and pairs."""


def _filled(question: DraftQuestion) -> str:
    if question.kind == QuestionKind.NUMBER:
        return question.prompt.replace(GAP, f"{question.answer['value']:g}")
    return use_one_article(question.prompt).replace(GAP, str(question.answer["accepted"][0]).capitalize())
