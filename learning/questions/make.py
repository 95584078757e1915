"""Make practice questions for a concept: by a language model where there is one, and by rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from engines.embedding import Embedder
from engines.llm import LLM
from learning.material import ConceptText, DraftQuestion, QuestionKind
from learning.questions.checking.checks import Checker, DropReason
from learning.questions.model.asking import ask_for_questions
from learning.questions.rules.choice import several_choices, single_choice
from learning.questions.rules.facts import fact_choices, fact_clozes, fact_numbers, fact_truths
from learning.questions.rules.gaps import clozes, numbers
from learning.questions.rules.lists import matches, orders
from learning.questions.rules.short import short_answers
from learning.questions.rules.truth import truths
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sources import ConceptSources, flat

MAX_OF_A_KIND = 2
"""Questions of one kind among six; more where more are wanted."""

_RULES: tuple[tuple[QuestionKind, Callable[[ConceptSources, Random], Iterator[DraftQuestion]]], ...] = (
    (QuestionKind.SINGLE, single_choice),
    (QuestionKind.CLOZE, clozes),
    (QuestionKind.TRUTH, truths),
    (QuestionKind.SHORT, short_answers),
    (QuestionKind.NUMBER, numbers),
    (QuestionKind.SEVERAL, several_choices),
    (QuestionKind.ORDER, orders),
    (QuestionKind.MATCH, matches),
    (QuestionKind.SINGLE, fact_choices),
    (QuestionKind.NUMBER, fact_numbers),
    (QuestionKind.CLOZE, fact_clozes),
    (QuestionKind.TRUTH, fact_truths),
)
"""What a concept is comes before facts about it."""


@dataclass(frozen=True)
class MadeQuestions:
    """Questions that passed every check, and how many were dropped for each reason."""

    questions: tuple[DraftQuestion, ...]
    dropped: Mapping[str, int]


def make_questions(
    concept: ConceptText,
    others: Sequence[ConceptText],
    *,
    language: str,
    llm: LLM | None,
    count: int = 6,
    embedder: Embedder | None = None,
    seed: int,
) -> MadeQuestions:
    """At most `count` checked questions about a concept; the same for the same arguments and seed.

    `others` are the other concepts of the plan, whose names and meanings become wrong options. A model that is
    generative is asked first, and rules fill up what is missing. What fails a check is made once more, then dropped
    and counted. A model that fails is counted too and raises nothing. A general word such as "result" is no concept and
    gets no questions.
    """
    if get_patterns(language).generic.fullmatch(concept.name.strip()):
        return MadeQuestions((), {})
    sources = ConceptSources(concept, others, language)
    making = _Making(Checker(sources, embedder), sources, count)
    if llm is not None and llm.generative:
        ask_for_questions(sources, llm, count, accept=making.accept, drop=making.drop)
    making.fill_by_rules(Random(f"{seed}:{concept.name}"))  # noqa: S311 - no secret
    return MadeQuestions(tuple(making.questions), dict(making.dropped))


class _Making:
    """Questions as they are accepted, with a count of those dropped."""

    def __init__(self, checker: Checker, sources: ConceptSources, count: int) -> None:
        self._checker, self._sources, self._count = checker, sources, count
        self._most = max(MAX_OF_A_KIND, -(-count * MAX_OF_A_KIND // 6))
        self.questions: list[DraftQuestion] = []
        self.dropped: Counter[str] = Counter()

    def accept(self, question: DraftQuestion) -> DropReason | None:
        """Keep the question if it passes, else return why it does not."""
        problem = self._checker.problem(question)
        if problem is None and not self._is_full and not self._is_known(question):
            self.questions.append(question)
        return problem

    def drop(self, reason: DropReason) -> None:
        """Count a question that failed twice."""
        self.dropped[reason] += 1

    def fill_by_rules(self, rng: Random) -> None:
        """Take one question of each rule in turn until there are enough or no rule makes any more."""
        rules = [(kind, rule(self._sources, rng)) for kind, rule in _RULES]
        while rules:
            for turn in list(rules):
                if self._is_full:
                    return
                had = sum(one.kind == turn[0] for one in self.questions)
                if had >= self._most or not self._take(turn[1]):
                    rules.remove(turn)

    @property
    def _is_full(self) -> bool:
        return len(self.questions) >= self._count

    def _take(self, rule: Iterator[DraftQuestion]) -> bool:
        """Accept the next question of a rule, or else the one after it; False when there are no more."""
        tried = list(islice((one for one in rule if not self._is_known(one)), 1))
        problem = self.accept(tried[0]) if tried else None
        if problem is not None and (again := next((one for one in rule if not self._is_known(one)), None)):
            problem = self.accept(again)
        if problem is not None:
            self.drop(problem)
        return bool(tried)

    def _is_known(self, question: DraftQuestion) -> bool:
        """Say whether there is a question like it: the same prompt, or its kind about the same sentence."""
        return any(
            flat(one.prompt) == flat(question.prompt)
            or (one.kind == question.kind and one.explanation == question.explanation)
            for one in self.questions
        )
