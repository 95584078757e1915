"""The first steps: files, a chatbot of them, a question."""

import pytest
from django.urls import reverse

from chatbots.models import Chatbot
from corpus.ingestion import uploads
from knowledge.models import PersonalDocument
from tests.factories import Cast, index_all, make_chatbot, make_file, personal_document, signed_in

pytestmark = pytest.mark.django_db

START, UPLOAD, MAKE = (reverse(f"chatbots:{name}") for name in ("start", "start-upload", "start-make"))
RIVERS = "# Rivers\n\n## Abrasion\n\nAbrasion is the wearing away of the bed of a river by stones.\n"


def test_a_name_that_was_suggested_has_the_title_found_meanwhile(people: Cast) -> None:
    browser = signed_in(people.alice)
    browser.post(UPLOAD, {"files": [make_file(RIVERS, "scan0001.md"), make_file("A pond is small.", "pond.txt")]})
    suggested = "scan0001 and pond"
    keys = list(PersonalDocument.objects.order_by("created_at").values_list("pk", flat=True))
    row = browser.get(reverse("knowledge:row", args=[keys[0]]), {"from": "choice"}).content.decode()
    assert "every 1s" in row and "from=choice" in row and f'"#title-{keys[0]}"' in row
    assert "Cancel" not in row and "<form" not in row, "it stands in a form"
    index_all()
    row = browser.get(reverse("knowledge:row", args=[keys[0]]), {"from": "choice"}).content.decode()
    assert f'<span id="title-{keys[0]}">Rivers</span>' in row and "every 1s" not in row
    browser.post(MAKE, {"name": suggested, "suggested": suggested, "documents": keys})
    assert Chatbot.objects.get().name == "Rivers and pond"
    browser.post(MAKE, {"name": "My own", "suggested": suggested, "documents": keys})
    assert Chatbot.objects.filter(name="My own").exists()


def test_from_nothing_to_questions_that_are_answered(people: Cast) -> None:
    browser = signed_in(people.alice)
    assert START in browser.get(reverse("chatbots:list")).content.decode()
    sent = browser.post(UPLOAD, {"files": [make_file(RIVERS, "rivers.md"), make_file("A pond is small.", "pond.txt")]})
    assert (sent.status_code, sent["Location"]) == (302, START)
    page = browser.get(START).content.decode()
    assert page.count('name="documents"') == 2 and page.count(" checked") == 2
    assert page.count('value="rivers and pond"') == 2, "a name is suggested"
    assert "is uploaded" not in page, "the page lists them"
    keys = [str(key) for key in PersonalDocument.objects.values_list("pk", flat=True)]
    made = browser.post(MAKE, {"name": "Rivers 8", "documents": keys})
    chatbot = Chatbot.objects.get(name="Rivers 8")
    assert made["Location"] == reverse("chatbots:new-chat", args=[chatbot.pk])
    assert {str(key) for key in chatbot.personal_links.values_list("document", flat=True)} == set(keys)
    opening = reverse("chatbots:opening", args=[chatbot.pk])
    assert "still being read" in browser.get(opening).content.decode()
    index_all()
    ready = browser.get(opening).content.decode()
    assert "still being read" not in ready and "What is abrasion?" in ready


def test_bad_input_keeps_what_was_typed(people: Cast) -> None:
    browser = signed_in(people.alice)
    first, second = (personal_document(people.alice, name, f"{name}.txt") for name in ("One", "Two"))
    nameless = browser.post(MAKE, {"name": " ", "documents": [first.pk]})
    assert nameless.status_code == 422
    page = nameless.content.decode()
    assert "Give the chatbot a name" in page and page.count(" checked") == 1
    chosen = browser.post(MAKE, {"name": "Kept name", "documents": []})
    assert "Choose at least one document." in chosen.content.decode() and "Kept name" in chosen.content.decode()
    uploads.delete(second)
    gone = browser.post(MAKE, {"name": "Kept name", "documents": [first.pk, second.pk]})
    assert gone.status_code == 422 and "no longer there" in gone.content.decode()
    assert browser.post(UPLOAD, {}).status_code == 422
    assert not Chatbot.objects.exists()


def test_nobody_elses_documents(people: Cast) -> None:
    foreign = [personal_document(member, f"Of {member.user.name}") for member in (people.bob, people.charlie)]
    browser = signed_in(people.alice)
    assert "Of " not in browser.get(START).content.decode()
    for document in foreign:
        assert browser.post(MAKE, {"name": "Mine", "documents": [document.pk]}).status_code == 422
    assert not Chatbot.objects.exists()


def test_documents_that_a_chatbot_reads_are_not_offered(people: Cast) -> None:
    used, unused = (personal_document(people.alice, name, f"{name}.txt") for name in ("Used", "Unused"))
    make_chatbot(people.alice, personal=[used])
    page = signed_in(people.alice).get(START).content.decode()
    assert str(unused.pk) in page and str(used.pk) not in page
    listed = signed_in(people.alice).get(reverse("knowledge:list")).content.decode()
    assert "Ask about these" in listed
    make_chatbot(people.alice, personal=[unused])
    assert "Ask about these" not in signed_in(people.alice).get(reverse("knowledge:list")).content.decode()


def test_files_are_added_where_documents_are_chosen(people: Cast) -> None:
    browser, add = signed_in(people.alice), reverse("chatbots:add-documents")
    files = [make_file(RIVERS, "rivers.md"), make_file("", "empty.txt")]
    added = browser.post(add, {"files": files}).content.decode()
    document = PersonalDocument.objects.get()
    assert (document.owner, document.school) == (people.alice.user, people.alice.school)
    assert f'value="{document.pk}" checked' in added and "reading it now" in added
    assert 'role="alert"' in added and "empty" in added
    assert "Choose at least one file first." in browser.post(add, {}).content.decode()
    assert add in browser.get(reverse("chatbots:create")).content.decode()


def test_settings_are_folded_and_told_in_a_line(people: Cast) -> None:
    browser = signed_in(people.alice)
    page = browser.get(reverse("chatbots:create")).content.decode()
    assert "General · 60% personal · 40% school · 5 passages · refuses what the sources do not answer" in page
    assert '<details class="more-settings">' in page
    form = {"name": "A", "language": "en", "places": 50, "personal_weight": 60, "when_unsure": "refuse"}
    assert '<details class="more-settings" open>' in browser.post(reverse("chatbots:create"), form).content.decode()


def test_pasted_text_leads_back(people: Cast) -> None:
    browser, paste = signed_in(people.alice), reverse("knowledge:paste")
    assert f"{paste}?next=start" in browser.get(START).content.decode()
    sent = browser.post(f"{paste}?next=start", {"title": "Pasted", "text": RIVERS})
    assert sent["Location"] == START and "Pasted" in browser.get(START).content.decode()


def test_of_long_titles_the_suggested_name_has_the_beginning(people: Cast) -> None:
    browser = signed_in(people.alice)
    long = "Volcanoes: how they come to be, where they stand and what becomes of them in the end"
    for title in (long, "The rivers and lakes of the northern countries (year 8)", "Ice", "Wind"):
        browser.post(reverse("knowledge:paste"), {"title": title, "text": f"{title}."})
    assert browser.get(START).context["suggested"] == "Volcanoes, The rivers and lakes and 2 more"
    PersonalDocument.objects.exclude(title=long).delete()
    assert len(browser.get(START).context["suggested"]) <= 60


def test_the_kinds_of_files_come_after_the_button(people: Cast) -> None:
    browser = signed_in(people.alice)
    for path in (START, reverse("knowledge:list")):
        before, _, after = browser.get(path).content.decode().partition("Upload</button>")
        assert "EPUB" not in before.partition("<main")[2] and "EPUB" in after, path
