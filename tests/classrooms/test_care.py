"""What a pupil reads where something was found: words of help, never a category or why."""

from __future__ import annotations

import pytest
from django.test import Client

from chatbots.models import Chatbot, Language, Message
from classrooms import flagging, hands
from classrooms.concern import replies
from classrooms.models import ClassLink, ClassroomSettings, Concern, Flag, OnConcern, Pupil
from learning.models import Attempt, StudyPlan
from tests.classrooms.classes import come_in, decide, make_asked, open_class, page
from tests.factories import Cast
from tests.learning.plans import make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
WORDS = {"self-harm": ["zorble"], "abuse": ["wimble"], "violence": ["quaddle"], "personal-data": ["plinth lane"]}
SENTENCES = {
    "self-harm": "I zorble",
    "abuse": "They wimble me",
    "violence": "I quaddle him",
    "personal-data": "My number is 0170 1234567",
}


@pytest.fixture(autouse=True)
def word_list(people: Cast) -> None:
    decide(people.alice.school, concern_words=WORDS)


def settle(people: Cast, on_concern: OnConcern, help_words: str = "") -> None:
    row = ClassroomSettings.objects.filter(school=people.alice.school)
    row.update(on_concern=on_concern, help_words=help_words)


def flagged(pupil: Pupil, chatbot: Chatbot, category: str) -> Message:
    message = make_asked(pupil, chatbot)
    row = {"school": message.school, "pupil": pupil, "message": message, "words": "zorble"}
    Flag.objects.create(**row, category=category)
    return message


@pytest.mark.parametrize("category", ["self-harm", "abuse"])
@pytest.mark.parametrize("own", ["", "Call 0800 1111."])
def test_help_comes_first_and_only(
    category: str, own: str, people: Cast, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot
) -> None:
    settle(people, OnConcern.FLAG, own)
    message = flagged(pupil, chatbot, category)
    for address in (page("chat", link, message.chat_id), page("exchange", link, message.pk)):
        shown = computer.get(address).content.decode()
        assert (own or "somebody to talk to") in shown and "Tell my teacher" in shown
        assert message.answer and "three-molar" not in shown and 'class="notes' not in shown
        assert "Ask my teacher about this" not in shown
        for told in (*Concern.labels, "flag", "rule", category):
            assert told.lower() not in shown.lower().replace("rules", "")
    hands.raise_hand(message, is_raised=True)
    assert "Your teacher sees this question" in computer.get(page("exchange", link, message.pk)).content.decode()


@pytest.mark.parametrize("category", ["violence", "personal-data", "instructions"])
def test_other_concerns_show_no_words_of_help(
    category: str, people: Cast, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot
) -> None:
    message = flagged(pupil, chatbot, category)
    shown = computer.get(page("exchange", link, message.pk)).content.decode()
    assert 'class="care"' not in shown and "Ask my teacher about this" in shown


def test_another_try_keeps_the_words_of_help(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, people: Cast
) -> None:
    message = flagged(pupil, chatbot, "self-harm")
    later = Message.objects.get(pk=message.pk)
    later.pk, later.version_of_id = None, message.pk
    later.id = Message._meta.get_field("id").get_default()
    later._state.adding = True
    later.save()
    assert (
        flagging.find_care(later).is_needed
        and flagging.find_held_words(later)
        and not flagging.find_care(make_asked(pupil, chatbot)).is_needed
    )


@pytest.mark.parametrize(
    ("category", "words"),
    [
        ("self-harm", "Call 0800 1111."),
        ("abuse", "Call 0800 1111."),
        ("violence", "If somebody threatens you"),
        ("personal-data", "do not write telephone numbers"),
    ],
)
def test_each_category_has_its_own_words_when_it_is_held_back(
    category: str,
    words: str,
    people: Cast,
    link: ClassLink,
    pupil: Pupil,
    computer: Client,
    chatbot: Chatbot,
    model: Model,
) -> None:
    settle(people, OnConcern.HOLD, "Call 0800 1111.")
    response = computer.post(page("new-chat", link, chatbot.pk), {"question": SENTENCES[category]})
    shown = computer.get(response["Location"]).content.decode()
    assert shown.count(words) == 1 and not model.history
    assert ("Call 0800 1111." in shown) == ("Tell my teacher" in shown) == (category in ("self-harm", "abuse"))


def test_an_answer_with_personal_data_is_not_called_the_pupils(
    people: Cast, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    settle(people, OnConcern.HOLD)
    model.enqueue("He lives in plinth lane [1].")
    message = make_asked(pupil, chatbot)
    shown = computer.get(page("exchange", link, message.pk)).content.decode()
    assert "This answer is not shown" in shown and "plinth" not in shown


@pytest.mark.parametrize("language", Language.values)
def test_words_of_help_are_in_the_language_of_the_chatbot(language: str, people: Cast, chatbot: Chatbot) -> None:
    assert flagging.get_help_words(people.alice.school, language) == replies.HELP[language]
    for found in (["violence"], ["personal-data"]):
        words = flagging.get_held_words(people.alice.school, found, language)
        assert (words == flagging.get_held_words(people.alice.school, found, "en")) == (language == "en")
    assert flagging.get_held_words(people.alice.school, ["violence", "abuse"], language) == replies.HELP[language]


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice, "Acid", "Base")


def test_words_of_help_are_read_in_practice(people: Cast, plan: StudyPlan) -> None:
    assert plan.tutor
    link = open_class(people.alice, plan.tutor)
    client, _ = come_in(link)
    address = page("practise", link, plan.tutor_id)

    def answered(text: str) -> str:
        key = client.get(address).context["question"].pk
        return client.post(address, {"question": key, "given": text}, follow=True).content.decode()

    for text in ("I zorble", "They wimble me"):
        shown = answered(text)
        assert "somebody to talk to" in shown and "<form" not in shown and "Back to the questions" in shown
    assert not Attempt.objects.exists(), "help first, and only"
    assert "somebody to talk to" not in answered("I quaddle") and Attempt.objects.count() == 1
