"""Choose the next question of a session, by what the learner knows and was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from learning.material import QuestionKind, Verdict
from learning.models import Attempt, Question
from learning.practice.progress import RANKS, ConceptState, LearningState

EASIEST_FIRST = (
    QuestionKind.SINGLE,
    QuestionKind.CLOZE,
    QuestionKind.MATCH,
    QuestionKind.TRUTH,
    QuestionKind.SEVERAL,
    QuestionKind.ORDER,
    QuestionKind.NUMBER,
    QuestionKind.SHORT,
)


def choose(
    questions: Sequence[Question],
    states: Sequence[ConceptState],
    answered: Sequence[Attempt],
    times_asked: Mapping[UUID, int],
    now: datetime,
    *,
    only_ready: bool = True,
) -> Question | None:
    """Return the question to ask next, None if nothing is left.

    First what is due, then what is weak, then new concepts whose prerequisites are known, each by the order of
    teaching; then what is being learnt or known already. `times_asked` counts earlier answers of the learner in all
    sessions, `answered` are those of this one, the oldest first. No question comes twice, unless it was answered wrong;
    it waits then until others were asked.
    """
    by_concept = {state.concept.pk: state for state in states}
    is_full = sum(one.state == LearningState.LEARNING for one in states) >= 4
    ranks = {
        key: 4 if rank == RANKS[LearningState.NEW] and is_full else rank
        for key, state in by_concept.items()
        if (rank := state.rank(now, only_ready=only_ready)) is not None
    }
    open_ones = [question for question in questions if question.concept_id in ranks]
    for waits_for in (3, 1):  # other answers, before a wrong one is asked again
        if left := [question for question in open_ones if _may_be_asked(question.pk, answered, waits_for)]:
            return min(left, key=lambda question: _key(question, by_concept, ranks, answered, times_asked))
    return None


def _may_be_asked(question: UUID, answered: Sequence[Attempt], waits_for: int) -> bool:
    places = [place for place, one in enumerate(answered) if one.question_id == question]
    if not places:
        return True
    return answered[places[-1]].outcome == Verdict.WRONG and len(answered) - places[-1] > waits_for


def _key(
    question: Question,
    states: Mapping[UUID, ConceptState],
    ranks: Mapping[UUID, int],
    answered: Sequence[Attempt],
    times_asked: Mapping[UUID, int],
) -> tuple[int, bool, int, int, int, int, UUID]:
    """By the rank of the concept, not the same concept twice in a row, then its place in the order of teaching; what
    was asked least; the easiest kind for a new concept, the kind that was least used in this session for others."""
    state = states[question.concept_id]
    kinds = Counter(one.question.kind for one in answered)
    ease = EASIEST_FIRST.index(QuestionKind(question.kind))
    is_new = state.attempts < 2
    return (
        ranks[question.concept_id],
        bool(answered) and answered[-1].question.concept_id == question.concept_id,
        state.concept.position,
        times_asked.get(question.pk, 0),
        ease if is_new else kinds[question.kind],
        kinds[question.kind] if is_new else ease,
        question.pk,
    )
