"""A plan with a question of each kind, whose texts are hostile to every format."""

from __future__ import annotations

from typing import Any

from learning.models import Concept, ConceptSource, Question, StudyPlan
from schools.models import Membership
from tests.learning.plans import add, link, make_plan

HOSTILE = 'a < b & "c" ~ {x} = #1: 50% -> \\n // ]]> {{c1::y}} =SUM(A1)'
"""Markup, entities, GIFT's and Anki's signs, an arrow, a backslash and a formula."""

TITLE = f"Acids/{HOSTILE}"[:160]

KINDS: dict[str, dict[str, Any]] = {
    "single": {
        "prompt": f"Which is right? {HOSTILE} [1]",
        "options": [HOSTILE, "%5% more", "[html]<b>bold</b>", "=2+2"],
        "answer": {"correct": 3},
    },
    "several": {
        "prompt": "Which\n\nare right?",
        "options": ["one ~ two", "two # three", "three = four"],
        "answer": {"correct": [0, 2]},
    },
    "cloze": {"prompt": "An ____ gives protons. {x}", "answer": {"accepted": ["acid*", "an {acid}"]}},
    "truth": {"prompt": "Acids taste sweet.", "answer": {"value": False, "reason": "Acids taste sour. [1]"}},
    "number": {
        "prompt": "How strong is it?",
        "answer": {"value": -0.5, "unit": "mol/l & more", "tolerance": 0.02},
    },
    "order": {
        "prompt": "Put in order.",
        "options": ["third -> last", "first", "second"],
        "answer": {"order": [1, 2, 0]},
    },
    "match": {
        "prompt": "Match.",
        "options": ["red", "blue = 1"],
        "targets": ["base ~", "acid"],
        "answer": {"pairs": [1, 0]},
    },
    "short": {"prompt": "Why?", "answer": {"reference": "Because <it> is so. [1]"}},
}


def make_exported_plan(member: Membership) -> StudyPlan:
    """Two concepts, the second after the first; the first has a question of each kind, and a web source."""
    plan = make_plan(member, "Acid", title=TITLE)
    acid = plan.concepts.get()
    acid.questions.all().delete()
    ConceptSource.objects.create(
        school_id=plan.school_id,
        concept=acid,
        number=2,
        kind="wikipedia_live",
        document_title="Acid",
        heading_path=["Acid", "Properties"],
        address="https://en.wikipedia.example/wiki/Acid",
        revision="1234",
        excerpt="Acids turn litmus red.",
        text="Acids turn litmus red. Bases turn it blue.",
    )
    for kind, fields in KINDS.items():
        make_question(acid, kind=kind, **fields)
    link(add(plan, "Base <b>"), acid)
    return plan


def make_question(concept: Concept, **fields: Any) -> Question:
    values = {"explanation": f"It is so [1], and {HOSTILE} [2].", "source_numbers": [1]} | fields
    return Question.objects.create(school_id=concept.school_id, concept=concept, **values)
