"""Plots of use and of the question log: the right numbers, for the right people."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.insights import usage
from chatbots.insights.plots import plot_log, plot_questions
from chatbots.models import (
    Chatbot,
    Message,
    MessageStatus,
    Mode,
    Outcome,
    QuestionLogEntry,
)
from corpus.web.plots import Plot
from schools.models import Membership
from tests.factories import Cast, make_chatbot, make_message, signed_in

pytestmark = pytest.mark.django_db
TOGETHER = '<th scope="row">Together</th><td>{}</td><td>{}</td><td></td>'


def ask(member: Membership, bot: Chatbot, *, ago: int, mode: Mode = Mode.GROUNDED, question: str = "Why?") -> Message:
    message = make_message(member, bot, question, answered=False)
    at = timezone.now() - timedelta(days=ago)
    Message.objects.filter(pk=message.pk).update(created_at=at, status=MessageStatus.DONE, mode=mode)
    return message


def sums(plot: Plot) -> dict[str, int]:
    return {one.name: sum(one.values) for one in plot.series}


@pytest.fixture
def bot(people: Cast) -> Chatbot:
    bot = make_chatbot(people.alice, name="Rivers helper")
    for ago in (0, 3, 3, 20):
        ask(people.alice, bot, ago=ago)
    ask(people.alice, bot, ago=5, mode=Mode.REFUSED, question="Who won the world cup?")
    return bot


def page(member: Membership, name: str, *args: object, **query: str | int) -> str:
    response = signed_in(member).get(reverse(f"chatbots:{name}", args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def test_the_picture_has_the_numbers_of_the_figures(people: Cast, bot: Chatbot) -> None:
    for days in usage.PERIODS:
        (_, figures), *_ = usage.compute_usage_by_chatbot(people.alice, days=days)
        plot = plot_questions(usage.list_questions_to_chatbots(people.alice, days=days), days=days)
        assert plot.total == figures.questions
        assert sums(plot) == {"answered": figures.answered, "refused": figures.refused}


def test_a_question_lies_on_the_day_it_was_asked(people: Cast, bot: Chatbot) -> None:
    plot = plot_questions(usage.list_school_questions(people.alice.school, days=7), days=7)
    assert [sum(row.values) for row in plot.rows] == [0, 0, 1, 0, 2, 0, 0, 1]


def test_teachers_see_the_use_of_their_own_chatbots_only(people: Cast, bot: Chatbot) -> None:
    html = page(people.alice, "usage", days=30)
    assert "Rivers helper" in html
    assert TOGETHER.format(4, 1) in html
    for other in (people.bob, people.carol, people.charlie):
        html = page(other, "usage")
        assert "Rivers helper" not in html
        assert "No chatbot yet" in html


def test_admins_see_a_picture_without_names_of_chatbots(people: Cast, bot: Chatbot) -> None:
    response = signed_in(people.carol).get(reverse("chatbots:school-usage"), headers={"HX-Request": "true"})
    html = response.content.decode()
    assert TOGETHER.format(4, 1) in html
    assert "Rivers helper" not in html


def test_a_chatbot_that_nobody_asked_leads_on(people: Cast) -> None:
    make_chatbot(people.alice)
    html = page(people.alice, "usage")
    assert "Nothing was asked in these 30 days" in html
    assert 'class="plot"' not in html


def test_the_log_is_drawn_as_it_is_filtered(people: Cast) -> None:
    school = people.alice.school
    for ago, outcome in ((1, Outcome.ANSWERED), (2, Outcome.REFUSED), (3, Outcome.FAILED), (4, Outcome.ANSWERED)):
        message = ask(people.alice, make_chatbot(people.alice), ago=ago)
        QuestionLogEntry.objects.update_or_create(
            message_id=message.pk,
            defaults={
                "school": school,
                "asked_at": timezone.now() - timedelta(days=ago),
                "channel": "web",
                "outcome": outcome,
                "question": "Why?",
            },
        )
    rows = QuestionLogEntry.objects.for_member(people.carol)
    assert sums(plot_log(rows)) == {"answered": 2, "refused": 1, "not finished": 1}
    assert TOGETHER.format(2, 1).replace("<td></td>", "<td>1</td>") in page(people.carol, "question-log")
    assert TOGETHER.format(2, 0) in page(people.carol, "question-log", outcome="answered")
    until = (timezone.localdate() - timedelta(days=4)).isoformat()
    assert TOGETHER.format(1, 0) in page(people.carol, "question-log", until=until)


def test_the_list_of_chatbots_leads_to_their_use(people: Cast, client: Client) -> None:
    client.force_login(people.alice.user)
    address = f'href="{reverse("chatbots:usage")}"'
    assert address not in client.get(reverse("chatbots:list")).content.decode(), "there is nothing to show"
    make_chatbot(people.alice)
    assert address in client.get(reverse("chatbots:list")).content.decode()
