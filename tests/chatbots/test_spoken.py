"""Pages say the language and direction of a quoted text, keep what is too long, and bring what was asked elsewhere."""

import re
from uuid import uuid4

import pytest
from django import forms
from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot, Language, Message
from corpus.templatetags.sources import spoken
from tests.classrooms.classes import come_in, make_asked, open_class, url
from tests.factories import Cast, make_chatbot, make_message, personal_document, signed_in
from tests.scripted import ScriptedLLM
from tests.template_files import find_templates

GERMAN = "# Säuren\n\nDie Salzsäure für die neunte Klasse hat eine Konzentration von 0,5 mol/l und wird verdünnt.\n"
HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize(
    ("text", "usual", "attributes"),
    [
        ("Die Säure wird langsam mit der Bürette zugegeben.", "en", ' lang="de" dir="auto"'),
        ("Wo ist das Schwimmbad?", "en", ' lang="de" dir="auto"'),
        ("Acids?", "fr", ' lang="fr" dir="auto"'),
        ("Acids?", "", ' dir="auto"'),
        ("מהי בירת צרפת?", "en", ' lang="he" dir="auto"'),
        ("| Vulkan | Land |\n|---|---|\n| Nevado del Ruiz | Colombia |", "", ' dir="auto"'),
    ],
)
def test_a_text_carries_its_language_as_far_as_it_is_known(text: str, usual: str, attributes: str) -> None:
    assert spoken(text, usual) == attributes


@pytest.mark.needs("classrooms")
@pytest.mark.django_db
@pytest.mark.parametrize("who", ["teacher", "pupil"])
def test_question_answer_and_passage_carry_their_language(people: Cast, model: type[ScriptedLLM], who: str) -> None:
    document = personal_document(people.alice, GERMAN, "Säuren.md")
    chatbot = make_chatbot(people.alice, personal=[document], language=Language.GERMAN)
    model.enqueue("Sie hat 0,5 mol/l [1].")
    question = "Wie stark ist die Salzsäure?"
    if who == "teacher":
        client, message = signed_in(people.alice), make_message(people.alice, chatbot, question)
        address = reverse("chatbots:chat", args=[message.chat_id])
        source = reverse("chatbots:source", args=[message.sources.get(number=1).pk])
        record = client.get(reverse("chatbots:given-prompt", args=[message.pk])).content.decode()
        assert f'<bdi lang="de" dir="auto">{question}</bdi>' in record
        assert '<p class="given-text" lang="de" dir="auto">' in record
    else:
        link = open_class(people.alice, chatbot)
        client, pupil = come_in(link)
        message = make_asked(pupil, chatbot, question)
        address = url("chat", link.code, message.chat_id)
        source = url("source", link.code, message.sources.get(number=1).pk)
    text, opened = (client.get(one).content.decode() for one in (address, source))
    for tag, name in (("h2", "question"), ("div", "answer-text"), ("p", "quote")):
        assert f'<{tag} class="{name}" lang="de" dir="auto">' in text, name
    assert '<div class="block-text" lang="de" dir="auto">' in opened


def ask(client: Client, message: Message, question: str, last: object) -> list[str]:
    """The questions that come back to a page whose last question is `last`."""
    sent = {"question": question, "message_id": uuid4(), "last": last}
    answer = client.post(reverse("chatbots:ask", args=[message.chat_id]), sent, headers=HTMX).content.decode()
    return re.findall(r'<h2 class="question"[^>]*>(.*?)</h2>', answer)


@pytest.mark.django_db
def test_a_page_gets_every_exchange_that_it_lacks_and_none_of_others(people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, "One?")
    make_message(people.alice, chatbot, "Two?", chat=first.chat)
    elsewhere = make_message(people.alice, chatbot, "Secret?")
    alice = signed_in(people.alice)
    assert ask(alice, first, "Three?", first.pk) == ["Two?", "Three?"]
    assert ask(alice, first, "Four?", "") == ["Four?"]
    assert ask(alice, first, "Five?", elsewhere.pk) == ["Five?"]
    refused = alice.post(
        reverse("chatbots:ask", args=[first.chat_id]), {"question": "", "last": first.pk}, headers=HTMX
    )
    assert f'name="last" value="{first.pk}"' in refused.content.decode(), "the page still lacks the others"


def test_no_field_lets_a_browser_cut_a_text() -> None:
    class Form(forms.Form):
        words = forms.CharField(max_length=30, widget=forms.Textarea)

    assert 'data-max-length="30"' in str(Form())
    for template in find_templates():
        cut = [line for line in template.read_text().splitlines() if " maxlength=" in line and "code-field" not in line]
        assert not cut, template


@pytest.mark.django_db
def test_a_name_that_is_too_long_is_refused_and_kept(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot)
    page = signed_in(people.alice).post(reverse("chatbots:rename-chat", args=[message.chat_id]), {"title": "x" * 121})
    assert page.status_code == 422
    assert "At most 120 characters" in page.content.decode() and "x" * 121 in page.content.decode()
