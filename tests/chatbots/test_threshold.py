"""Questions that hold the threshold of refusal where it is, with the packaged embedder and reader (C6).

Some lie just above it and some just below: answering more or refusing more, by a tenth, turns one of them.
"""

from __future__ import annotations

import pytest

from chatbots.models import Chatbot, Mode
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db
TRIP = """# School trip to the lighthouse

## Journey

The coach leaves the school gate at quarter past eight on Friday morning. Pupils bring a packed lunch and a raincoat.
The trip costs twelve pounds, which parents pay online by the end of April. Mr Osei leads the trip.

## The lighthouse

The lighthouse on Gull Point was built in 1823 by the engineer Robert Hale after three ships had sunk in one winter.
Its lamp burned whale oil until 1891, when electric light was put in. The tower is 41 metres high and has 196 steps.
The last keeper, Agnes Moore, left in 1978, when the lamp was automated.

## Tasks

Each group sketches the lens, measures the shadow of the tower and works out its height. The report is due a week later.
"""


@pytest.fixture
def trip(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice, TRIP, "trip.md")])


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("When was the lighthouse built?", "answered"),
        ("Who leads the trip?", "answered"),
        ("When does the coach leave?", "answered"),
        ("How many steps has the tower?", "answered"),
        ("When was the lamp last cleaned?", "closest"),
        ("When does the coach come back?", "closest"),
        ("How much did the lighthouse cost?", "closest"),
        ("Who was the first keeper?", "refused"),
        ("Who switched the lamp off?", "refused"),
        ("Who paid for the lighthouse?", "refused"),
        ("Who drives the coach?", "refused"),
        ("Where was Robert Hale born?", "refused"),
        ("What is the speed of light?", "closest"),
        ("Who won in 1954?", "refused"),
    ],
)
def test_a_question_is_answered_or_called_closest_or_refused(
    people: Cast, trip: Chatbot, question: str, outcome: str
) -> None:
    message = make_message(people.alice, trip, question)
    says_closest = message.answer.startswith("*No passage surely answers this.")
    assert outcome == ("refused" if message.mode == Mode.REFUSED else "closest" if says_closest else "answered")
