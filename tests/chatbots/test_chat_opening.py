"""What a new conversation opens with."""

import pytest
from django.urls import reverse

from chatbots.insights.starter_questions import _in_a_sentence, get_opening
from chatbots.models import Chatbot, Mode
from corpus.ingestion import uploads
from school_library.services import set_published
from tests.factories import (
    Cast,
    finish_answers,
    index_all,
    make_chatbot,
    make_file,
    make_message,
    personal_document,
    school_document,
    signed_in,
)

pytestmark = pytest.mark.django_db

RIVERS = """# Rivers

## Abrasion

Abrasion is the wearing away of the bed of a river by stones that the water carries along.

## Deltas

A delta is a plain that grows where a river drops its load in still water.

## The engineer

Martha Fell planned the locks of the river, and she paid for them herself until the company was founded.

## Review questions

What is abrasion?
"""


@pytest.fixture
def rivers(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice, RIVERS, "rivers.md")])


def fragment(people: Cast, chatbot: Chatbot) -> str:
    return signed_in(people.alice).get(reverse("chatbots:opening", args=[chatbot.pk])).content.decode()


def test_topics_and_questions_come_from_the_documents(rivers: Chatbot) -> None:
    opening = get_opening(rivers)
    assert opening.topics == (rivers.personal_documents.get().title,)
    assert opening.questions == ("What is abrasion?", "What is a delta?", f"Summarise “{opening.topics[0]}”")


def test_each_question_is_answered(people: Cast, rivers: Chatbot) -> None:
    browser = signed_in(people.alice)
    for question in get_opening(rivers).questions:
        sent = browser.post(reverse("chatbots:ask-first", args=[rivers.pk]), {"question": question})
        assert sent.status_code == 302
        assert make_message(people.alice, rivers, question).mode == Mode.GROUNDED
    finish_answers()


def test_the_page_offers_them_and_a_press_asks(people: Cast, rivers: Chatbot) -> None:
    page = fragment(people, rivers)
    assert "What is abrasion?" in page and reverse("chatbots:ask-first", args=[rivers.pk]) in page
    chat = signed_in(people.alice).get(reverse("chatbots:new-chat", args=[rivers.pk])).content.decode()
    assert reverse("chatbots:opening", args=[rivers.pk]) in chat


def test_it_follows_the_documents(people: Cast, rivers: Chatbot) -> None:
    assert "abrasion" in fragment(people, rivers)
    document = rivers.personal_documents.get()
    uploads.replace(
        document,
        make_file("# Lakes\n\n## Ponds\n\nA pond is a small lake that people have dug.\n"),
        by=people.alice.user,
    )
    index_all()
    page = fragment(people, rivers)
    assert "What is a pond?" in page and "abrasion" not in page


def test_a_withdrawn_document_is_no_longer_told_of(people: Cast) -> None:
    document = school_document(people.carol, RIVERS, "rivers.md")
    chatbot = make_chatbot(people.alice, school=[document])
    assert "abrasion" in fragment(people, chatbot)
    set_published(document=document, published=False)
    assert "abrasion" not in fragment(people, chatbot)


def test_without_documents_there_is_nothing(people: Cast) -> None:
    assert get_opening(make_chatbot(people.alice)).questions == ()


def test_german_documents_have_german_questions(people: Cast) -> None:
    text = "# Flüsse\n\n## Mäander\n\nEin Mäander ist eine Schleife, die ein Fluss in die Landschaft zieht.\n\n"
    text += "## Delta\n\nEin Delta ist eine Ebene, die an der Mündung aus den Ablagerungen des Flusses wächst.\n"
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, text, "f.md")], language="de")
    assert "Was ist Mäander?" in get_opening(chatbot).questions


def test_a_common_word_that_a_sentence_begins_with_is_not_asked_about(people: Cast) -> None:
    """A term has to stand in a heading."""
    text = "# Martha Fell\n\n## Her youth\n\nA memory is a thing that she never wrote down in her letters.\n\n"
    text += "## Boats on the river\n\nA boat is a vessel that carries coal down to the harbour.\n\n"
    text += "## Later\n\nThe wall beside a lock is called a coping.\n"
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, text, "fell.md")])
    questions = " ".join(get_opening(chatbot).questions)
    assert "memory" not in questions and "What is a boat?" in questions


@pytest.mark.parametrize(
    "section",
    [
        "## Rivers\n\nRivers are streams of water that flow to the sea.",
        "## The delta\n\nThe delta is a plain that the river made at its mouth.",
        "## Enzymes\n\nEnzymes are proteins that make reactions in cells quicker.",
    ],
)
def test_what_would_be_asked_in_wrong_words_is_not_asked(people: Cast, section: str) -> None:
    document = personal_document(people.alice, f"# Notes\n\n{section}\n", "notes.md")
    opening = get_opening(make_chatbot(people.alice, personal=[document]))
    assert opening.questions == ("Summarise “notes”",)


def test_what_is_named_after_somebody_keeps_the_capital() -> None:
    assert _in_a_sentence("Newton's law", "Newton's law is a rule about forces.") == "Newton's law"
