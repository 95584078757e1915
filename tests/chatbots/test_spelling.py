"""A misspelled question is searched for as it was meant, in words of its own sources only."""

import pytest
from django.urls import reverse

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.source_selection import select_sources
from chatbots.answering.spelling import correct_spelling
from chatbots.insights.unanswered import UnansweredQuestion, search_again
from chatbots.models import Chatbot, Mode
from corpus.ingestion import uploads
from corpus.sources import Vocabulary
from evaluation.models import TestQuestion
from evaluation.test_questions import get_results, run_evaluation
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from school_library.services import set_published
from tests.chatbots.programs import ask, post
from tests.factories import (
    Cast,
    index_all,
    make_chatbot,
    make_file,
    make_message,
    make_program,
    personal_document,
    school_document,
    signed_in,
)
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db

RIVERS = """# Rivers

## Abrasion

Abrasion is the wearing away of the bed of a river by stones that the water carries along.

## Attrition

Attrition is what happens when stones knock against each other and become rounder.
"""
QUESTION, MEANT = "Wat is abrasoin in a rivver?", "What is abrasion in a river?"


@pytest.fixture
def rivers(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice, RIVERS, "rivers.md")])


def correct(chatbot: Chatbot, question: str) -> str:
    return correct_spelling(question, select_sources(chatbot), chatbot.language)


def test_a_misspelled_question_is_answered(people: Cast, rivers: Chatbot) -> None:
    message = make_message(people.alice, rivers, QUESTION)
    assert (message.question, message.searched_for) == (QUESTION, MEANT)
    assert message.mode == Mode.GROUNDED
    assert message.answer.startswith("“Abrasion is the wearing away")


def test_a_question_without_errors_asks_no_source(rivers: Chatbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PersonalSource, "vocabulary", lambda *_: pytest.fail("a source was asked"))
    assert correct(rivers, MEANT) == MEANT


def test_a_word_of_the_documents_is_never_replaced(people: Cast) -> None:
    text = "# Brands\n\nCloudbery is a maker of pumps. Its founder had eaten a cloudberry and liked the cloudberry."
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, text, "brands.md")])
    assert correct(chatbot, "What does cloudbery make?") == "What does cloudbery make?"
    assert correct(chatbot, "What do cloudberys make?") == "What do cloudberys make?", "the same stem"
    assert correct(chatbot, "What do cludbery make?") == "What do cloudbery make?"


def test_words_of_titles_and_headings_are_known(people: Cast) -> None:
    text = "# Zoology\n\n## Axolotl\n\nIt lives in lakes."
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, text, "Quetzalcoatl.md")])
    assert correct(chatbot, "where does the axolotel live?") == "where does the axolotl live?"
    assert correct(chatbot, "who is quetzalcotl?") == "who is quetzalcoatl?"


def test_two_sources_know_their_words_together(people: Cast, rivers: Chatbot) -> None:
    library = school_document(people.carol, "# Brands\n\nAbrasoin is a brand of sandpaper.", "brands.md")
    both = make_chatbot(people.alice, personal=list(PersonalDocument.objects.all()), school=[library])
    assert correct(both, "what is abrasoin in a rivver?") == "what is abrasoin in a river?"
    assert correct(rivers, "what is abrasoin?") == "what is abrasion?"


# Whose words


def test_no_other_school_tells_its_words(people: Cast, rivers: Chatbot) -> None:
    """“Potamology” stands in everything but what Alice's chatbot reads."""
    text = "# Potamology\n\nPotamology is the study of rivers. Potamology, again potamology."
    personal_document(people.charlie, text, "theirs.md")
    school_document(people.chloe, text, "their library.md")
    personal_document(people.bob, text, "a colleague's.md")
    personal_document(people.alice, text, "not linked.md")
    school_document(people.carol, text, "not linked either.md")
    assert correct(rivers, "what is potamolgy in a rivver?") == "what is potamolgy in a river?"
    message = make_message(people.alice, rivers, "What is potamolgy?")
    assert message.searched_for == ""


def test_a_withdrawn_document_tells_no_words(people: Cast) -> None:
    library = school_document(people.carol, RIVERS, "rivers.md")
    chatbot = make_chatbot(people.alice, school=[library])
    sources = select_sources(chatbot)  # before it is withdrawn
    assert correct_spelling(QUESTION, sources, "en") == MEANT
    set_published(document=library, published=False)
    assert correct_spelling(QUESTION, sources, "en") == QUESTION
    assert correct(chatbot, QUESTION) == QUESTION


def test_a_deleted_word_is_not_told(people: Cast, rivers: Chatbot) -> None:
    document = PersonalDocument.objects.get()
    uploads.replace(document, make_file("# Lakes\n\nA lake lies still.", "rivers.md"), by=people.alice.user)
    index_all()
    assert correct(rivers, "What is abrasoin?") == "What is abrasoin?"


# The doors


@pytest.mark.needs("evaluation")
def test_a_page_says_what_was_searched_for(people: Cast, rivers: Chatbot) -> None:
    client = signed_in(people.alice)
    message = make_message(people.alice, rivers, QUESTION)
    page = client.get(reverse("chatbots:turn", args=[message.pk])).content.decode()
    assert page.count(f"Searched for: {MEANT}") == 1
    tried = client.post(reverse("evaluation:try-search", args=[rivers.pk]), {"question": QUESTION}).content.decode()
    assert tried.count(f"Searched for: {MEANT}") == 1
    tried = client.post(reverse("evaluation:try-search", args=[rivers.pk]), {"question": MEANT}).content.decode()
    assert "Searched for" not in tried


def test_programs_are_told_what_was_searched_for(people: Cast, rivers: Chatbot) -> None:
    program = make_program(people.alice)
    assert ask(program, rivers, QUESTION).json()["searched_for"] == MEANT
    found = post(program, f"chatbots/{rivers.pk}/search", {"query": QUESTION}).json()
    assert found["searched_for"] == MEANT
    assert found["passages"][0]["heading_path"][-1] == "Abrasion"
    assert post(program, f"chatbots/{rivers.pk}/search", {"query": MEANT}).json()["searched_for"] == ""


def test_a_test_question_may_be_misspelled(people: Cast, rivers: Chatbot) -> None:
    document = PersonalDocument.objects.get()
    pinned = TestQuestion.objects.create(
        school_id=rivers.school_id,
        chatbot=rivers,
        question=QUESTION,
        kind="personal",
        document_id=document.pk,
        document_title=document.title,
    )
    assert get_results(run_evaluation(rivers), [pinned])[pinned.pk].passed


def test_an_unanswered_question_is_searched_again_as_it_was_meant(people: Cast) -> None:
    document = personal_document(people.alice, "# Lakes\n\nA lake lies still.", "rivers.md")
    chatbot = make_chatbot(people.alice, personal=[document])
    message = make_message(people.alice, chatbot, "What is abrasoin?")
    assert (message.mode, message.searched_for) == (Mode.REFUSED, "")
    uploads.replace(document, make_file(RIVERS, "rivers.md"), by=people.alice.user)
    index_all()
    assert search_again(UnansweredQuestion([message], set()))
    assert message.tried["found"]


def test_a_follow_up_is_corrected_before_it_is_combined(people: Cast, rivers: Chatbot) -> None:
    first = make_message(people.alice, rivers, QUESTION)
    second = make_message(people.alice, rivers, "adn attritoin?", chat=first.chat)
    assert second.searched_for == "What is abrasion in a river / and attrition / Abrasion"
    assert second.answer.startswith("“Attrition is what happens")


def test_a_language_model_reads_what_was_typed(people: Cast, rivers: Chatbot, model: type[ScriptedLLM]) -> None:
    model.enqueue("Stones wear the bed away [1].")
    first = make_message(people.alice, rivers, QUESTION)
    assert first.searched_for == MEANT
    assert QUESTION in model.history[-1].messages[-1].content
    assert MEANT not in model.history[-1].messages[-1].content
    model.enqueue("Stones become rounder [1].")
    second = make_message(people.alice, rivers, "and attritoin?", chat=first.chat)
    assert "and attritoin?" in model.asked_to_rewrite[-1].messages[-1].content
    assert second.searched_for == "and attrition?", "the model has written what it read"


def test_a_source_that_fails_corrects_nothing(rivers: Chatbot, caplog: pytest.LogCaptureFixture) -> None:
    (working,) = select_sources(rivers)

    class Failing(PersonalSource):
        def __init__(self) -> None:
            self.documents = {}

        def vocabulary(self, words: object) -> Vocabulary:
            raise OSError("broken")

    assert correct_spelling(QUESTION, [working, WeightedSource(Failing(), 0)], "en") == QUESTION
    assert "The personal source failed" in caplog.text
    assert "abrasoin" not in caplog.text
    assert correct_spelling(QUESTION, [], "en") == QUESTION
