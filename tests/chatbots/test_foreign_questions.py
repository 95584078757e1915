"""Questions in another language than the documents."""

import pytest

from chatbots.answering.refusals import get_refusal_sentence
from chatbots.answering.retrieval import retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot, Mode
from tests.factories import Cast, make_chatbot, make_message, school_document

pytestmark = pytest.mark.django_db

GERMAN = """# Laborordnung

## Schutzbrillen

Im Labor werden immer Schutzbrillen getragen, sobald eine Flüssigkeit offen auf dem Tisch steht.

## Abfälle

Reste von Metallen kommen in die blaue Flasche neben der Tür. Die Lehrkraft leert sie am Freitag.
"""


@pytest.fixture
def safety(people: Cast) -> Chatbot:
    """A chatbot that reads an English document, and writes German."""
    return make_chatbot(people.alice, school=[school_document(people.carol)], language="de")


QUESTIONS = [
    "Wann müssen Schüler Schutzbrillen tragen?",
    "Quand les élèves doivent-ils porter des lunettes de protection ?",
    "¿Cuándo deben llevar los alumnos gafas de seguridad?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_english_passage_is_found_and_quoted(people: Cast, safety: Chatbot, question: str) -> None:
    message = make_message(people.alice, safety, question)
    assert (message.mode, message.searched_for, message.notice) == (Mode.GROUNDED, "", "")
    assert "“Goggles are worn whenever a liquid other than water is open on the bench." in message.answer
    assert message.answer.endswith("*Hier ist kein Sprachmodell eingerichtet: Dies sind Zitate.*")
    assert message.sources.get(number=1).heading_path == ["Laboratory safety policy", "Goggles"]


def test_its_quotations_are_supported(people: Cast, safety: Chatbot) -> None:
    message = make_message(people.alice, safety, QUESTIONS[0])
    assert message.support and {state for state, _ in message.support.values()} == {"supported"}


def test_a_reader_that_knows_english_is_not_asked_about_it(safety: Chatbot) -> None:
    foreign, english = (
        retrieve(question, select_sources(safety), places=5).placed[0].passage
        for question in (QUESTIONS[0], "When must pupils wear goggles?")
    )
    assert foreign.key == english.key
    assert foreign.reading is None and english.reading is not None


def test_a_german_passage_is_found_for_an_english_question(people: Cast) -> None:
    document = school_document(people.carol, GERMAN, "labor.md")
    message = make_message(people.alice, make_chatbot(people.alice, school=[document]), "When must we wear goggles?")
    assert message.mode == Mode.GROUNDED
    assert "Im Labor werden immer Schutzbrillen getragen" in message.answer
    assert message.answer.endswith("*No language model is set up here: these are quotations.*")


def test_a_follow_up_is_searched_for_with_what_it_refers_to(people: Cast, safety: Chatbot) -> None:
    first = make_message(people.alice, safety, "Wie stark dürfen Säuren sein?")
    second = make_message(people.alice, safety, "Und wann tragen wir Schutzbrillen?", chat=first.chat)
    assert "at most 1 mol/l" in first.answer
    assert "Goggles are worn" in second.answer


@pytest.mark.parametrize(
    "question",
    ["Wer war der erste König von Spanien?", "Qui a gagné la coupe du monde ?", "¿Cuál es la capital de Mongolia?"],
)
def test_what_no_document_answers_is_refused(people: Cast, safety: Chatbot, question: str) -> None:
    message = make_message(people.alice, safety, question)
    assert (message.mode, message.answer, message.notice) == (Mode.REFUSED, get_refusal_sentence("de"), "")


def test_words_decide_where_a_text_only_seems_to_be_in_another_language(people: Cast) -> None:
    """A table of names and numbers has no language: it counts as English."""
    table = "| 9b | Mo | Di |\n| --- | --- | --- |\n| 1 | Chemie Wolff | Sport Uhl |\n| 2 | Musik Baum | Kunst Lenz |\n"
    chatbot = make_chatbot(people.alice, school=[school_document(people.carol, table, "plan.md")], language="de")
    assert "Chemie" in make_message(people.alice, chatbot, "Wann hat die 9b Chemie mit Wolff?").answer


def test_only_the_chatbots_own_documents_are_searched(people: Cast, safety: Chatbot) -> None:
    school_document(people.carol, "# Secret\n\nPupils wear goggles on Saturday, says the secret note.\n", "secret.md")
    message = make_message(people.alice, safety, QUESTIONS[0])
    assert {source.document_title for source in message.sources.all()} == {"safety"}
    assert "Saturday" not in message.answer
