"""Lists of documents: search, order, subjects, and what is done with several documents at once, for both kinds."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot
from corpus.models import Status
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.factories import Cast, make_chatbot, personal_document, school_document, signed_in

pytestmark = pytest.mark.django_db

LIST, SELECTED = reverse("knowledge:list"), reverse("knowledge:selected")
LIBRARY, LIBRARY_SELECTED = reverse("school_library:list"), reverse("school_library:selected")
GIVE = reverse("chatbots:give")


@pytest.fixture
def alice(people: Cast) -> Client:
    return signed_in(people.alice)


@pytest.fixture
def own(people: Cast) -> list[PersonalDocument]:
    """Three documents of Alice, the first added first."""
    texts = {"Rivers": "# Rivers\n\nMeanders erode.", "acids": "# Acids\n\nTitration.", "Bases": "# Bases\n\nSoap."}
    return [personal_document(people.alice, text, f"{title}.md", title=title) for title, text in texts.items()]


def titles(client: Client, url: str = LIST, **query: str) -> list[str]:
    return [row.document.title for row in client.get(url, query).context["rows"]]


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def keys(documents: list[Any]) -> list[str]:
    return [str(document.pk) for document in documents]


def test_own_documents_are_searched(alice: Client, own: list[PersonalDocument]) -> None:
    assert titles(alice, words="river") == ["Rivers"]
    assert titles(alice, words="bases.md") == ["Bases"], "by its file name"
    assert titles(alice, words="eroding") == ["Rivers"], "by another form of a word in the text"
    assert titles(alice, words="' OR 1=1 --") == []
    page = alice.get(LIST, {"words": "xyzzy"}).content.decode()
    assert "Nothing found" in page
    assert 'value="xyzzy"' in page


@pytest.mark.parametrize("words", ["H2O", "h₂o", "-5", "−5", "freezes -5", "water (-5)"])
def test_signs_are_text(alice: Client, people: Cast, own: list[PersonalDocument], words: str) -> None:
    personal_document(people.alice, "# A\n\nWater freezes, H₂O too, at −5 degrees.\n", "a.md", title="Ice")
    assert titles(alice, words=words) == ["Ice"]
    personal_document(people.alice, "# B\n\nNothing here.\n", "b.md", title="Water (−5) freezes: H₂O")
    assert titles(alice, words=words)[0] == "Water (−5) freezes: H₂O"


def test_a_text_is_searched_in_its_own_language(alice: Client, people: Cast) -> None:
    text = "# Flüsse\n\nDie Häuser an den Flüssen werden bei Hochwasser nass, und die Brücken sind dann gesperrt.\n"
    personal_document(people.alice, text, "de.md", title="Wasser")
    assert PersonalDocument.objects.get().language == "german"
    assert titles(alice, words="Haus") == ["Wasser"]


def test_own_documents_are_sorted_and_filtered(alice: Client, own: list[PersonalDocument]) -> None:
    assert titles(alice) == ["Bases", "acids", "Rivers"], "the newest first"
    assert titles(alice, sort="name") == ["acids", "Bases", "Rivers"]
    PersonalDocument.objects.filter(title="Rivers").update(subject="Geography")
    PersonalDocument.objects.filter(title="Bases").update(subject="chemistry", status=Status.FAILED)
    PersonalDocument.objects.filter(title="acids").update(status=Status.INDEXING)
    assert titles(alice, sort="subject") == ["Bases", "Rivers", "acids"], "those without a subject come last"
    assert titles(alice, sort="status") == ["Bases", "acids", "Rivers"]
    assert titles(alice, status="failed") == ["Bases"]
    assert titles(alice, status="pending") == ["acids"]
    assert titles(alice, status="ready") == ["Rivers"]
    assert titles(alice, subject="Geography") == ["Rivers"]
    assert titles(alice, sort="owner__password", status="x") == ["Bases", "acids", "Rivers"], "as if nothing was asked"


def test_the_list_has_a_checkbox_for_each_and_one_form(alice: Client, own: list[PersonalDocument]) -> None:
    page = alice.get(LIST, {"words": "river", "sort": "name"}).content.decode()
    assert f'name="documents" value="{own[0].pk}" form="selected"' in page
    assert page.count('form="selected"') == 1
    assert '<input type="hidden" name="back" value="words=river&amp;sort=name">' in page


def test_several_are_deleted_after_a_question(alice: Client, own: list[PersonalDocument]) -> None:
    sent = {"action": "delete", "documents": keys(own[:2]), "back": "sort=name"}
    question = alice.post(SELECTED, sent).content.decode()
    assert "Delete 2 documents?" in question
    assert all(title in question for title in ("Rivers", "acids"))
    assert PersonalDocument.objects.count() == 3
    response = alice.post(SELECTED, sent | {"confirmed": "1"})
    assert response.headers["Location"] == f"{LIST}?sort=name"
    assert said(response) == ["2 documents were deleted."]
    assert [document.title for document in PersonalDocument.objects.all()] == ["Bases"]


def test_several_are_filed_under_a_subject(alice: Client, own: list[PersonalDocument]) -> None:
    PersonalDocument.objects.filter(title="Rivers").update(subject="Science")
    chosen = {"action": "subject", "documents": keys(own[1:])}
    page = alice.post(SELECTED, chosen).content.decode()
    assert "Subject of 2 documents" in page
    assert '<option value="Science">' in page
    long = alice.post(SELECTED, chosen | {"subject": "x" * 61})
    assert (long.status_code, "At most 60 characters." in long.content.decode()) == (422, True)
    assert "x" * 61 in long.content.decode(), "what was typed is kept"
    assert all(key in long.content.decode() for key in keys(own[1:])), "and what was chosen"
    response = alice.post(SELECTED, chosen | {"subject": " science "})
    assert said(response) == ["2 documents are filed under “Science”."]
    assert titles(alice, subject="Science", sort="name") == ["acids", "Bases", "Rivers"]
    assert said(alice.post(SELECTED, chosen | {"subject": ""})) == ["2 documents are without a subject now."]
    assert titles(alice, subject="Science") == ["Rivers"]


def test_a_subject_that_is_spelt_anew_is_so_everywhere(alice: Client, own: list[PersonalDocument]) -> None:
    PersonalDocument.objects.filter(title__in=("Rivers", "acids")).update(subject="science")
    alice.post(SELECTED, {"action": "subject", "documents": keys(own[:1]), "subject": "Science"})
    assert set(PersonalDocument.objects.values_list("subject", flat=True)) == {"Science", ""}


def test_several_are_read_again(alice: Client, own: list[PersonalDocument]) -> None:
    PersonalDocument.objects.filter(title="acids").update(status=Status.INDEXING)
    response = alice.post(SELECTED, {"action": "again", "documents": keys(own)})
    assert said(response) == ["2 documents will be read again.", "One document is being read already."]
    assert PersonalDocument.objects.filter(status=Status.QUEUED).count() == 2


def test_several_are_given_to_chatbots(alice: Client, people: Cast, own: list[PersonalDocument]) -> None:
    first = make_chatbot(people.alice, name="First", personal=own[:1])
    second, other = make_chatbot(people.alice, name="Second"), make_chatbot(people.alice, name="Other")
    sent = {"kind": "personal", "documents": keys(own[:2])}
    page = alice.post(GIVE, sent).content.decode()
    assert "Give 2 documents to a chatbot" in page
    assert "(reads 1 of them already)" in page
    none = alice.post(GIVE, sent | {"asked": "1"})
    assert (none.status_code, "Choose at least one chatbot." in none.content.decode()) == (422, True)
    response = alice.post(GIVE, sent | {"asked": "1", "chatbots": [first.pk, second.pk]})
    assert response.headers["Location"] == LIST
    assert said(response) == ["“First”, “Second” read these 2 documents from the next question on."]
    assert [bot.personal_links.count() for bot in (first, second, other)] == [2, 2, 0]


def test_without_a_chatbot_it_leads_to_a_new_one(alice: Client, own: list[PersonalDocument]) -> None:
    page = alice.post(GIVE, {"kind": "personal", "documents": keys(own)}).content.decode()
    assert f'href="{reverse("chatbots:create")}"' in page


def test_teachers_give_library_documents_to_their_chatbots(people: Cast) -> None:
    document, bot = school_document(people.carol), make_chatbot(people.bob)
    bob = signed_in(people.bob)
    page = bob.get(LIBRARY).content.decode()
    assert "Give to a chatbot" in page
    assert 'value="delete"' not in page
    bob.post(GIVE, {"kind": "school", "documents": [document.pk], "chatbots": [bot.pk]})
    assert bot.school_links.get().document == document
    SchoolDocument.objects.update(is_published=False)
    bot.school_links.all().delete()
    bob.post(GIVE, {"kind": "school", "documents": [document.pk], "chatbots": [bot.pk]})
    assert not bot.school_links.exists(), "it is withdrawn"


def test_nothing_chosen_is_said(alice: Client, own: list[PersonalDocument]) -> None:
    for url, sent in ((SELECTED, {"action": "delete"}), (GIVE, {"kind": "personal"})):
        response = alice.post(url, sent | {"documents": ["nonsense"], "confirmed": "1"})
        assert response.headers["Location"] == LIST
        assert said(response)[-1:] == ["Choose documents first: tick the boxes beside them."]
    assert alice.post(SELECTED, {"action": "burn", "documents": keys(own)}).status_code == 404
    assert alice.post(GIVE, {"kind": "web", "documents": keys(own)}).status_code == 404
    assert PersonalDocument.objects.count() == 3
    quiet = alice.post(SELECTED, {"action": "delete"}, headers={"HX-Request": "true"})
    assert quiet.headers["HX-Redirect"] == LIST, "a dialog would stay empty"


@pytest.mark.parametrize("action", ["again", "subject", "delete"])
def test_documents_of_others_stay_as_they_are(people: Cast, own: list[PersonalDocument], action: str) -> None:
    mine = personal_document(people.bob, "# Mine\n", "mine.md")
    before = list(PersonalDocument.objects.filter(owner=people.alice.user).order_by("pk").values())
    sent = {"action": action, "confirmed": "1", "subject": "Taken", "documents": keys([*own, mine])}
    for stranger in (people.bob, people.carol, people.charlie, people.chloe):
        response = signed_in(stranger).post(SELECTED, sent)
        number = 3 if stranger == people.bob else 4
        words = f"{number} of the documents you chose were not found; perhaps somebody has deleted or withdrawn them"
        assert any(words in message for message in said(response)), "as if they had been deleted"
        assert list(PersonalDocument.objects.filter(owner=people.alice.user).order_by("pk").values()) == before


def test_only_admins_of_the_school_change_several_of_its_library(people: Cast) -> None:
    documents = [school_document(people.carol, f"# Paper {number}\n", f"{number}.md") for number in range(2)]
    before = list(SchoolDocument.objects.order_by("pk").values())
    for action in ("again", "subject", "delete"):
        sent = {"action": action, "confirmed": "1", "subject": "Taken", "documents": keys(documents)}
        assert signed_in(people.alice).post(LIBRARY_SELECTED, sent).status_code == 403
        for stranger in (people.charlie, people.chloe):
            assert signed_in(stranger).post(LIBRARY_SELECTED, sent).headers["Location"] == LIBRARY
        assert list(SchoolDocument.objects.order_by("pk").values()) == before
    carol = signed_in(people.carol)
    carol.post(LIBRARY_SELECTED, sent | {"action": "subject", "subject": "Rules"})
    assert set(SchoolDocument.objects.values_list("subject", flat=True)) == {"Rules"}
    carol.post(LIBRARY_SELECTED, sent)
    assert not SchoolDocument.objects.exists()


def test_chatbots_and_documents_of_others_are_not_linked(people: Cast, own: list[PersonalDocument]) -> None:
    bots: list[Chatbot] = [make_chatbot(member) for member in (people.alice, people.bob, people.charlie)]
    theirs = personal_document(people.bob, "# Mine\n", "mine.md")
    library = school_document(people.carol)
    for stranger in (people.bob, people.charlie):
        client = signed_in(stranger)
        for kind, documents in (("personal", own), ("school", [library])):
            if kind == "school" and stranger == people.bob:
                continue
            client.post(GIVE, {"kind": kind, "documents": keys(documents), "chatbots": keys(bots)})
    signed_in(people.bob).post(GIVE, {"kind": "personal", "documents": [theirs.pk], "chatbots": [bots[0].pk]})
    assert [(bot.personal_links.count(), bot.school_links.count()) for bot in bots] == [(0, 0)] * 3


def test_anonymous_people_are_sent_to_sign_in() -> None:
    for url in (SELECTED, LIBRARY_SELECTED, GIVE):
        assert Client().post(url).headers["Location"].startswith(reverse("account_login"))


def test_a_title_is_changed_together_with_the_subject(alice: Client, own: list[PersonalDocument]) -> None:
    url = reverse("knowledge:rename", args=[own[0].pk])
    alice.post(url, {"title": "Rivers", "subject": "Geography"})
    own[0].refresh_from_db()
    assert (own[0].title, own[0].subject) == ("Rivers", "Geography")
    page = alice.get(LIST).content.decode()
    assert f'<a href="{LIST}?subject=Geography">Geography</a>' in page


def test_lists_of_the_api_are_searched_and_ordered(alice: Client, own: list[PersonalDocument]) -> None:
    def found(**query: str) -> list[str]:
        return [one["title"] for one in alice.get("/api/v1/documents", query).json()["results"]]

    alice.patch(f"/api/v1/documents/{own[0].pk}", {"subject": "Geography"}, "application/json")
    assert found() == ["Bases", "acids", "Rivers"]
    assert found(ordering="created_at") == ["Rivers", "acids", "Bases"]
    assert found(ordering="-subject")[0] == "Rivers"
    assert found(search="titration") == ["acids"]
    assert found(subject="geography") == ["Rivers"]
    assert alice.get("/api/v1/documents", {"ordering": "owner"}).status_code == 400
    first = alice.get("/api/v1/documents", {"ordering": "created_at", "limit": "2"}).json()
    second = alice.get(first["next"]).json()
    assert [one["title"] for one in (*first["results"], *second["results"])] == ["Rivers", "acids", "Bases"]
