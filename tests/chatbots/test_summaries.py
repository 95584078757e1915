"""Summaries of a document, a section, everything or a topic."""

import pytest
from django.urls import reverse

from chatbots.answering.explanations import explain_choice
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot, Message, Mode
from corpus.embedding.active_model import active_embedder
from corpus.sources import NamedPassages
from school_library.services import set_published
from tests.factories import Cast, make_chatbot, make_message, personal_document, school_document, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db

RIVERS = """# Rivers

## Chapter 1: Erosion

Abrasion wears away the bed of a river by stones that the water carries along. Attrition makes the stones rounder while
they knock against each other.

## Chapter 2: Deltas of 1900

A delta grows where a river drops its load in still water. The Nile has built the best known one.

## The flood of Lynmouth

Heavy rain fell on Exmoor in August 1952 and the river rose within hours. Thirty-four people lost their lives.
"""
POLICY = """# Behaviour policy

Phones are switched off and stay in the bag all day. Nobody is told off in front of the class. Parents are called after
the third warning.
"""


@pytest.fixture
def rivers(people: Cast) -> Chatbot:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    return make_chatbot(people.alice, personal=[own], school=[school_document(people.carol, POLICY, "policy.md")])


def titles(message: Message) -> set[str]:
    return {source.document_title for source in message.sources.all()}


def named(chatbot: Chatbot, name: str) -> list[NamedPassages]:
    told = [one.source.named(name, 5, model=active_embedder().name) for one in select_sources(chatbot)]
    return [found for found in told if found]


def test_a_document_is_summarised_from_all_its_parts_in_order(people: Cast, rivers: Chatbot) -> None:
    message = make_message(people.alice, rivers, "Summarise the rivers document")
    assert message.mode == Mode.GROUNDED
    assert [source.heading_path[-1] for source in message.sources.all() if source.is_cited] == [
        "Chapter 1: Erosion",
        "Chapter 2: Deltas of 1900",
        "The flood of Lynmouth",
    ]
    assert message.answer.startswith(
        "**Chapter 1: Erosion** “Abrasion wears away the bed of a river by stones that the water carries along.” [1]"
        "\n\n"
        "**Chapter 2: Deltas of 1900** “A delta grows where a river drops its load in still water.” [2]\n\n"
        "**The flood of Lynmouth** “Heavy rain fell on Exmoor in August 1952 and the river rose within hours.” [3]\n\n"
    )


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("Summarise the chapter on deltas", "still water", "Exmoor"),
        ("What is the flood of Lynmouth about?", "Exmoor", "still water"),
        ("Sum up chapter 1", "wears away", "Exmoor"),
        ("main points of the behaviour policy", "in the bag", "Exmoor"),
        ("What does the behaviour policy say?", "in the bag", "Exmoor"),
    ],
)
def test_what_is_named_is_summarised(people: Cast, rivers: Chatbot, question: str, said: str, unsaid: str) -> None:
    answer = make_message(people.alice, rivers, question).answer
    assert said in answer and unsaid not in answer


def test_everything(people: Cast, rivers: Chatbot) -> None:
    message = make_message(people.alice, rivers, "Give me an overview of all documents")
    assert len(titles(message)) == 2
    chosen = explain_choice(message.chosen)
    assert chosen is not None and "It has the beginnings of all" in chosen.sentences[0]


def test_a_topic_is_searched_for(people: Cast, rivers: Chatbot) -> None:
    message = make_message(people.alice, rivers, "Summarise what happened after heavy rain on Exmoor")
    assert "Exmoor" in message.answer
    assert "summarised" not in message.chosen


def test_what_nothing_is_known_of_is_refused(people: Cast, rivers: Chatbot) -> None:
    assert make_message(people.alice, rivers, "Summarise the French revolution").mode == Mode.REFUSED


def test_what_was_asked_before_is_summarised(people: Cast, rivers: Chatbot) -> None:
    before = make_message(people.alice, rivers, "What is the flood of Lynmouth about?")
    message = make_message(people.alice, rivers, "Summarise it", chat=before.chat)
    assert "Exmoor" in message.answer and "still water" not in message.answer


def test_a_text_longer_than_its_summary_says_so(people: Cast) -> None:
    parts = [f"## Part {n}\n\n" + f"Lake {n} lies in the valley of the river number {n}. " * 60 for n in range(20)]
    document = personal_document(people.alice, "# Lakes\n\n" + "\n\n".join(parts), "Lakes.md")
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), "Summarise the document")
    assert message.notice == "These are the beginnings of 16 of the 20 sections."


def test_an_outline_has_each_section_once_however_long(people: Cast) -> None:
    parts = [f"## Part {n}\n\n" + f"Lake {n} lies in the valley of the river number {n}. " * 200 for n in range(5)]
    document = personal_document(people.alice, "# Lakes\n\n" + "\n\n".join(parts), "Lakes.md")
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), "Summarise the document")
    assert [source.heading_path[-1] for source in message.sources.all()] == [f"Part {n}" for n in range(5)]
    assert message.notice == ""


def test_a_model_is_told_to_summarise(people: Cast, rivers: Chatbot, model: ScriptedLLM) -> None:
    model.enqueue("Rivers wear away their beds [1].")
    make_message(people.alice, rivers, "Summarise the rivers document")
    asked = model.history[-1]
    assert asked.asks_for_summary and asked.question == ""
    assert "four to seven sentences" in asked.messages[0].content


def test_nothing_of_others_is_named(people: Cast, rivers: Chatbot) -> None:
    policy = school_document(people.carol, POLICY.replace("Phones", "Skates"), "skates.md", title="Skates")
    foreign = make_chatbot(
        people.charlie, personal=[personal_document(people.charlie, "# Skating\n\nIce is slippery.", "Skating.md")]
    )
    assert named(rivers, "skating") == [] and named(rivers, "skates") == []
    assert [found.title for found in named(foreign, "")] == ["Skating"]
    assert named(foreign, "rivers") == []
    both = make_chatbot(people.alice, school=[policy])
    assert named(both, "Skates")
    set_published(document=policy, published=False)
    assert named(both, "Skates") == []


def test_words_in_the_titles_of_two_documents_are_a_topic(people: Cast) -> None:
    own = [
        personal_document(people.alice, f"# Rivers of {land}\n\nThey are long.\n", f"{land}.md")
        for land in ("Asia", "Europe")
    ]
    chatbot = make_chatbot(people.alice, personal=own)
    assert named(chatbot, "rivers") == []
    assert [found.fit for found in named(chatbot, "rivers of Asia")] == [1.0]


def test_the_page_says_how_its_passages_were_chosen(people: Cast, rivers: Chatbot) -> None:
    message = make_message(people.alice, rivers, "Summarise the rivers document")
    page = signed_in(people.alice).get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert "You asked for a summary of “" in page


def test_a_model_reads_more_of_a_section_than_its_beginning(people: Cast, model: ScriptedLLM) -> None:
    seas = "".join(f"Sea {n} is {n} km deep and has {n} islands with {n} towns each. " for n in range(700))
    document = personal_document(people.alice, f"# Seas\n\n## All\n\n{seas}", "Seas.md")
    model.enqueue("There are many seas [1].")
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), "Summarise the document")
    assert message.sources.count() == 8 and message.notice.startswith("This is made from 8 of the ")
