"""Make practice questions for a concept by rules, beside those that somebody drafted, and check them all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from learning.material import ConceptText, DraftQuestion
from learning.questions.checking.checks import Checker
from learning.questions.rules.calculations import ask_for_results
from learning.questions.rules.sentences import (
    ask_about_tables,
    ask_for_numbers,
    ask_for_order,
    ask_for_own_words,
    ask_for_pairs,
    ask_for_terms,
    ask_which_is_true,
    ask_why,
    ask_with_gap,
)
from learning.questions.sources import ConceptSources, flat

MAX_OF_A_KIND = 2
"""Questions of one kind about a concept."""

MAX_FORMS = 2
"""Questions about one sentence, in the whole plan."""

Rule = Callable[[ConceptSources, Random], Iterator[tuple[DraftQuestion, ...]]]
_RULES: tuple[Rule, ...] = (
    ask_for_terms,
    ask_why,
    ask_for_order,
    ask_about_tables,
    ask_which_is_true,
    ask_for_results,
    ask_for_numbers,
)
_ABOUT_MEANING: tuple[Rule, ...] = (ask_with_gap, ask_for_own_words, ask_for_pairs)
_CITED = re.compile(r"\s*\[\d{1,3}\]\s*")


def make_questions(
    concept: ConceptText,
    others: Sequence[ConceptText],
    *,
    language: str,
    drafts: Iterable[DraftQuestion] = (),
    count: int = 6,
    by_rules: int | None = None,
    seed: int,
    asked: Iterable[tuple[str, str]] = (),
) -> MadeQuestions:
    """At most `count` checked questions about a concept; the same for the same arguments and seed.

    `others` are the other concepts of the plan, whose names and meanings become wrong options. `asked` are prompts and
    explanations of questions that the plan has: none is asked again, and no sentence of theirs more than twice.
    `drafts`, such as those of a language model, come first, and rules fill up what is missing of `count`, or of
    `by_rules` where that is less. What fails a check is dropped and counted.
    """
    sources = ConceptSources(concept, others, language)
    made = MadeQuestions(Checker(sources), count, asked)
    for draft in drafts:
        made.accept((draft,))
    rng = Random(f"{seed}:{concept.name}")  # noqa: S311 - no secret
    about_meaning = rng.sample(_ABOUT_MEANING, len(_ABOUT_MEANING))
    rules = [rule(sources, rng) for rule in (*_RULES, *about_meaning)]
    made.fill_by_rules(rules, count if by_rules is None else min(by_rules, count))
    return made


class MadeQuestions:
    """Questions that passed every check, and how many were dropped for each reason."""

    def __init__(self, checker: Checker, count: int, asked: Iterable[tuple[str, str]]) -> None:
        self._checker, self._count = checker, count
        self._known: set[str] = set()
        self._forms: Counter[str] = Counter()
        for prompt, explanation in asked:
            self._note(prompt, explanation)
        self.questions: tuple[DraftQuestion, ...] = ()
        self.dropped: Counter[str] = Counter()

    def accept(self, group: tuple[DraftQuestion, ...]) -> None:
        """Keep the questions if they all pass, else count why one does not."""
        if problem := next((reason for one in group if (reason := self._checker.problem(one))), None):
            self.dropped[problem] += 1
        elif self._has_room(group):
            self.questions += group
            for one in group:
                self._note(one.prompt, one.explanation)

    def fill_by_rules(self, rules: list[Iterator[tuple[DraftQuestion, ...]]], most: int) -> None:
        """Take one question of each rule in turn until there are enough or no rule makes any more."""
        while rules:
            for rule in list(rules):
                if len(self.questions) >= most:
                    return
                group = next((one for one in rule if self._has_room(one)), None)
                if group is None:
                    rules.remove(rule)
                else:
                    self.accept(group)

    def _note(self, prompt: str, explanation: str) -> None:
        self._known.add(flat(prompt))
        self._forms.update(_split(explanation))

    def _has_room(self, group: tuple[DraftQuestion, ...]) -> bool:
        """Say whether these are new, not too many of their kind, and about sentences that may still be asked about."""
        kinds = Counter(one.kind for one in (*self.questions, *group))
        forms = self._forms + Counter(sentence for one in group for sentence in _split(one.explanation))
        return (
            len(self.questions) + len(group) <= self._count
            and all(kinds[one.kind] <= MAX_OF_A_KIND for one in group)
            and not any(flat(one.prompt) in self._known for one in group)
            and all(forms[sentence] <= MAX_FORMS for one in group for sentence in _split(one.explanation))
        )


def _split(explanation: str) -> list[str]:
    return [flat(one) for one in _CITED.split(explanation) if one.strip()]
