"""A refusal is one however the model writes it, and nothing is shown as its source (C6)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.answering.refusals import (
    REFUSAL_SENTENCES,
    SELECTION,
    get_refusal_sentence,
    is_partial_refusal,
    is_refusal,
)
from chatbots.models import Chatbot, ChatbotKind, Language, Message, Mode
from tests.factories import Cast, make_message
from tests.scripted import ScriptedLLM

Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"
FIXED = get_refusal_sentence("en")


ALL = {f"{kind} {language}": text for kind, own in REFUSAL_SENTENCES.items() for language, text in own.items()}


def test_every_kind_refuses_in_every_language() -> None:
    assert set(ALL) == {f"{kind} {language}" for kind in [*ChatbotKind, SELECTION] for language in Language}
    assert len(set(ALL.values())) == len(ALL)


@pytest.mark.parametrize("sentence", ALL.values(), ids=ALL)
@pytest.mark.parametrize(
    "written",
    ["{}", "  {}\n", "**{}**", "> {}", "“{}”", "{} [1]", "*{}*[1][2]", "- {} [1, 2]", "Sorry! {}", "`{}`"],
)
def test_the_fixed_sentence_is_known_however_it_is_written(sentence: str, written: str) -> None:
    for text in (written.format(sentence), written.format(sentence.rstrip(".")).upper().replace(" ", "  ")):
        assert is_refusal(text), text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        f"{FIXED} The capital of France is Paris.",
        f"The capital of France is Paris. {FIXED}",
        f"{FIXED} [1] But I think that it is 7.",
        "The sources do not answer this question.",
        "The provided documents don't mention the price of the ticket.",
        "None of the sources say anything about it.",
        "I could not find this in the passages.",
        "There is no information about swimming in these texts.",
        "I am sorry, the textbook does not cover this.",
        "I can't answer that: nothing in the textbook is about football.",
        "Dazu steht im Lehrbuch nichts.",
        "Das Schulbuch enthält dazu keine Angaben.",
        "Le manuel ne dit rien à ce sujet.",
        "El libro de texto no menciona el precio.",
        "Die Quellen enthalten dazu keine Angaben.",
        "Das steht in den Quellen nicht.",
        "Das geht aus den Dokumenten nicht hervor.",
        "Dazu finde ich nichts in den Quellen.",
        "Les sources ne répondent pas à cette question.",
        "Aucun des documents n’en parle.",
        "Las fuentes no mencionan el precio.",
        "No encuentro esto en los documentos.",
    ],
)
def test_these_are_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "At most 1 mol/l [1].",
        "It is 1 mol/l.",
        f"At most 1 mol/l [1]. {FIXED}",
        f"{FIXED} They only say how it is stored: in the cupboard [2].",
        "The sources do not say how long, only that it takes a while [1].",
        "Pupils do not need a source of light.",
        "Acid must not be poured into the documents tray.",
        "Im Lehrbuch auf Seite 9 steht 1 mol/l.",
        "Die Schule hat keine Quelle im Garten.",
        "Il ne faut pas verser l’eau dans l’acide.",
        "The sources do not say. " + "But it is well known how it goes. " * 20,
    ],
)
def test_these_are_answers(text: str) -> None:
    assert not is_refusal(text)


def test_a_refusal_of_a_part_is_told_from_an_answer() -> None:
    assert is_partial_refusal(f"At most 1 mol/l [1]. {FIXED}")
    assert not is_partial_refusal("At most 1 mol/l [1].")


def test_a_long_hostile_answer_takes_no_time() -> None:
    for text in (
        "I cannot answer " * 3000,
        FIXED + " [1" * 10_000,
        FIXED + "* " * 20_000,
        "the source " * 40,
    ):
        is_refusal(text)


# Through the whole product -------------------------------------------------------------------------------------


def get_page(message: Message) -> str:
    client = Client()
    user = message.chat.participant.user
    assert user
    client.force_login(user)
    return client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "written",
    [
        f"**{FIXED}** [1]",
        f"{get_refusal_sentence('fr')} [1]",
        "The sources do not say how strong it may be.",
        f"{FIXED} From what I know it is 12 mol/l.",
    ],
)
def test_a_refusal_in_other_words_is_stored_as_the_fixed_one_without_sources(
    people: Cast, chatbot: Chatbot, model: Model, written: str
) -> None:
    model.enqueue(written)
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.mode, message.answer, message.notice) == (Mode.REFUSED, FIXED, "")
    assert len(model.history) == 1
    assert not message.sources.filter(is_cited=True).exists()
    html = get_page(message)
    assert 'class="note ' not in html
    assert "found no answer in the passages that it was given" in html


@pytest.mark.django_db
def test_an_answer_to_a_part_keeps_its_sources_and_says_so(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(f"It may have at most 1 mol/l [1]. {FIXED}")
    message = make_message(people.alice, chatbot, QUESTION)
    assert message.mode == Mode.GROUNDED
    assert message.notice == "The model says that the sources answer only a part of the question."
    assert message.sources.filter(is_cited=True).exists()
