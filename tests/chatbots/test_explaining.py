"""Why a passage is a source of an answer, told later too (C5)."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.answering.explanations import (
    SelectionDetails,
    build_search_record,
    build_standing_record,
    explain_choice,
    explain_passage,
)
from chatbots.answering.retrieval import Retrieval, SourceStatistics, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot, Message
from corpus.passages import Passage, Standing
from corpus.search.fusion import Candidates, allocate
from corpus.search.search import CLOSENESS, COVERAGE
from knowledge.sources import PERSONAL
from school_library.sources import SCHOOL
from tests.corpus.test_sharing_places import pools
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db

QUESTION = "How strong may hydrochloric acid for penguins be?"


def told(both: list[Candidates], places: int = 5) -> SelectionDetails:
    """How the places of these two pools were shared, in words."""
    sharing = allocate(both, places=places, threshold=0.5)
    searched = tuple(
        SourceStatistics(kind, pool.weight, 100, shared)
        for kind, pool, shared in zip((PERSONAL, SCHOOL), both, sharing.shares, strict=True)
    )
    found = Retrieval(sharing.placed, searched=searched, missed=sharing.missed, places=places, threshold=0.5)
    chosen = explain_choice(build_search_record(found))
    assert chosen
    return chosen


def list_all(found: Retrieval) -> list[Passage]:
    return [*(placed.passage for placed in found.placed), *(missed.passage for missed in found.missed)]


def test_a_source_keeps_why_it_has_its_place(chatbot: Chatbot, people: Cast) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    source = message.sources.get(kind="personal", excerpt__contains="0.5 mol/l")
    standing = source.standing
    assert (standing["rank"], standing["among"]) == (1, 2)
    assert (standing["found"], standing["missing"]) == (["hydrochloric", "acid"], ["strong", "penguins"])
    why = explain_passage(standing, kind=source.named_kind, certainty=source.certainty, weight=source.weight)
    assert why
    assert why.sentences[0] == "The best match of the 2 passages searched in personal documents."
    assert "It has “hydrochloric”, “acid”, close together" in why.sentences[1]
    assert "not “strong”, “penguins”." in why.sentences[1]
    assert dict(why.figures)["Share"].startswith("60%")


def test_the_parts_of_a_score_add_up_to_it(chatbot: Chatbot) -> None:
    found = retrieve(f"{QUESTION} “never water into acid”", select_sources(chatbot), places=5)
    passages = list_all(found)
    assert any(p.standing and p.standing.quoted for p in passages)
    for passage in passages:
        part = passage.standing
        assert isinstance(part, Standing)
        total = part.cosine + COVERAGE * part.coverage + CLOSENESS * part.closeness + 0.5 * part.quoted
        assert passage.score == pytest.approx(total, abs=1e-5)
        assert 0 <= part.coverage <= 1
        assert part.coverage or not part.found


def test_ranks_count_within_each_side(chatbot: Chatbot) -> None:
    found = retrieve(QUESTION, select_sources(chatbot), places=5)
    for kind in (PERSONAL, SCHOOL):
        passages = [passage for passage in list_all(found) if passage.kind == kind]
        ranks = {p.standing.rank: p.score for p in passages if p.standing}
        assert sorted(ranks) == [1, 2]
        assert ranks[1] >= ranks[2]


def test_an_answer_keeps_how_its_places_were_shared_and_what_just_missed(
    chatbot: Chatbot, people: Cast, settings: Settings
) -> None:
    settings.LECTERN_RELEVANCE_THRESHOLD = 0.65
    message = make_message(people.alice, chatbot, QUESTION)
    pool = {one["kind"]: one for one in message.chosen["pools"]}["personal"]
    assert (pool["weight"], pool["chunks"], pool["reserved"]) == (60, 2, 3)
    chosen = explain_choice(message.chosen)
    assert chosen
    assert "3 for personal documents (60%) and 2 for the school’s library (40%) are reserved" in chosen.sentences[1]
    assert chosen.missed
    for near in chosen.missed:
        assert near.reason == "closest, not an answer"
        assert not message.sources.filter(excerpt=near.excerpt).exists()


def test_a_refusal_keeps_what_came_closest(chatbot: Chatbot, people: Cast) -> None:
    message = make_message(people.alice, chatbot, "Who won the football world cup in 1954?")
    assert message.mode == "refused"
    client = Client()
    client.force_login(people.alice.user)
    page = client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert "Your sources may not answer this. The closest:" in page
    assert message.chosen["missed"][0]["title"] in page


def test_places_that_stayed_free_and_places_given_up_are_told_apart() -> None:
    assert told(pools([0.9] * 5, [0.9] * 5)).sentences[2:] == ()
    (free,) = told(pools([0.9] * 5, [0.6, 0.4])).sentences[2:]
    assert free.startswith("The school’s library ")
    (free,) = told(pools([0.9] * 5, [0.8, 0.4])).sentences[2:]
    assert free == "The school’s library had only 1 passage that may answer, so 1 place went to other sources."
    (given,) = told(pools([0.99] * 5, [0.55, 0.52])).sentences[2:]
    assert given.startswith("The school’s library gave up 2 places: its passages were less than three quarters")
    (none,) = told(pools([0.9] * 5, [0.3])).sentences[2:]
    assert none.startswith("The school’s library had no passage that may answer, so 2 places went to other sources")


def test_what_just_missed_says_whether_it_was_relevant() -> None:
    missed = told(pools([0.9] * 5, [0.8, 0.3]), places=4).missed
    assert [one.reason for one in missed] == [
        "may answer, but all places were taken",
        "may answer, but all places were taken",
        "closest, not an answer",
    ]


def test_what_just_missed_is_shown_without_marks_of_markdown(people: Cast) -> None:
    table = "# Names\n\n| Acid | Formula |\n| --- | --- |\n| **Nitric** | HNO3 |\n"
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, table)])
    message = make_message(people.alice, chatbot, "Who won the football world cup in 1954?")
    chosen = explain_choice(message.chosen)
    assert chosen
    assert [one.excerpt for one in chosen.missed] == ["• Acid: Nitric · Formula: HNO3"]


def test_an_answer_without_a_record_is_shown_without_explanation(chatbot: Chatbot, people: Cast) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    message.sources.update(standing={})
    Message.objects.update(chosen={})
    client = Client()
    client.force_login(people.alice.user)
    source = message.sources.first()
    assert source
    for url in (
        reverse("chatbots:chat", args=[message.chat_id]),
        reverse("chatbots:source", args=[source.pk]),
    ):
        response = client.get(url)
        assert response.status_code == 200
        assert not re.search("Why this passage|were chosen", response.content.decode())


def test_the_page_of_a_source_explains_it(chatbot: Chatbot, people: Cast) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    client = Client()
    client.force_login(people.alice.user)
    for source in message.sources.all():
        page = client.get(reverse("chatbots:source", args=[source.pk])).content.decode()
        assert "passages searched in" in page
        assert "How the passages were chosen" in page
        assert "<dt>Score</dt>" in page
    chat = client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert chat.count("Why this passage") == message.sources.count()


def test_words_are_told_as_they_were_asked_in_the_language_of_the_document(people: Cast) -> None:
    german = "# Säuren\n\nSalzsäure darf ohne Lehrkraft höchstens 1 mol/l haben, so sagt die Regel der Schule.\n"
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice, german, "s.md")], language="de")
    (placed, *_) = retrieve("Welche Regeln gelten für Salzsäuren?", select_sources(chatbot), places=5).placed
    assert build_standing_record(placed.passage)["found"] == ["regeln", "salzsäuren"]
    assert build_standing_record(placed.passage)["missing"] == ["gelten"]
