"""The teacher's review: approve, reject, edit, ask for more."""

from typing import Any
from unittest.mock import ANY

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from learning.material import ValuesRefused
from learning.models import Question, ReviewState
from learning.questions.review import approve, edit_question, more_questions, set_review
from tests.factories import Cast
from tests.learning.practising import KINDS, make_concept, make_plan, make_question, make_source

EXPLANATION = "An acid gives away protons [1]."


def edit(question: Question, **changes: Any) -> None:
    fields = {name: getattr(question, name) for name in ("prompt", "options", "targets", "answer", "explanation")}
    edit_question(question=question, **(fields | changes))


def test_questions_are_approved_in_bulk_and_taken_back(people: Cast) -> None:
    concept = make_concept(make_plan(people.alice, shows_unreviewed=False), "Acid")
    first, second = (make_question(concept, review=ReviewState.UNREVIEWED) for _ in range(2))
    make_question(concept)
    mine = Question.objects.for_member(people.alice)
    assert approve(questions=mine) == 2
    assert mine.shown().count() == 3
    set_review(question=first, state=ReviewState.REJECTED)
    assert first not in mine.shown()
    set_review(question=first, state=ReviewState.UNREVIEWED)
    assert Question.objects.get(pk=first.pk).review == ReviewState.UNREVIEWED
    set_review(question=second, state=ReviewState.UNREVIEWED)
    assert mine.shown().count() == 1


def test_nobody_else_approves(people: Cast) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"), review=ReviewState.UNREVIEWED)
    for stranger in (people.bob, people.carol, people.charlie, people.chloe):
        assert approve(questions=Question.objects.for_member(stranger)) == 0
    question.refresh_from_db()
    assert question.review == ReviewState.UNREVIEWED


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_of_each_kind_can_be_edited(people: Cast, kind: str) -> None:
    concept = make_concept(make_plan(people.alice), "Acid")
    make_source(concept, 2)
    question = make_question(concept, kind, review=ReviewState.UNREVIEWED)
    edit(question, prompt=f"  {question.prompt} Really?  ", explanation="Read on in [2].")
    question.refresh_from_db()
    assert question.prompt.endswith("Really?")
    assert (question.source_numbers, question.is_edited, question.review) == ([2], True, ReviewState.APPROVED)


def test_a_question_that_cites_current_sources_is_asked_again(people: Cast) -> None:
    concept = make_concept(make_plan(people.alice), "Acid")
    make_source(concept, 2, is_current=False)
    question = make_question(concept, is_outdated=True)
    edit(question, explanation="See [2].")
    assert question.is_outdated
    edit(question, explanation=EXPLANATION)
    assert not question.is_outdated


WRONG: list[tuple[str, str, dict[str, Any]]] = [
    ("single", "options", {"options": ["protons"]}),
    ("single", "options", {"options": ["protons", " Protons "]}),
    ("single", "options", {"options": ["protons", ""]}),
    ("single", "options", {"options": ["protons", "x" * 1001]}),
    ("single", "options", {"options": [str(n) for n in range(13)]}),
    ("single", "answer", {"answer": {}}),
    ("single", "answer", {"answer": {"correct": [0, 1]}}),
    ("single", "answer", {"answer": {"correct": 3}}),
    ("several", "answer", {"answer": {"correct": []}}),
    ("several", "answer", {"answer": {"correct": "01"}}),
    ("order", "answer", {"answer": {"order": [0, 1]}}),
    ("match", "targets", {"targets": ["gives", "gives"]}),
    ("match", "answer", {"answer": {"pairs": [0]}}),
    ("match", "answer", {"answer": {"pairs": [0, 9]}}),
    ("cloze", "answer", {"prompt": "No gap."}),
    ("cloze", "answer", {"answer": {"accepted": [" "]}}),
    ("truth", "answer", {"answer": {"value": "true", "reason": "So."}}),
    ("truth", "answer", {"answer": {"value": True}}),
    ("truth", "options", {"options": ["a", "b"]}),
    ("truth", "targets", {"targets": ["a", "b"]}),
    ("number", "answer", {"answer": {"value": "5"}}),
    ("number", "answer", {"answer": {"value": float("inf")}}),
    ("number", "answer", {"answer": {"value": 5, "tolerance": 3}}),
    ("number", "answer", {"answer": {"value": 5, "unit": 3}}),
    ("short", "answer", {"answer": {"reference": ""}}),
    ("short", "prompt", {"prompt": " "}),
    ("short", "prompt", {"prompt": "x" * 2001}),
    ("short", "explanation", {"explanation": ""}),
    ("short", "explanation", {"explanation": "x" * 4001}),
    ("short", "explanation", {"explanation": "It cites nothing."}),
    ("short", "explanation", {"explanation": "See [1] and [7]."}),
]


@pytest.mark.parametrize(("kind", "field", "changes"), WRONG)
def test_what_cannot_be_answered_is_refused_in_words(
    people: Cast, kind: str, field: str, changes: dict[str, Any]
) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"), kind)
    before = Question.objects.filter(pk=question.pk).values().get()
    with pytest.raises(ValuesRefused) as refused:
        edit(question, **changes)
    assert list(refused.value.reasons) == [field]
    assert refused.value.reasons[field].endswith((".", "____."))
    assert Question.objects.filter(pk=question.pk).values().get() == before


def test_every_field_says_what_is_wrong_with_it(people: Cast) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"), "match")
    with pytest.raises(ValuesRefused) as refused:
        edit(question, prompt="", options=[], targets=[], answer={}, explanation="")
    assert set(refused.value.reasons) == {"prompt", "options", "targets", "answer", "explanation"}


def test_the_worker_is_asked_for_more(
    people: Cast, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda *args, **options: sent.append((args, options)))
    concept = make_concept(make_plan(people.alice), "Acid")
    with django_capture_on_commit_callbacks(execute=True):
        more_questions(concept)
    assert sent == [(("learning.tasks.make_more_questions", (str(concept.pk),)), ANY)]


def test_without_a_broker_nothing_breaks(
    people: Cast, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(current_app, "send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        more_questions(make_concept(make_plan(people.alice), "Acid"))
