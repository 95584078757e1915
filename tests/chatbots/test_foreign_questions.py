"""Questions in another language than the documents."""

from dataclasses import dataclass, field
from typing import cast

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chatbots.answering.explanations import find_closest
from chatbots.answering.foreign_questions import search_in_their_language
from chatbots.answering.refusals import get_other_language_notice, get_refusal_sentence
from chatbots.answering.retrieval import Retrieval, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.answering.standalone_search import search_standalone
from chatbots.models import Chatbot, Mode
from engines.embedding import Embedder, get_embedder
from tests.factories import Cast, make_chatbot, make_message, school_document, signed_in

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


@dataclass
class Searches:
    """Searches of a chatbot's sources, and what was searched for."""

    chatbot: Chatbot
    asked: list[str] = field(default_factory=list)

    def __call__(self, text: str) -> Retrieval:
        self.asked.append(text)
        return retrieve(text, select_sources(self.chatbot), places=5)


@pytest.mark.parametrize(
    ("question", "gloss"),
    [
        ("Wann müssen Schüler Schutzbrillen tragen?", "when must pupil goggles wear"),
        ("Quand les élèves doivent-ils porter des lunettes de protection ?", "when pupil must they wear some goggles"),
        ("¿Cuándo deben llevar los alumnos gafas de seguridad?", "when must wear pupil goggles"),
    ],
)
def test_an_english_passage_is_found_and_quoted(people: Cast, safety: Chatbot, question: str, gloss: str) -> None:
    message = make_message(people.alice, safety, question)
    assert (message.mode, message.searched_for, message.notice) == (Mode.GROUNDED, gloss, "")
    assert "“Goggles are worn whenever a liquid other than water is open on the bench." in message.answer
    assert message.answer.endswith("*Hier ist kein Sprachmodell eingerichtet: Dies sind Zitate.*")
    assert message.sources.get(number=1).heading_path == ["Laboratory safety policy", "Goggles"]


def test_its_quotations_are_supported(people: Cast, safety: Chatbot) -> None:
    message = make_message(people.alice, safety, "Wann müssen Schüler Schutzbrillen tragen?")
    assert message.support and {state for state, _ in message.support.values()} == {"supported"}


def test_a_german_passage_is_found_for_an_english_question(people: Cast) -> None:
    document = school_document(people.carol, GERMAN, "labor.md")
    message = make_message(people.alice, make_chatbot(people.alice, school=[document]), "When must we wear goggles?")
    assert message.mode == Mode.GROUNDED
    assert "Schutzbrille" in message.searched_for
    assert "Im Labor werden immer Schutzbrillen getragen" in message.answer
    assert message.answer.endswith("*No language model is set up here: these are quotations.*")


def test_a_follow_up_is_glossed_with_what_it_refers_to(people: Cast, safety: Chatbot) -> None:
    first = make_message(people.alice, safety, "Wie stark dürfen Säuren sein?")
    second = make_message(people.alice, safety, "Und wann tragen wir Schutzbrillen?", chat=first.chat)
    assert "at most 1 mol/l" in first.answer
    assert "goggles" in second.searched_for
    assert "Goggles are worn" in second.answer


@pytest.mark.parametrize(
    ("question", "language", "notice"),
    [
        ("Warum xylt der Quomb den Blorf im Labor?", "de", "auf Englisch"),
        ("Pourquoi le quombe xyle-t-il les blorfs ?", "fr", "en anglais"),
        ("¿Por qué el quombo xila los blorfos?", "es", "en inglés"),
    ],
)
def test_unknown_words_are_refused_with_a_notice(
    people: Cast, safety: Chatbot, question: str, language: str, notice: str
) -> None:
    message = make_message(people.alice, safety, question)
    assert (message.mode, message.answer, message.searched_for) == (Mode.REFUSED, get_refusal_sentence("de"), "")
    assert message.notice == get_other_language_notice(language, {"en"})
    assert notice in message.notice
    near = find_closest(message.chosen)
    assert near and near.title == "safety"


def test_the_closest_by_a_code_is_shown_and_is_no_answer(people: Cast, safety: Chatbot) -> None:
    message = make_message(people.alice, safety, "Warum xylt LS-07 den Quomb?")
    near = find_closest(message.chosen)
    assert message.mode == Mode.REFUSED and message.answer == get_refusal_sentence("de")
    assert near and "LS-07" in near.excerpt
    assert near.reason == "found by “LS-07” alone"
    page = signed_in(people.alice).get(f"/chats/{message.chat_id}/").content.decode()
    assert "Your sources may not answer this. The closest:" in page and "auf Englisch" in page
    assert "found by “LS-07” alone" in page


def test_a_refusal_after_a_gloss_says_what_was_searched_for(people: Cast, safety: Chatbot) -> None:
    message = make_message(people.alice, safety, "Wer war der erste König von Spanien?")
    assert message.mode == Mode.REFUSED
    assert message.searched_for == "who was first king of Spain"
    assert "auf Englisch" in message.notice


def test_a_question_in_the_language_of_the_documents_costs_nothing(people: Cast, safety: Chatbot) -> None:
    for question in ("When are goggles worn?", "Who won the football world cup in 1954?"):
        search = Searches(safety)
        with CaptureQueriesContext(
            connection,
        ) as alone:
            search(question)
        with CaptureQueriesContext(connection) as with_glosses:
            found = search_in_their_language(question, language="de", search=search)
        assert search.asked == [question, question]
        assert len(with_glosses) == len(alone)
        assert found.foreign is None
    refused = make_message(people.alice, safety, "Who won the football world cup in 1954?")
    assert (refused.mode, refused.notice, refused.searched_for) == (Mode.REFUSED, "", "")


def test_a_german_question_to_german_documents_is_searched_for_once(people: Cast) -> None:
    chatbot = make_chatbot(people.alice, school=[school_document(people.carol, GERMAN, "labor.md")], language="de")
    search = Searches(chatbot)
    found = search_in_their_language("Wann werden Schutzbrillen getragen?", language="de", search=search)
    assert found.placed and found.foreign is None
    assert len(search.asked) == 1


def test_an_embedder_of_many_languages_is_left_alone(safety: Chatbot) -> None:
    search = Searches(safety)
    many = cast(Embedder, _Multilingual())
    question = "Wann müssen Schüler Schutzbrillen tragen?"
    found = search_in_their_language(question, language="de", search=search, embedder=many)
    assert search.asked == [question] and found.foreign is None


class _Multilingual:
    """The packaged embedder under a card that names many languages."""

    languages = frozenset({"*"})

    def __getattr__(self, name: str) -> object:
        return getattr(get_embedder(), name)


def test_only_the_chatbots_own_documents_are_searched(people: Cast, safety: Chatbot) -> None:
    school_document(people.carol, "# Secret\n\nPupils wear goggles on Saturday, says the secret note.\n", "secret.md")
    message = make_message(people.alice, safety, "Wann müssen Schüler Schutzbrillen tragen?")
    assert {source.document_title for source in message.sources.all()} == {"safety"}
    assert "Saturday" not in message.answer


def test_the_notice_names_any_language() -> None:
    told = {code: get_other_language_notice("de", {code}) for code in ("it", "tr", "yi")}
    assert "Italienisch" in told["it"] and "Türkisch" in told["tr"] and "Yiddish" in told["yi"]


@pytest.mark.parametrize("german", [1, 2])
@pytest.mark.parametrize("question", ["Who is the president of the football club?", "Where is the swimming pool?"])
def test_documents_in_the_language_of_the_question_are_counted_and_not_near_misses(
    people: Cast, german: int, question: str
) -> None:
    documents = [school_document(people.carol, GERMAN, f"labor-{number}.md") for number in range(german)]
    chatbot = make_chatbot(people.alice, school=documents)
    alone = make_message(people.alice, chatbot, question)
    assert (alone.mode, alone.notice) == (Mode.REFUSED, get_other_language_notice("en", {"de"}))
    both = make_chatbot(people.alice, school=[*documents, school_document(people.carol)])
    refused = make_message(people.alice, both, question)
    assert (refused.mode, refused.answer, refused.notice) == (Mode.REFUSED, get_refusal_sentence("en"), "")


def test_all_other_languages_of_the_documents_are_named(people: Cast) -> None:
    documents = [school_document(people.carol), school_document(people.carol, GERMAN, "labor.md")]
    chatbot = make_chatbot(people.alice, school=documents)
    refused = make_message(people.alice, chatbot, "Pourquoi le quombe xyle-t-il les blorfs ?")
    assert (refused.mode, refused.notice) == (Mode.REFUSED, get_other_language_notice("fr", {"en", "de"}))
    assert "les documents sont en allemand / anglais" in refused.notice


def test_a_search_without_an_answer_is_in_the_documents_language_too(people: Cast, safety: Chatbot) -> None:
    searched_for, found = search_standalone(
        "Wann müssen Schüler Schutzbrillen tragen?", select_sources(safety), language="de", places=5
    )
    assert searched_for == "when must pupil goggles wear"
    assert "oggles" in found.placed[0].passage.excerpt
