"""Whether a passage states something about all that a question names."""

import pytest

from corpus.search.statements import NAMED, NEARLY_NAMED, STATED, find_statement
from text.question_match import QuestionWords

FESTIVAL = "Set-up begins at 8:30. Entry is free. In case of rain all is moved to the hall. Dogs stay at home."
STEPS = "1. Warm the water.\n2. Stir in the salt.\n3. Filter the sand off.\n"
PLAN = "| Period | Monday | Thursday |\n| --- | --- | --- |\n| 3 | Maths | Art |\n| 4 | Music | Geography |\n"


@pytest.mark.parametrize(
    ("question", "over", "text", "expected"),
    [
        ("What happens if it rains?", "Letter", FESTIVAL, STATED),
        ("When does set-up begin?", "Letter", FESTIVAL, STATED),
        ("When does the concert begin?", "Letter", FESTIVAL, 0.0),
        ("a", "Letter", "A letter.", 0.0),
        ("Why?", "Letter", "This is why.", 0.0),
        ("Which dogs begin?", "Letter", FESTIVAL, 0.0),
        ("When do dogs stay at home?", "Letter", FESTIVAL, 0.0),
        ("What is step 3 in experiment 12?", "Experiment 12: Salt", STEPS, NAMED),
        ("What is step 3 in experiment 13?", "Experiment 12: Salt", STEPS, 0.0),
        ("What does step 3 ask for?", "Experiment 12: Salt", STEPS, NEARLY_NAMED),
        ("What is step 7 in experiment 12?", "Experiment 12: Salt", STEPS, 0.0),
        ("How long does step 3 take?", "Experiment 12: Salt", STEPS, 0.0),
        ("What does class 9a have on Thursday in period 4?", "Timetable of class 9a", PLAN, NAMED),
        ("What does class 9b have on Thursday in period 4?", "Timetable of class 9a", PLAN, 0.0),
        ("What are the rules for lending bats?", "Rules for lending bats", "Ask Ms Reed.", STATED),
        ("What does section 2.1 say?", "2.1 Risk assessment", "Every trial needs form R3.", NAMED),
        ("What must I know of rule LS-09 on gas?", "LS-09 Fume cupboard", "The sash is kept low.", NAMED),
        ("What must I know of rule LS-08 on gas?", "LS-09 Fume cupboard", "The sash is kept low.", 0.0),
        ("What does section 2.1 say?", "2.10 Repairs", "Every trial needs form R3.", 0.0),
    ],
)
def test_a_sentence_or_row_must_have_all_that_is_named(question: str, over: str, text: str, expected: float) -> None:
    assert find_statement(QuestionWords(question, "en"), (over,), text) == expected


def test_a_german_verb_may_be_missing_but_no_noun() -> None:
    text = "Hunde müssen zu Hause bleiben."
    assert find_statement(QuestionWords("Darf ich meinen Hund mitnehmen?", "de"), (), text) == STATED
    assert find_statement(QuestionWords("Dürfen Hund und Katze mit?", "de"), (), text) == 0.0
