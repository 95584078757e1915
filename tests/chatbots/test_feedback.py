"""One says whether an answer helped, and why not (C9): one's own words stay one's own."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from chatbots.insights.usage import compute_school_usage
from chatbots.models import Chatbot, Feedback, Message
from tests.factories import Cast, finish_answers, make_chatbot, make_member, make_message, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


@pytest.fixture
def alice(people: Cast) -> Client:
    return signed_in(people.alice)


@pytest.fixture
def message(people: Cast, chatbot: Chatbot, model: Model) -> Message:
    return make_message(people.alice, chatbot, "How strong may hydrochloric acid be?")


def give(client: Client, message: Message, htmx: bool = False, **data: str) -> tuple[int, str]:
    headers = {"HX-Request": "true"} if htmx else {}
    response = client.post(reverse("chatbots:feedback", args=[message.pk]), data, headers=headers)
    return response.status_code, response.headers.get("Location") or response.content.decode()


def page(client: Client, message: Message) -> str:
    return client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()


def test_it_is_given_changed_and_taken_back_without_scripts(alice: Client, message: Message) -> None:
    assert 'aria-pressed="true"' not in page(alice, message)
    status, location = give(alice, message, verdict="down", reason="citation", words="Page 3 says otherwise.")
    assert status == 302
    assert location.endswith(f"#turn-{message.pk}")
    text = page(alice, message)
    assert f'id="down-{message.pk}" name="verdict" value="none" aria-pressed="true"' in text
    assert "Page 3 says otherwise." in text
    assert "Wrong citation: change" in text
    give(alice, message, verdict="up")
    feedback = Feedback.objects.get()
    assert (feedback.verdict, feedback.reason, feedback.words) == ("up", "", "")
    assert feedback.school_id == message.school_id
    give(alice, message, verdict="none")
    give(alice, message, verdict="none")
    assert not Feedback.objects.exists()


def test_what_has_happened_is_said_in_a_live_region(alice: Client, message: Message) -> None:
    region = f'id="feedback-status-{message.pk}"'
    assert f'role="status" {region}' in page(alice, message)
    said: tuple[tuple[dict[str, str], str], ...] = (
        ({"verdict": "up"}, "Marked as helpful."),
        ({"verdict": "down"}, "Marked as not helpful."),
        ({"verdict": "down", "reason": "unclear"}, "Saved. Thank you."),
        ({"verdict": "none"}, "Feedback removed."),
    )
    for data, words in said:
        status, text = give(alice, message, True, **data)
        assert status == 200
        assert f'{region} hx-swap-oob="innerHTML">{words}' in text


@pytest.mark.parametrize("htmx", [True, False])
def test_too_many_words_are_said_and_kept(alice: Client, message: Message, htmx: bool) -> None:
    words = "why <b> " * 70
    status, text = give(alice, message, htmx=htmx, verdict="down", reason="other", words=words)
    assert status == 422
    assert "at most 500 characters" in text
    assert words.strip().replace("<b>", "&lt;b&gt;") in text
    assert 'value="other" checked' in text
    assert not Feedback.objects.exists()


@pytest.mark.parametrize("data", [{}, {"verdict": "sideways"}, {"verdict": "down", "reason": "nonsense"}])
def test_nonsense_is_not_kept(alice: Client, message: Message, data: dict[str, str]) -> None:
    assert give(alice, message, False, **data)[0] == 422
    assert not Feedback.objects.exists()


def test_an_unfinished_answer_takes_none(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, answered=False)
    assert give(alice, message, verdict="up")[0] == 404
    assert "Helpful" not in page(alice, message)


def test_nobody_else_gives_or_sees_it(people: Cast, alice: Client, message: Message) -> None:
    give(alice, message, verdict="down", reason="other", words="zephyrquartz")
    for member in (people.bob, people.carol, people.charlie):
        client = signed_in(member)
        assert give(client, message, verdict="up")[0] == 404
        assert "zephyrquartz" not in client.get(reverse("chatbots:chats"), {"feedback": "down"}).content.decode()
    assert give(Client(), message, verdict="up")[1].startswith("/accounts/login/")
    assert Feedback.objects.get().verdict == "down"


def test_the_list_has_a_filter_for_what_did_not_help(
    people: Cast, alice: Client, chatbot: Chatbot, message: Message
) -> None:
    other = make_message(people.alice, chatbot, "Do goggles help?")
    give(alice, message, verdict="down", reason="citation", words="Page <3>.")
    give(alice, other, verdict="up")
    text = alice.get(reverse("chatbots:chats"), {"feedback": "down"}).content.decode()
    assert "Not helpful: Wrong citation: Page &lt;3&gt;." in text
    assert f"#turn-{message.pk}" in text
    assert "goggles" not in text
    both = {"feedback": "down", "words": "zebra"}
    assert "Nothing found" in alice.get(reverse("chatbots:chats"), both).content.decode()


def test_an_answer_that_did_not_help_is_found_when_it_was_answered_again(alice: Client, message: Message) -> None:
    give(alice, message, verdict="down", words="Page 3 says otherwise.")
    alice.post(reverse("chatbots:ask-again", args=[message.pk]))
    finish_answers()
    text = alice.get(reverse("chatbots:chats"), {"feedback": "down"}).content.decode()
    assert "Not helpful: Page 3 says otherwise." in text
    link = f"{reverse('chatbots:chat', args=[message.chat_id])}?answer={message.pk}#turn-{message.pk}"
    assert f'href="{link}"' in text
    assert "Page 3 says otherwise." in alice.get(link).content.decode()


def test_admins_see_figures_and_no_words(people: Cast, alice: Client, message: Message) -> None:
    give(alice, message, verdict="down", reason="citation", words="zephyrquartz")
    for colleague in (people.bob, make_member(people.alice.school, "dora")):
        theirs = make_message(colleague, make_chatbot(colleague))
        Feedback.objects.create(school=people.alice.school, message=theirs, verdict="up")
    usage = compute_school_usage(people.alice.school)
    assert (usage["helpful"], usage["unhelpful"], usage["reasons"]) == (2, 1, [("Wrong citation", 1)])
    text = signed_in(people.carol).get(reverse("chatbots:school-usage"), headers={"HX-Request": "true"})
    assert "wrong citation: 1" in text.content.decode()
    assert "zephyrquartz" not in text.content.decode()
    assert not compute_school_usage(people.charlie.school)["is_shown"]


def test_the_database_takes_no_reason_without_a_thumb_down(message: Message) -> None:
    for values in ({"verdict": "up", "reason": "other"}, {"verdict": "no"}, {"verdict": "up", "words": "x"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Feedback.objects.create(school_id=message.school_id, message=message, **values)


def test_the_text_to_copy_comes_with_the_answer(alice: Client, message: Message) -> None:
    source = message.sources.filter(is_cited=True).first()
    assert source
    text = page(alice, message)
    assert f'data-copy="text-{message.pk}"' in text
    assert f"[{source.number}] {source.document_title}, version 1" in text
