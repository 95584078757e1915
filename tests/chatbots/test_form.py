"""The form of a chatbot: weights, places, documents one by one or by subject, and the preview (C1, H2 to H4, L2)."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from chatbots.forms import SMALL_LIBRARY, ChatbotForm
from chatbots.models import Chatbot
from school_library.models import SchoolDocument
from school_library.services import set_published
from schools.models import Membership
from tests.factories import Cast, get_weights, make_chatbot, personal_document, school_document

pytestmark = pytest.mark.django_db
BASE = {"name": "Helper", "language": "en", "personal_weight": 60, "places": 5, "when_unsure": "refuse"}


@pytest.fixture
def alice(people: Cast) -> Client:
    return sign_in(people.alice)


def sign_in(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def paper(people: Cast, title: str, subject: str = "", **fields: Any) -> SchoolDocument:
    """A library document that nobody has read yet: a chatbot may be given it all the same."""
    return SchoolDocument.objects.create(
        school=people.carol.school, title=title, subject=subject, **{"is_published": True} | fields
    )


def save(client: Client, **data: Any) -> Chatbot:
    response = client.post(reverse("chatbots:create"), BASE | data)
    assert response.status_code == 302, response.context["form"].errors
    return Chatbot.objects.latest("created_at")


def refused(client: Client, **data: Any) -> dict[str, list[str]]:
    before = Chatbot.objects.count()
    response = client.post(reverse("chatbots:create"), BASE | data)
    assert (response.status_code, Chatbot.objects.count()) == (422, before)
    errors: dict[str, list[str]] = response.context["form"].errors
    return errors


def titles(chatbot: Chatbot) -> set[str]:
    return set(chatbot.school_documents.values_list("title", flat=True))


def preview(client: Client, **data: Any) -> str:
    response = client.post(reverse("chatbots:places"), BASE | data)
    assert response.status_code == 200
    words = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(words.split())


@pytest.mark.parametrize("weight", [0, 5, 60, 100])
def test_the_weights_add_up_to_100(alice: Client, weight: int) -> None:
    chatbot = save(alice, personal_weight=weight)
    assert get_weights(chatbot) == {"personal": weight, "school": 100 - weight}


@pytest.mark.parametrize("weight", [-1, 101, "", "half", 59.5])
def test_a_weight_that_is_none_is_refused(alice: Client, weight: Any) -> None:
    assert "personal_weight" in refused(alice, personal_weight=weight)


@pytest.mark.parametrize("places", [1, 20])
def test_one_to_twenty_places(alice: Client, places: int) -> None:
    assert save(alice, places=places).places == places


@pytest.mark.parametrize("places", [0, 21, -5, "", "many", 10**30])
def test_other_numbers_of_places_are_refused(alice: Client, places: Any) -> None:
    assert "places" in refused(alice, places=places)


def test_a_form_that_is_refused_keeps_what_was_typed(alice: Client, people: Cast) -> None:
    policy = paper(people, "Policy")
    data = BASE | {"places": 0, "name": "Typed", "school_documents": [policy.pk]}
    page = alice.post(reverse("chatbots:create"), data).content.decode()
    assert 'value="Typed"' in page
    assert "Nothing you typed is lost" in page
    assert re.search(rf'value="{policy.pk}"[^>]* checked', page)


def test_documents_of_others_are_refused(people: Cast, alice: Client) -> None:
    theirs = personal_document(people.bob, indexed=False)
    elsewhere = school_document(people.chloe, indexed=False)
    withdrawn = paper(people, "Withdrawn", is_published=False)
    for name, key in (
        ("personal_documents", theirs.pk),
        ("personal_documents", uuid4()),
        ("school_documents", elsewhere.pk),
        ("school_documents", withdrawn.pk),
        ("school_documents", theirs.pk),
        ("school_documents", "nonsense"),
    ):
        errors = refused(alice, **{name: [key]})
        assert list(errors) == [name]
        assert theirs.title not in str(errors)


def test_whole_subjects_are_linked_with_what_is_ticked(people: Cast, alice: Client) -> None:
    for title, subject in (("Acids", "Science"), ("Forces", "Science"), ("Poems", "English")):
        paper(people, title, subject)
    paper(people, "Draft", "Science", is_published=False)
    handbook = paper(people, "Handbook")
    paper(people, "Calendar")
    SchoolDocument.objects.create(school=people.chloe.school, title="Theirs", subject="Science")
    chatbot = save(alice, subjects=["Science"], school_documents=[handbook.pk])
    assert titles(chatbot) == {"Acids", "Forces", "Handbook"}
    assert titles(save(alice, subjects=["Science", "English"])) == {"Acids", "Forces", "Poems"}
    assert titles(save(alice)) == set()


def test_a_subject_adds_what_is_there_now(people: Cast, alice: Client) -> None:
    acids = paper(people, "Acids", "Science")
    chatbot = save(alice, subjects=["Science"])
    later = paper(people, "Later", "Science")
    assert titles(chatbot) == {"Acids"}
    edit = reverse("chatbots:edit", args=[chatbot.pk])
    page = alice.get(edit)
    assert "adds the documents that it has now" in page.content.decode()
    assert page.context["form"]["subjects"].value() is None
    alice.post(edit, BASE | {"school_documents": [acids.pk], "subjects": ["Science"]})
    assert titles(chatbot) == {"Acids", "Later"}
    alice.post(edit, BASE | {"school_documents": [later.pk]})
    assert titles(chatbot) == {"Later"}


def test_a_withdrawn_document_stays_linked_when_a_subject_is_added(people: Cast, alice: Client) -> None:
    withdrawn = paper(people, "Withdrawn", "Science")
    chatbot = make_chatbot(people.alice, school=[withdrawn])
    set_published(document=withdrawn, published=False)
    paper(people, "Acids", "Science")
    alice.post(reverse("chatbots:edit", args=[chatbot.pk]), BASE | {"subjects": ["Science"]})
    assert titles(chatbot) == {"Acids", "Withdrawn"}


def test_subjects_are_those_of_the_published_library(people: Cast) -> None:
    for title, subject in (("A", "Science"), ("B", "Science"), ("C", "Art"), ("D", "")):
        paper(people, title, subject)
    paper(people, "E", "Drama", is_published=False)
    SchoolDocument.objects.create(school=people.chloe.school, title="F", subject="Latin")
    form = ChatbotForm(member=people.alice)
    assert form.fields["subjects"].choices == [("Art", "Art (1)"), ("Science", "Science (2)")]  # type: ignore[attr-defined]


@pytest.mark.parametrize("subject", ["Latin", "", "%", "Science "])
def test_other_subjects_are_refused(people: Cast, alice: Client, subject: str) -> None:
    paper(people, "A", "Science")
    paper(people, "B")
    SchoolDocument.objects.create(school=people.chloe.school, title="F", subject="Latin")
    assert list(refused(alice, subjects=[subject])) == ["subjects"]


def test_the_library_stands_by_subject(people: Cast, alice: Client) -> None:
    for title, subject in (("Forces", "Science"), ("Acids", "Science"), ("Handbook", ""), ("Ink", "Art")):
        paper(people, title, subject)
    page = alice.get(reverse("chatbots:create")).content.decode()
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    order = [
        "Art (1)",
        "Ink",
        "Science (2)",
        "All 2 documents of “Science”",
        "Acids",
        "Forces",
        "Without a subject (1)",
    ]
    places = [words.index(part) for part in [*order, "Handbook"]]
    assert places == sorted(places)
    assert "documents of “Art”" not in words
    assert page.count('<details class="subject" open>') == 3


def test_of_a_long_library_only_subjects_in_use_stand_open(people: Cast, alice: Client) -> None:
    for number in range(SMALL_LIBRARY):
        paper(people, f"Art {number}", "Art")
    chatbot = make_chatbot(people.alice, school=[paper(people, "Acids", "Science")])
    page = alice.get(reverse("chatbots:edit", args=[chatbot.pk])).content.decode()
    assert re.findall(r'<details class="subject"( open)?>\s*<summary>(\w+)', page) == [
        ("", "Art"),
        (" open", "Science"),
    ]


def test_an_empty_library_is_said(alice: Client) -> None:
    page = alice.get(reverse("chatbots:create")).content.decode()
    assert "The library of your school is empty so far." in page
    assert "A whole subject adds" not in page


def test_the_preview_of_both_sides(people: Cast, alice: Client) -> None:
    own, policy = personal_document(people.alice, indexed=False), paper(people, "Policy")
    both = {"personal_documents": [own.pk], "school_documents": [policy.pk]}
    said = preview(alice, **both)
    assert "3 personal · 2 school passages" in said
    assert "Sources: acids; Policy." in said
    assert "5 personal · 5 school" in preview(alice, **both, personal_weight=50, places=10)
    assert "1 personal · 0 school" in preview(alice, **both, places=1)
    weightless = preview(alice, **both, personal_weight=0)
    assert "0 personal · 5 school" in weightless
    assert "With a share of 0% nothing is searched in personal documents." in weightless
    assert "acids" not in weightless
    weightless = preview(alice, **both, personal_weight=100)
    assert "5 personal · 0 school" in weightless
    assert "With a share of 0% nothing is searched in the school’s library." in weightless
    assert "Policy" not in weightless


@pytest.mark.parametrize("weight", [0, 60, 100])
def test_the_preview_of_one_side_alone(people: Cast, alice: Client, weight: int) -> None:
    """It has all places, whatever its weight."""
    own, policy = personal_document(people.alice, indexed=False), paper(people, "Policy")
    said = preview(alice, personal_documents=[own.pk], personal_weight=weight)
    assert "5 personal · 0 school" in said
    assert "Nothing is chosen from the school’s library, so the others take all places." in said
    said = preview(alice, school_documents=[policy.pk], personal_weight=weight)
    assert "0 personal · 5 school" in said
    assert "Nothing is chosen from personal documents, so the others take all places." in said


def test_the_preview_of_nothing(alice: Client) -> None:
    said = preview(alice)
    assert "No document is chosen yet, so this chatbot cannot answer anything." in said
    assert "personal ·" not in said


def test_the_preview_counts_subjects(people: Cast, alice: Client) -> None:
    acids = paper(people, "Acids", "Science")
    paper(people, "Forces", "Science")
    paper(people, "Draft", "Science", is_published=False)
    SchoolDocument.objects.create(school=people.chloe.school, title="Theirs", subject="Science")
    said = preview(alice, subjects=["Science"], school_documents=[acids.pk])
    assert "0 personal · 5 school" in said
    assert "Sources: Acids, Forces." in said


def test_the_preview_bears_what_is_wrong(people: Cast, alice: Client) -> None:
    theirs = personal_document(people.bob, indexed=False)
    said = preview(alice, name="", places="x", personal_weight=900, subjects=["Latin"], personal_documents=[theirs.pk])
    assert "No document is chosen yet" in said
    assert theirs.title not in said


def test_the_first_preview_is_that_of_the_chatbot_as_it_stands(people: Cast, alice: Client) -> None:
    chatbot = make_chatbot(people.alice, school=[paper(people, "Policy")], personal_weight=25, places=8)
    page = alice.get(reverse("chatbots:edit", args=[chatbot.pk])).content.decode()
    assert "0 personal · 8 school" in page
    assert "75%" in page


def test_documents_of_one_title_say_which_they_are(people: Cast, alice: Client) -> None:
    for name in ("notes.md", "notes.txt", "plan.md"):
        personal_document(people.alice, f"# About {name}\n\nText.", name)
    page = alice.get(reverse("chatbots:create")).content.decode()
    day = date_format(localtime(), "j M Y")
    assert f"notes (notes.md, {day})" in page
    assert f"notes (notes.txt, {day})" in page
    assert "plan (" not in page


def test_spellings_of_a_subject_are_one_choice(people: Cast, alice: Client) -> None:
    for title, subject in (("Rules", "Whole school"), ("Fire", "whole school")):
        paper(people, title, subject)
    choices = alice.get(reverse("chatbots:create")).context["form"].fields["subjects"].choices
    assert [label.casefold() for _, label in choices] == ["whole school (2)"]
    assert titles(save(alice, subjects=[choices[0][0]])) == {"Rules", "Fire"}
