"""The list of chatbots: searched and sorted, archived, duplicated, and copied from the templates of the school."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.models import Chat, Chatbot, ChatbotRole
from chatbots.services import set_weights
from chatbots.sharing import colleagues
from chatbots.sharing.listing import FEW
from evaluation.models import TestQuestion
from schools.services import remove_member
from tests.factories import Cast, make_chatbot, make_message, make_program, personal_document, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(people: Cast) -> Client:
    return signed_in(people.alice)


@pytest.fixture
def bob(people: Cast) -> Client:
    return signed_in(people.bob)


def page(client: Client, name: str = "list", **query: str) -> str:
    response = client.get(reverse(f"chatbots:{name}"), query)
    assert response.status_code == 200
    return response.content.decode()


def post(client: Client, name: str, chatbot: Chatbot, **data: Any) -> Any:
    return client.post(reverse(f"chatbots:{name}", args=[chatbot.pk]), data)


def names(text: str) -> list[str]:
    return re.findall(r'<h2><a href="[^"]+">([^<]+)</a></h2>', text)


def share(people: Cast, chatbot: Chatbot, role: ChatbotRole = ChatbotRole.READER) -> Any:
    return colleagues.share_with(chatbot=chatbot, owner=people.alice, colleague=people.bob, role=role)


def asked(people: Cast, chatbot: Chatbot, *, days_ago: int) -> None:
    chat = make_message(people.alice, chatbot, answered=False).chat
    Chat.objects.filter(pk=chat.pk).update(updated_at=timezone.now() - timedelta(days=days_ago))


def test_the_last_one_used_comes_first_and_says_when(alice: Client, people: Cast) -> None:
    for name in "ABC":
        made = make_chatbot(people.alice, name=f"Chatbot {name}")
        Chatbot.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(days=30))
    asked(people, Chatbot.objects.get(name="Chatbot B"), days_ago=1)
    asked(people, Chatbot.objects.get(name="Chatbot C"), days_ago=400)
    text = page(alice)
    assert names(text) == ["Chatbot B", "Chatbot A", "Chatbot C"]
    assert ">yesterday</time>" in text
    assert text.count("last used") == 2
    assert names(page(alice, sort="name")) == ["Chatbot A", "Chatbot B", "Chatbot C"]
    assert names(page(alice, sort="nonsense")) == names(text)


def test_a_long_list_can_be_searched(alice: Client, people: Cast) -> None:
    for number in range(FEW):
        make_chatbot(people.alice, name=f"Number {number}", subject="Maths" if number % 2 else "", description="Sums")
    assert 'name="words"' not in page(alice)
    make_chatbot(people.alice, name="Acids & bases")
    assert 'name="words"' in page(alice)
    assert names(page(alice, words="acids")) == ["Acids &amp; bases"]
    assert len(names(page(alice, words="maths sums"))) == FEW // 2
    text = page(alice, words="\x00 volcano")
    assert names(text) == []
    assert "Nothing found" in text
    assert 'value="volcano"' in text


def test_an_archived_one_is_folded_below_and_can_still_be_asked(alice: Client, people: Cast) -> None:
    make_chatbot(people.alice, name="This year")
    old = make_chatbot(people.alice, name="Last year")
    told = alice.post(reverse("chatbots:archive", args=[old.pk]), follow=True).content.decode()
    assert f'action="{reverse("chatbots:bring-back", args=[old.pk])}"' in told
    text = page(alice)
    above, _, folded = text.partition('<details class="archived"')
    assert (names(above), names(folded)) == (["This year"], ["Last year"])
    assert alice.get(reverse("chatbots:new-chat", args=[old.pk])).status_code == 200
    (listed,) = [
        one for one in make_program(people.alice).get(reverse("api:chatbots")).json()["results"] if one["archived_at"]
    ]
    assert listed["name"] == "Last year"
    post(alice, "bring-back", old)
    assert "archived" not in page(alice).partition("<main")[2].replace("is archived", "")


def test_each_archives_in_their_own_list(alice: Client, bob: Client, people: Cast, chatbot: Chatbot) -> None:
    share(people, chatbot)
    post(bob, "archive", chatbot)
    assert "All of your chatbots are archived." in page(bob)
    assert '<details class="archived"' not in page(alice)
    post(bob, "bring-back", chatbot)
    post(alice, "archive", chatbot)
    assert '<details class="archived"' not in page(bob)
    assert '<details class="archived"' in page(alice)


def test_a_duplicate_reads_the_same_and_has_nothing_else(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    set_weights(chatbot, {"personal": 30})
    Chatbot.objects.filter(pk=chatbot.pk).update(
        instructions="Be brief.", places=7, is_template=True, is_named_in_log=True, archived_at=timezone.now()
    )
    make_message(people.alice, chatbot, answered=False)
    TestQuestion.objects.create(school=chatbot.school, chatbot=chatbot, question="Why?", is_refused=True)
    share(people, chatbot)
    response = post(alice, "copy", chatbot)
    copy = Chatbot.objects.exclude(pk=chatbot.pk).get()
    assert response.headers["Location"] == reverse("chatbots:edit", args=[copy.pk])
    assert (copy.name, copy.owner, copy.instructions, copy.places) == (
        f"Copy of {chatbot.name}",
        people.alice.user,
        "Be brief.",
        7,
    )
    assert {row.kind: row.weight for row in copy.all_sources() if row.weight} == {"personal": 30, "school": 70}
    assert (copy.personal_links.count(), copy.school_links.count()) == (1, 1)
    assert not (copy.chats.exists() or copy.test_questions.exists() or copy.collaborators.exists())
    assert not (copy.is_template or copy.is_named_in_log or copy.archived_at)
    Chatbot.objects.filter(pk=copy.pk).update(name="x" * 100)
    post(alice, "copy", copy)
    assert Chatbot.objects.filter(name=("Copy of " + "x" * 100)[:100]).exists()


@pytest.mark.parametrize("how", ["shared", "template"])
def test_the_copy_of_a_colleague_is_theirs_without_personal_documents(
    how: str, bob: Client, people: Cast, chatbot: Chatbot
) -> None:
    assert post(bob, "copy", chatbot).status_code == 404
    if how == "shared":
        share(people, chatbot)
    else:
        colleagues.set_template(chatbot, is_template=True)
    assert post(bob, "copy", chatbot).status_code == 302
    copy = Chatbot.objects.get(owner=people.bob.user)
    assert (copy.name, copy.personal_links.count(), copy.school_links.count()) == (chatbot.name, 0, 1)
    assert copy.school_links.get().document == chatbot.school_links.get().document
    assert chatbot.personal_links.count() == 1


def test_a_template_is_for_the_whole_school_and_for_nobody_else(
    alice: Client, bob: Client, people: Cast, chatbot: Chatbot
) -> None:
    assert "Templates of your school" not in page(bob)
    post(alice, "offer-template", chatbot, offer="on")
    assert "Templates of your school" in page(bob)
    listed = page(bob, "templates")
    assert chatbot.name in listed
    assert "By Alice" in listed
    assert "Stop offering it" not in listed, "that is for its owner and for admins"
    assert bob.get(reverse("chatbots:new-chat", args=[chatbot.pk])).status_code == 404, "it is copied, not asked"
    for member in (people.charlie, people.chloe):
        client = signed_in(member)
        assert chatbot.name not in page(client, "templates")
        assert post(client, "copy", chatbot).status_code == 404
        assert post(client, "offer-template", chatbot).status_code == 404
    assert post(Client(), "copy", chatbot).headers["Location"].startswith("/accounts/login/")
    assert Chatbot.objects.count() == 1


def test_its_owner_and_admins_end_the_offer(alice: Client, bob: Client, people: Cast, chatbot: Chatbot) -> None:
    carol = signed_in(people.carol)
    assert post(carol, "offer-template", chatbot, offer="on").status_code == 404
    post(alice, "offer-template", chatbot, offer="on")
    assert post(bob, "offer-template", chatbot).status_code == 403
    assert Chatbot.objects.get().is_template
    assert "Stop offering it" in page(carol, "templates")
    assert post(carol, "offer-template", chatbot).headers["Location"] == reverse("chatbots:templates")
    assert not Chatbot.objects.get().is_template
    post(alice, "offer-template", chatbot, offer="on")
    assert post(alice, "offer-template", chatbot).headers["Location"] == reverse("chatbots:share", args=[chatbot.pk])
    assert not Chatbot.objects.get().is_template


@pytest.mark.parametrize("how", ["deleted", "owner left"])
def test_a_template_ends_with_its_chatbot_and_its_owner(
    how: str, alice: Client, bob: Client, people: Cast, chatbot: Chatbot
) -> None:
    colleagues.set_template(chatbot, is_template=True)
    if how == "deleted":
        post(alice, "delete", chatbot)
    else:
        remove_member(membership=people.alice)
    assert chatbot.name not in page(bob, "templates")
    assert post(bob, "copy", chatbot).status_code == 404


def test_kinds_without_documents_are_not_counted(people: Cast, alice: Client) -> None:
    own = personal_document(people.alice)
    make_chatbot(people.alice, name="Empty")
    chatbot = make_chatbot(people.alice, name="Own", personal=[own])
    shown = re.sub(r" ?([<>]) ?", r"\1", " ".join(page(alice).split()))
    assert "<li>no documents</li>" in shown
    assert "<li>1 personal document</li>" in shown
    header = alice.get(reverse("chatbots:new-chat", args=[chatbot.pk])).content.decode()
    assert "1 personal document" in " ".join(header.split())
    assert "60% personal" not in header, "nothing is shared out"
