"""Questions as files of other programs: read back, they are what they were, with their sources in words."""

from __future__ import annotations

from typing import Any

import pytest

from learning.exports.files import FORMATS, export_plan
from learning.exports.gift import format_share
from learning.exports.questions import exported_questions, make_worksheet
from learning.models import Question, ReviewState, StudyPlan
from tests.factories import Cast
from tests.learning.exported import HOSTILE, KINDS, make_exported_plan, make_question
from tests.learning.gift_reader import GiftQuestion, read_gift

pytestmark = pytest.mark.django_db

SOURCES = "Sources: Rivers, Rivers › Acid; Acid, Acid › Properties, 1234, https://en.wikipedia.example/wiki/Acid"


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_exported_plan(people.alice)


def export_gift(plan: StudyPlan) -> bytes:
    return FORMATS["gift"].write(plan.title, exported_questions(plan))


def flat(text: str) -> str:
    return " ".join(text.split())


def gift(plan: StudyPlan) -> dict[str, GiftQuestion]:
    found = [one for one in read_gift(export_gift(plan)) if one.category.endswith("/Acid")]
    return dict(zip(KINDS, found, strict=True))


def test_gift_is_read_back(plan: StudyPlan) -> None:
    found, hostile = gift(plan), HOSTILE.replace("->", "→")
    assert {kind: one.kind for kind, one in found.items()} == {
        "single": "multichoice",
        "several": "multichoice",
        "cloze": "shortanswer",
        "truth": "truefalse",
        "number": "numerical",
        "order": "match",
        "match": "match",
        "short": "essay",
    }
    assert found["single"].prompt == f"Which is right? {hostile}"
    assert found["several"].prompt == "Which\n\nare right?"
    for kind, one in found.items():
        model = "Because <it> is so.\n\n" if kind == "short" else ""
        assert one.feedback == f"{model}It is so, and {hostile}.\n\n{SOURCES}"
    assert found["single"].answers == [(0, hostile), (0, "%5% more"), (0, "[html]<b>bold</b>"), (100, "=2+2")]
    assert found["several"].answers == [(50, "one ~ two"), (-100, "two # three"), (50, "three = four")]
    assert found["cloze"].answers == [(100, "acid\\*"), (100, "an {acid}")]
    assert found["truth"].answers == [(100, "FALSE")]
    assert found["number"].answers == [(100, "-0.5:0.01")]
    assert found["number"].prompt == "How strong is it? (mol/l & more)"
    assert found["order"].pairs == [("third → last", "Step 3"), ("first", "Step 1"), ("second", "Step 2")]
    assert found["match"].pairs == [("red", "acid"), ("blue = 1", "base ~")]


def read_cards(plan: StudyPlan) -> tuple[list[str], dict[str, list[str]]]:
    """The lines of the head, and front, back and tag of each card by its id."""
    lines = FORMATS["anki"].write(plan.title, exported_questions(plan)).decode().splitlines()
    head = [line for line in lines if line.startswith("#")]
    return head, {key: fields for key, *fields in (line.split("\t") for line in lines[len(head) :])}


def test_anki_has_a_card_for_each_question(plan: StudyPlan) -> None:
    head, cards = read_cards(plan)
    assert "#guid column:1" in head and "#tags column:4" in head and len(cards) == len(KINDS) + 1
    assert {len(card) for card in cards.values()} == {3}
    (single,) = [card for card in cards.values() if card[0].startswith("Which is right?")]
    assert "<li>[html]&lt;b&gt;bold&lt;/b&gt;</li>" in single[0]
    assert single[1].startswith("=2+2<br>") and single[2] == "Acid"
    assert "<br>Sources: Rivers" in single[1] and "[1]" not in "".join(single)


def test_a_second_import_updates_the_first(plan: StudyPlan) -> None:
    head, before = read_cards(plan)
    Question.objects.filter(kind="short").update(prompt="Why not?")
    again, after = read_cards(plan)
    assert again == head and set(after) == set(before)
    assert sum(after[key] != before[key] for key in after) == 1


def test_only_what_learners_may_get_is_exported(plan: StudyPlan) -> None:
    acid = plan.concepts.get(name="Acid")
    acid.questions.exclude(kind="short").update(review=ReviewState.REJECTED)
    acid.questions.filter(kind="match").update(review=ReviewState.APPROVED, is_outdated=True)
    assert [one.kind for one in exported_questions(plan) if one.concept == "Acid"] == ["short"]
    plan.shows_unreviewed = False
    plan.save()
    assert exported_questions(plan) == []


def test_words_are_in_the_language_of_the_plan(plan: StudyPlan) -> None:
    plan.language = "de"
    found = {one.kind.value: one for one in exported_questions(plan)}
    assert found["truth"].source_lines.startswith("Quellen: ") and found["truth"].words["false"] == "Falsch"


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_a_file_with_a_name(plan: StudyPlan, name: str) -> None:
    found = export_plan(plan, name)
    disposition = found.headers["Content-Disposition"]
    assert found.content and 'filename="Acids-' in disposition and f'.{name}.txt"' in disposition


@pytest.mark.parametrize("name", FORMATS)
def test_a_plan_without_questions_is_an_empty_file(people: Cast, name: str) -> None:
    from tests.learning.plans import make_plan

    plan = make_plan(people.alice, title="!!!")
    Question.objects.all().delete()
    assert f'"plan.{name}.txt"' in export_plan(plan, name).headers["Content-Disposition"]


def test_a_worksheet_numbers_questions_and_sources(plan: StudyPlan) -> None:
    rows, sources = make_worksheet(plan)
    assert (len(rows), len(sources)) == (9, 3)
    (first, first_cited), (last, last_cited) = rows[0], rows[-1]
    assert first_cited == "[1] [2]" and first.lettered[3] == ("d", "=2+2") and first.right_answer == ["=2+2"]
    assert last.concept == "Base <b>" and last_cited == "[3]"  # its own [1] is the third of the sheet


def test_a_worksheet_of_one_concept(plan: StudyPlan) -> None:
    rows, sources = make_worksheet(plan, [plan.concepts.get(name="Base <b>")])
    assert [question.concept for question, _ in rows] == ["Base <b>"] and len(sources) == 1


def test_several_right_options_alone_are_graded(plan: StudyPlan) -> None:
    acid = plan.concepts.get(name="Acid")
    make_question(acid, kind="several", prompt="All?", options=["a", "b", "c"], answer={"correct": [0, 1, 2]})
    fractions: dict[str, Any] = {one.prompt: one.answers for one in read_gift(export_gift(plan))}
    assert [weight for weight, _ in fractions["All?"]] == [33.33333] * 3


def test_shares_are_grades_that_moodle_knows() -> None:
    assert [format_share(count) for count in (1, 3, 6, 7, 8, 9, 12)] == [
        "100",
        "33.33333",
        "16.66667",
        "14.28571",
        "12.5",
        "11.11111",
        "10",
    ]


def test_the_category_of_gift_has_no_escapes(plan: StudyPlan) -> None:
    (category, *_) = {one.category for one in read_gift(export_gift(plan))}
    assert "\\" not in category and category.startswith("$course$/top/Acids//a < b")
