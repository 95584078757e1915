"""What the model was given for an answer: kept with it, and shown to its owner alone (C5, C7)."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.conversations.asking import ask_again
from chatbots.models import Chatbot, Message, PromptRecord
from engines.errors import ModelUnavailable
from schools.models import Membership
from tests.factories import Cast, answer, make_chatbot, make_message, personal_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


def get_page(message: Message, member: Membership | None = None) -> tuple[int, str]:
    client = Client()
    if member:
        client.force_login(member.user)
    response = client.get(reverse("chatbots:given-prompt", args=[message.pk]))
    return response.status_code, response.content.decode()


def test_the_prompt_is_kept_word_for_word_and_shown_in_its_parts(people: Cast, chatbot: Chatbot, model: Model) -> None:
    chatbot.instructions = "Speak like a pirate."
    chatbot.save()
    chat = make_message(people.alice, chatbot, QUESTION).chat
    model.enqueue_rewriting("How strong is & must be the acid for year 9?")
    message = make_message(people.alice, chatbot, "And <b>for</b> year 9?", chat=chat)
    prompt = PromptRecord.objects.get(message=message)
    (given,) = model.history[1:]
    assert [(turn["role"], turn["content"]) for turn in prompt.turns] == [
        (turn.role, turn.content) for turn in given.messages
    ]
    assert (prompt.answerer, prompt.times, prompt.school) == ("Scripted model", 1, message.school)
    status, html = get_page(message, people.alice)
    assert status == 200
    order = [
        "Rules",
        "teacher’s instructions",
        "Earlier question",
        "Earlier answer",
        "Source 1:",
        "Source 2:",
        "Question",
    ]
    places = [html.index(words, html.index('class="given"')) for words in order if words != "Question"]
    assert places == sorted(places)
    assert "Speak like a pirate." in html
    assert "And &amp;lt;b&gt;for" in html
    assert "rewrite the question for the search. What was searched for: “<bdi>How strong is &amp; must" in html
    back = reverse("chatbots:chat", args=[chat.pk])
    assert f'href="{back}?answer={message.pk}#turn-{message.pk}"' in html
    link = reverse("chatbots:given-prompt", args=[message.pk])
    client = Client()
    client.force_login(people.alice.user)
    assert link in client.get(reverse("chatbots:turn", args=[message.pk])).content.decode()


def test_it_leads_back_to_the_answer_it_is_about(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    second = ask_again(message=message)
    list(answer(second.pk))
    place = reverse("chatbots:chat", args=[message.chat_id])
    for one in (message, second):
        assert f'"{place}?answer={one.pk}#turn-{message.pk}"' in get_page(one, people.alice)[1]


def test_it_is_for_the_owner_alone(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    assert get_page(message)[0] == 302
    for stranger in (people.bob, people.carol, people.charlie, people.chloe):
        assert get_page(message, stranger)[0] == 404


def test_a_model_that_is_asked_twice_says_so(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Wrong [9].", "Right [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.prompt_record.times == 2
    html = get_page(message, people.alice)[1]
    assert "It was asked twice" in html
    assert "it cited numbers that no source has" in html
    assert message.prompt_record.turns == [asdict(turn) for turn in model.history[1].messages]


def test_without_a_model_the_passages_are_shown_that_were_read(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    assert not PromptRecord.objects.exists()
    html = get_page(message, people.alice)[1]
    assert "No language model was asked" in html
    assert "Acid goes into water, never water into acid." in html


def test_what_is_refused_beforehand_was_given_to_nobody(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, "Who won the football world cup in 1954?")
    assert not PromptRecord.objects.exists()
    assert "refused without asking a language model" in get_page(message, people.alice)[1]


def test_a_general_answer_has_its_prompt_too(people: Cast, chatbot: Chatbot, model: Model) -> None:
    chatbot.when_unsure = "general"
    chatbot.save()
    message = make_message(people.alice, chatbot, "Who won the football world cup in 1954?")
    assert message.prompt_record.turns[-1] == {"role": "user", "content": message.question}
    assert "Who won the football" in get_page(message, people.alice)[1]


def test_each_answer_to_a_question_has_its_own_and_it_goes_with_the_conversation(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(ModelUnavailable("Down."))
    failed = make_message(people.alice, chatbot, QUESTION)
    again = ask_again(message=failed)
    assert "being searched for" in get_page(again, people.alice)[1]
    list(answer(again.pk))
    assert PromptRecord.objects.filter(message__in=[failed, again]).count() == 2
    failed.chat.delete()
    assert not PromptRecord.objects.exists()


LONG = "".join(f"The acid of cupboard {n} has {n} mol/l and is kept cool. " for n in range(40))


def test_what_does_not_fit_is_no_source_of_the_answer(people: Cast, model: Model, settings: Settings) -> None:
    settings.LECTERN_LLM_CONTEXT, settings.LECTERN_LLM_ANSWER = 2300, 256
    parts = "\n\n".join(f"## Acid {n}\n\nHydrochloric acid {n} has {n} mol/l. {LONG}" for n in range(1, 5))
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, f"# Acids\n\n{parts}")])
    model.enqueue("It is as in [2] and [3] and [4].", "It is as in [2] and [3] and [4].")
    message = make_message(people.alice, chatbot, QUESTION)
    (prompt, _) = model.history
    kept = [one.number for one in prompt.passages]
    assert kept == list(range(1, len(kept) + 1))
    assert len(kept) < message.sources.count()
    given = message.sources.filter(was_given=True)
    assert list(given.values_list("number", flat=True)) == kept
    assert [source.text for source in given] == [one.text for one in prompt.passages]
    assert not message.sources.filter(is_cited=True, was_given=False).exists()
    assert "do not exist" in message.notice
    client = Client()
    client.force_login(people.alice.user)
    html = client.get(reverse("chatbots:turn", args=[message.pk])).content.decode()
    rest = html.partition("Also searched")[2]
    assert rest.count("Not given to the model: it did not fit.") == message.sources.filter(was_given=False).count()
    assert "Left out" in get_page(message, people.alice)[1]


def test_of_a_passage_that_was_cut_the_source_is_what_was_given(people: Cast, model: Model, settings: Settings) -> None:
    settings.LECTERN_LLM_CONTEXT, settings.LECTERN_LLM_ANSWER = 1400, 256
    document = personal_document(people.alice, f"# Acids\n\nHydrochloric acid. {LONG}")
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), QUESTION)
    (passage,) = model.history[0].passages
    source = message.sources.get(number=1)
    assert (source.text, source.excerpt) == (passage.text, passage.excerpt)
    assert passage.text.endswith(("cool.", "cool"))
    assert source.excerpt in source.text
