"""A sample chatbot: made by one press, asked, and thrown away by another."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot, Collaborator, Message
from chatbots.services import set_personal_documents
from corpus.ingestion import uploads
from corpus.models import Status
from knowledge.models import PersonalDocument, PersonalVersion
from tests.factories import Cast, index_all, make_chatbot, make_file, make_message, personal_document, signed_in

pytestmark = pytest.mark.django_db

TRY = reverse("chatbots:start-sample")


def tried(browser: Client) -> Chatbot:
    response = browser.post(TRY)
    chatbot = Chatbot.objects.get(is_sample=True)
    assert response["Location"] == reverse("chatbots:new-chat", args=[chatbot.pk])
    return chatbot


def thrown_away(browser: Client, chatbot: Chatbot) -> Any:
    return browser.post(reverse("chatbots:throw-away", args=[chatbot.pk]), follow=True)


def test_it_is_tried_and_leaves_nothing_behind(people: Cast) -> None:
    alice = signed_in(people.alice)
    for address in (reverse("chatbots:list"), reverse("chatbots:start")):
        assert TRY in alice.get(address).content.decode()
    chatbot = tried(alice)
    first = alice.get(reverse("chatbots:new-chat", args=[chatbot.pk])).content.decode()
    assert f'hx-get="{reverse("chatbots:opening", args=[chatbot.pk])}"' in first, "questions come as soon as it is read"
    assert "are being read" in first
    index_all()
    document = PersonalDocument.objects.for_member(people.alice).get()
    assert (document.title, document.status) == ("The water cycle", Status.READY)
    assert not document.newest.notes
    opening = alice.get(reverse("chatbots:opening", args=[chatbot.pk])).content.decode()
    assert "You could ask" in opening
    assert "What is evaporation?" in opening
    message = make_message(people.alice, chatbot, "How long does water stay in the air?")
    assert "nine days" in message.answer
    for address in (reverse("chatbots:list"), reverse("chatbots:chat", args=[message.chat_id])):
        shown = alice.get(address).content.decode()
        assert ">Sample</span>" in shown
        assert "Throw the sample away" in shown
    assert TRY not in alice.get(reverse("chatbots:start")).content.decode()

    file = document.newest.file.name
    page = thrown_away(alice, chatbot).content.decode()
    assert "The sample is gone, with its conversations and its document." in page
    assert TRY in page
    assert not Chatbot.objects.exists()
    assert not Message.objects.exists()
    assert not PersonalVersion.objects.exists()
    assert not default_storage.exists(file)


def test_a_second_press_finds_the_first_one(people: Cast) -> None:
    alice = signed_in(people.alice)
    assert tried(alice) == tried(alice)
    signed_in(people.bob).post(TRY)
    assert Chatbot.objects.filter(is_sample=True).count() == 2


def test_what_is_the_teachers_own_stays(people: Cast) -> None:
    alice = signed_in(people.alice)
    chatbot, own = tried(alice), personal_document(people.alice, "My own text.", "own.txt")
    sample = PersonalDocument.objects.exclude(pk=own.pk).get()
    set_personal_documents(chatbot=chatbot, member=people.alice, documents=[own.pk, sample.pk])
    make_chatbot(people.alice, personal=[sample], name="Another")
    assert "Its document stays, because another" in thrown_away(alice, chatbot).content.decode()
    assert set(PersonalDocument.objects.all()) == {own, sample}
    assert Chatbot.objects.get().name == "Another"


def test_a_text_that_was_replaced_is_the_teachers_own(people: Cast) -> None:
    alice = signed_in(people.alice)
    chatbot = tried(alice)
    document = PersonalDocument.objects.get()
    uploads.replace(document, make_file("My own rivers.", "rivers.txt"), by=people.alice.user)
    thrown_away(alice, chatbot)
    assert PersonalDocument.objects.get() == document


def test_only_ones_own_sample_is_thrown_away(people: Cast) -> None:
    chatbot = tried(signed_in(people.alice))
    address = reverse("chatbots:throw-away", args=[chatbot.pk])
    for stranger in (people.bob, people.carol, people.charlie, people.chloe):
        assert signed_in(stranger).post(address).status_code == 404
    for address_of_all in (address, TRY):
        assert Client().post(address_of_all)["Location"].startswith("/accounts/login/")
    assert signed_in(people.alice).get(address).status_code == 405
    assert Chatbot.objects.get() == chatbot


def test_another_chatbot_is_not_deleted_by_this_press(people: Cast) -> None:
    chatbot = make_chatbot(people.alice)
    assert "This chatbot is no sample." in thrown_away(signed_in(people.alice), chatbot).content.decode()
    assert Chatbot.objects.get() == chatbot


def test_a_sample_that_was_deleted_goes_with_the_next_one(people: Cast) -> None:
    alice = signed_in(people.alice)
    alice.post(reverse("chatbots:delete", args=[tried(alice).pk]))
    alice.post(TRY)
    chatbot = Chatbot.objects.for_member(people.alice).get()
    assert "with its conversations and its document" in thrown_away(alice, chatbot).content.decode()
    assert not Chatbot.objects.exists()
    assert not PersonalDocument.objects.exists()


def test_a_colleague_sees_no_button(people: Cast) -> None:
    chatbot = tried(signed_in(people.alice))
    Collaborator.objects.create(
        school=chatbot.school, chatbot=chatbot, membership=people.bob, shared_by=people.alice, role="reader"
    )
    bob = signed_in(people.bob)
    for address in (reverse("chatbots:list"), reverse("chatbots:new-chat", args=[chatbot.pk])):
        page = bob.get(address).content.decode()
        assert chatbot.name in page
        assert "Throw the sample away" not in page
