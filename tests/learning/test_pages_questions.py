"""The review of practice questions: filters, approval, rejection with a way back, and the form of each kind."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from learning.models import Question, StudyPlan
from tests.factories import Cast
from tests.learning.plans import make_plan

pytestmark = pytest.mark.django_db

BY_KIND: dict[str, dict[str, Any]] = {
    "single": {"options": ["Stones", "Air", "Fire"], "answer": {"correct": 0}},
    "several": {"options": ["Stones", "Sand", "Fire"], "answer": {"correct": [0, 1]}},
    "truth": {"answer": {"value": False, "reason": "It takes stones away."}},
    "number": {"answer": {"value": 25.0, "unit": "min", "tolerance": 0.02}},
    "order": {"options": ["It is cut", "It bends", "It is left"], "answer": {"order": [1, 0, 2]}},
    "match": {"options": ["Traction", "Saltation"], "targets": ["bouncing", "rolling"], "answer": {"pairs": [1, 0]}},
    "short": {"answer": {"reference": "It carries stones."}},
    "cloze": {"prompt": "A river carries ____.", "answer": {"accepted": ["stones"]}},
}


@pytest.fixture
def alice(client: Client, people: Cast) -> Client:
    client.force_login(people.alice.user)
    return client


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice, dropped={"answer not in its source": 7})


def make_question(plan: StudyPlan, kind: str, **fields: Any) -> Question:
    values = {"prompt": "What is it? [1]", "explanation": "It is so [1].", "source_numbers": [1]} | BY_KIND[kind]
    concept = plan.concepts.order_by("position")[0]
    return Question.objects.create(school_id=plan.school_id, concept=concept, kind=kind, **values | fields)


def url(name: str, row: Any) -> str:
    return reverse(f"learning:{name}", args=[row.pk])


def read_form(client: Client, question: Question) -> dict[str, Any]:
    """What the form sends when nothing is changed."""
    form = client.get(url("question", question)).context["form"]
    found = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    return {name: "" if value is None else value for name, value in found.items()}


def test_questions_are_listed_by_concept_with_what_was_dropped(alice: Client, plan: StudyPlan) -> None:
    html = alice.get(url("questions", plan)).content.decode()
    assert html.index("Erosion</a></h2>") < html.index("Abrasion</a></h2>")
    assert "7 questions did not pass the checks" in html
    assert "7: answer not in its source" in html


def test_filters_count_and_narrow(alice: Client, plan: StudyPlan) -> None:
    make_question(plan, "single", review="rejected", prompt="Rejected one?")
    make_question(plan, "single", is_outdated=True, prompt="Outdated one?")
    page = alice.get(url("questions", plan), {"state": "rejected"})
    assert [row.question.prompt for row in page.context["rows"]] == ["Rejected one?"]
    assert {value: count for value, _, count in page.context["filters"]} == {
        "": 5,
        "unreviewed": 3,
        "approved": 0,
        "rejected": 1,
        "outdated": 1,
    }
    of_concept = alice.get(url("questions", plan), {"concept": str(plan.concepts.get(name="Abrasion").pk)})
    assert len(of_concept.context["rows"]) == 1
    assert "Make more" in of_concept.content.decode()
    assert alice.get(url("questions", plan), {"state": "nonsense", "concept": "x"}).status_code == 200


def test_chosen_questions_are_approved(alice: Client, people: Cast, plan: StudyPlan) -> None:
    other = make_plan(people.bob)
    mine = list(Question.objects.filter(concept__plan=plan))
    theirs = Question.objects.filter(concept__plan=other).first()
    assert theirs
    keys = [mine[0].pk, mine[1].pk, theirs.pk, "nonsense"]
    html = alice.post(url("review", plan), {"question": keys}, follow=True).content.decode()
    assert "2 questions approved" in html
    assert Question.objects.filter(review="approved").count() == 2
    assert "Choose the questions to approve first" in alice.post(url("review", plan), follow=True).content.decode()


def test_a_rejection_can_be_undone(alice: Client, plan: StudyPlan) -> None:
    question = make_question(plan, "single")
    back = url("questions", plan) + "?state=unreviewed"
    response = alice.post(url("reject-question", question), {"next": back}, follow=True)
    assert response.redirect_chain[-1][0] == back
    assert f'action="{url("restore-question", question)}"' in response.content.decode()
    question.refresh_from_db()
    assert question.review == "rejected"
    alice.post(url("restore-question", question))
    question.refresh_from_db()
    assert question.review == "unreviewed"


def test_no_other_site_is_led_to(alice: Client, plan: StudyPlan) -> None:
    response = alice.post(url("reject-question", make_question(plan, "single")), {"next": "https://evil.example/"})
    assert response.headers["Location"] == url("questions", plan)


@pytest.mark.parametrize("kind", BY_KIND)
def test_a_form_that_is_sent_unchanged_changes_nothing(alice: Client, plan: StudyPlan, kind: str) -> None:
    question = make_question(plan, kind)
    before = (question.prompt, question.options, question.targets, question.answer, question.explanation)
    response = alice.post(url("question", question), read_form(alice, question))
    assert response.status_code == 302
    question.refresh_from_db()
    assert (question.prompt, question.options, question.targets, question.answer, question.explanation) == before
    assert question.review == "approved"


def test_a_form_of_many_options_keeps_all(alice: Client, plan: StudyPlan) -> None:
    options = [f"Stone {number}" for number in range(12)]
    question = make_question(plan, "single", options=options, answer={"correct": 11})
    alice.post(url("question", question), read_form(alice, question))
    question.refresh_from_db()
    assert (question.options, question.answer, question.review) == (options, {"correct": 11}, "approved")


@pytest.mark.parametrize(
    ("kind", "changes", "wanted"),
    [
        ("single", {"option_0": "", "correct": "1"}, {"correct": 0}),
        ("single", {"option_3": "Water", "correct": "3"}, {"correct": 3}),
        ("several", {"correct": ["2"]}, {"correct": [2]}),
        ("truth", {"value": "true"}, {"value": True, "reason": "It takes stones away."}),
        ("number", {"tolerance": "5"}, {"value": 25.0, "unit": "min", "tolerance": 0.05}),
        ("cloze", {"accepted": "stones; pebbles ;"}, {"accepted": ["stones", "pebbles"]}),
        ("short", {"reference": "Sand."}, {"reference": "Sand."}),
    ],
)
def test_answers_are_changed(
    alice: Client, plan: StudyPlan, kind: str, changes: dict[str, Any], wanted: dict[str, Any]
) -> None:
    question = make_question(plan, kind)
    assert alice.post(url("question", question), read_form(alice, question) | changes).status_code == 302
    question.refresh_from_db()
    assert question.answer == wanted


def test_steps_and_pairs_keep_their_places(alice: Client, plan: StudyPlan) -> None:
    steps, pairs = make_question(plan, "order"), make_question(plan, "match")
    alice.post(url("question", steps), read_form(alice, steps) | {"option_0": "A bend"})
    alice.post(url("question", pairs), read_form(alice, pairs) | {"target_0": "rolling along"})
    steps.refresh_from_db()
    pairs.refresh_from_db()
    assert steps.options == ["It is cut", "A bend", "It is left"]
    assert pairs.targets == ["bouncing", "rolling along"]


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("single", {"option_0": ""}, "The right option is empty."),
        ("cloze", {"prompt": "No gap."}, "exactly one gap"),
        ("short", {"explanation": "No source."}, "Cite a source"),
        ("number", {"value": "many"}, "Enter a number"),
        ("several", {"option_1": "stones"}, "is there twice"),
    ],
)
def test_what_is_refused_is_said_and_stays(
    alice: Client, plan: StudyPlan, kind: str, changes: dict[str, Any], words: str
) -> None:
    question = make_question(plan, kind)
    response = alice.post(
        url("question", question), read_form(alice, question) | {"explanation": "Typed [1]."} | changes
    )
    assert response.status_code == 422
    html = response.content.decode()
    assert words in html
    assert changes.get("explanation", "Typed [1].") in html
    question.refresh_from_db()
    assert question.review == "unreviewed"


@pytest.mark.parametrize("who", ["bob", "carol", "charlie"])
def test_questions_are_their_owners(client: Client, people: Cast, plan: StudyPlan, who: str) -> None:
    client.force_login(getattr(people, who).user)
    question = make_question(plan, "single")
    assert client.get(url("question", question)).status_code == 404
    for name in ("question", "reject-question", "restore-question"):
        assert client.post(url(name, question)).status_code == 404


def test_more_questions_take_no_more_queries(
    alice: Client, plan: StudyPlan, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(20):
        make_question(plan, "single")
    with django_assert_max_num_queries(20):
        alice.get(url("questions", plan))
