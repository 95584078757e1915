"""The teacher's review of practice questions: approve, reject, edit, ask for more. Services on rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from chatbots.citations.markers import list_cited_numbers
from corpus.wake_worker import send_task
from learning.material import DraftQuestion, QuestionKind, ValuesRefused
from learning.models import Attempt, Concept, Question, ReviewState
from learning.questions.faults import find_faults


def approve(*, questions: QuerySet[Question]) -> int:
    """Approve these questions, and return how many were not approved before."""
    waiting = questions.order_by().exclude(review=ReviewState.APPROVED)
    return waiting.update(review=ReviewState.APPROVED)


def set_review(*, question: Question, state: str) -> None:
    """Approve a question, reject it, or take that back. A rejected one is shown to no learner; answers to it stay."""
    question.review = state
    question.save(update_fields=["review"])


@transaction.atomic
def edit_question(
    *,
    question: Question,
    prompt: str,
    options: Sequence[str],
    targets: Sequence[str],
    answer: Mapping[str, Any],
    explanation: str,
) -> Question:
    """Replace a question by what the teacher wrote, which approves it. `learning.material.DraftQuestion` says what
    `answer` is; the kind stays. Raises ValuesRefused and changes nothing then."""
    draft = DraftQuestion(
        kind=QuestionKind(question.kind),
        prompt=prompt.strip(),
        answer=answer,
        explanation=explanation.strip(),
        sources=tuple(sorted(list_cited_numbers(f"{prompt} {explanation}"))),
        options=tuple(one.strip() for one in options),
        targets=tuple(one.strip() for one in targets),
    )
    sources = dict(question.concept.sources.values_list("number", "is_current"))
    if reasons := find_faults(draft, sources):
        raise ValuesRefused(reasons)
    stored = Question.objects.select_for_update().get(pk=question.pk)  # as another edit may have left it meanwhile
    if list(draft.options) != stored.options and question.kind in (QuestionKind.SINGLE, QuestionKind.SEVERAL):
        _move_answers(stored, draft.options)
    for name, value in draft.as_fields().items():
        setattr(question, name, value)
    question.is_edited, question.review = True, ReviewState.APPROVED
    question.is_outdated = question.is_outdated and not all(sources[number] for number in draft.sources)
    question.save()
    return question


def _move_answers(question: Question, options: Sequence[str]) -> None:
    """Have earlier answers name the options that were chosen: by their new places, in words if they are gone."""
    places = {text: place for place, text in enumerate(options)}
    new: dict[int | str, int | str] = {place: places.get(text, text) for place, text in enumerate(question.options)}
    new.update(places.items())  # of an option that is there again
    attempts = list(Attempt.objects.filter(question=question))
    for one in attempts:
        chosen = one.given if isinstance(one.given, list) else [one.given]
        moved = [new.get(option, option) for option in chosen]
        one.given = moved if isinstance(one.given, list) else moved[0]
    Attempt.objects.bulk_update(attempts, ["given"])


def more_questions(*concepts: Concept) -> None:
    """Have the worker make more questions about these concepts, after the transaction.

    Never raises, and waits at most two seconds: without a broker it gives up at the first, and the teacher asks again.
    """
    keys = [str(concept.pk) for concept in concepts]
    transaction.on_commit(lambda: all(send_task("learning.tasks.make_more_questions", key) for key in keys))
