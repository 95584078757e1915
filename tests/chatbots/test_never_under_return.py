"""A chatbot gets all that its own documents hold, whatever stands in those of others (H2 to H4, L2, L3)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.db import connection
from numpy.typing import NDArray

from chatbots.answering.retrieval import Retrieval, retrieve
from chatbots.answering.source_selection import select_sources
from chatbots.models import Chatbot
from chatbots.services import link_school_document, set_personal_documents, set_weights
from corpus.embedding.chunk_text import embedding_text
from corpus.ingestion import uploads
from corpus.ingestion.chunking import Piece
from corpus.ingestion.replace_chunks import chunk_row
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import SourceKind
from engines.embedding import get_embedder
from knowledge.models import PersonalDocument
from knowledge.sources import PERSONAL
from school_library.models import SchoolDocument
from school_library.services import set_published
from school_library.sources import SCHOOL
from schools.models import Membership, School
from tests.factories import Cast, make_chatbot, make_member, make_school

pytestmark = pytest.mark.django_db

QUESTION = "What is the rule for hydrochloric acid?"
STEPS = ("add", "link", "link", "unlink", "withdraw", "publish", "delete")
HABITS = (
    "bottle goes back into the locked cupboard",
    "burette is rinsed twice before a titration",
    "goggles stay on until everybody has finished",
    "spilled drops are wiped up with plenty of water",
    "teacher alone opens the concentrated flask",
    "waste is collected in the labelled beaker",
    "gloves are changed after every experiment",
    "windows stand open while anything is heated",
)


def rule(number: int) -> str:
    """A sentence that answers the question and says what no other does."""
    return f"Rule {number} for hydrochloric acid: the {HABITS[number % len(HABITS)]} in room {100 + number}."


@cache
def vector(text: str) -> NDArray[Any]:
    found: NDArray[Any] = get_embedder().embed_passages([text])[0]
    return found


def bulk(document: Any, blocks: Sequence[Sequence[str]]) -> Any:
    """A ready document with these blocks of chunks, written as indexing writes them."""
    document.status, document.answering_version = "ready", 1
    document.save()
    rows, position = [], 0
    for block, texts in enumerate(blocks):
        for text in texts:
            piece = Piece(position, block, (), None, None, f"{text}\n\n", 20)
            rows.append(chunk_row(document, piece, vector(embedding_text((), text)), get_embedder().name))
            position += 1
    document.chunks.bulk_create(rows, batch_size=500)
    return document


def personal(member: Membership, blocks: Sequence[Sequence[str]]) -> PersonalDocument:
    document: PersonalDocument = bulk(PersonalDocument(school=member.school, owner=member.user, title="Notes"), blocks)
    return document


def school(member: Membership, blocks: Sequence[Sequence[str]]) -> SchoolDocument:
    document: SchoolDocument = bulk(SchoolDocument(school=member.school, title="Rules"), blocks)
    return document


def ask(chatbot: Chatbot, *, places: int, weight: int) -> tuple[SelectedPassage, ...]:
    set_weights(chatbot, {"personal": weight})
    found: Retrieval = retrieve(QUESTION, select_sources(chatbot), places=places)
    assert not found.unavailable
    return found.placed


def kinds(placed: Sequence[SelectedPassage]) -> dict[SourceKind, int]:
    found = [one.passage.kind for one in placed]
    return {kind: found.count(kind) for kind in set(found)}


def dealt(rng: random.Random, numbers: Sequence[int], *, most: int = 3) -> list[list[str]]:
    """Rules as blocks of one to `most` chunks."""
    left, blocks = list(numbers), []
    while left:
        size = min(rng.randint(1, most), len(left))
        blocks.append([rule(left.pop()) for _ in range(size)])
    return blocks


def everybody_else_says_the_same(people: Cast, numbers: Sequence[int], copies: int) -> None:
    """Hundreds of chunks, word for word the same, in other schools, with colleagues and in the school's own library."""
    blocks = [[rule(number)] for number in numbers] * copies
    notes, rules = personal(people.charlie, blocks), school(people.chloe, blocks)
    copied(notes, personal(people.bob, []))
    copied(rules, school(people.carol, []))
    new = make_member(make_school(f"School {School.objects.count()}"), "new")
    make_chatbot(new, personal=[copied(notes, personal(new, []))], school=[copied(rules, school(new, []))])


def copied(document: Any, copy: Any) -> Any:
    """The copy with the same chunks, which PostgreSQL writes a hundred times as fast as Python."""
    table, fields = document.chunks.model._meta.db_table, document.chunks.model._meta.concrete_fields
    own = {"document_id": copy.pk, "school_id": copy.school_id}
    columns = [field.column for field in fields if not field.primary_key and field.column not in own]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join([*own, *columns])})"
            f" SELECT %s, %s, {', '.join(columns)} FROM {table} WHERE document_id = %s",
            [*own.values(), document.pk],
        )
        assert cursor.rowcount == document.chunks.count()
    return copy


@pytest.mark.parametrize("seed", range(6))
def test_the_places_are_filled_as_long_as_anything_relevant_is_left(people: Cast, seed: int) -> None:
    rng = random.Random(seed)
    numbers = rng.sample(range(60), 60)
    sizes = [(0, 7), (9, 0), (1, 24), (24, 1), (rng.randint(2, 8), rng.randint(2, 8)), (22, 22)][seed]
    own = dealt(rng, numbers[: sizes[0]])
    library = dealt(rng, numbers[30 : 30 + sizes[1]])
    chatbot = make_chatbot(
        people.alice,
        personal=[personal(people.alice, own[half::2]) for half in (0, 1) if own[half::2]],
        school=[school(people.carol, library[half::2]) for half in (0, 1) if library[half::2]],
    )
    everybody_else_says_the_same(people, numbers, 3)
    for weight in (0, 50, 60, 100):
        sides = {PERSONAL: (len(own), weight), SCHOOL: (len(library), 100 - weight)}
        searched = {k: blocks for k, (blocks, weighs) in sides.items() if blocks and weighs} or {
            k: blocks for k, (blocks, _) in sides.items() if blocks
        }
        for places in range(1, 21):
            placed = ask(chatbot, places=places, weight=weight)
            assert len(placed) == min(places, sum(searched.values())), (weight, places)
            assert set(kinds(placed)) <= set(searched), (weight, places)
            assert len({(one.passage.document_id, one.passage.block) for one in placed}) == len(placed)
            assert all(not one.also for one in placed)
        assert {weighted.source.kind for weighted in select_sources(chatbot)} == set(searched)


def test_what_others_have_changes_neither_what_is_found_nor_how_relevant_it_is(people: Cast) -> None:
    numbers = range(24)
    chatbot = make_chatbot(
        people.alice,
        personal=[personal(people.alice, [[rule(number)] for number in numbers[:12]])],
        school=[school(people.carol, [[rule(number)] for number in numbers[12:]])],
    )
    cases = [(places, weight) for places in (1, 5, 20) for weight in (0, 50, 60, 100)]
    alone = {case: ask(chatbot, places=case[0], weight=case[1]) for case in cases}
    for copies in (1, 12):
        everybody_else_says_the_same(people, numbers, copies)
        for (places, weight), before in alone.items():
            now = ask(chatbot, places=places, weight=weight)
            assert [one.passage.key for one in now] == [one.passage.key for one in before]
            for after, one in zip(now, before, strict=True):
                assert after.passage.text == one.passage.text
                assert after.passage.score == pytest.approx(one.passage.score, rel=1e-9)
                assert after.passage.relevance == pytest.approx(one.passage.relevance, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_to_documents_holds_for_the_next_question(people: Cast, seed: int) -> None:
    """Documents are linked, unlinked, withdrawn, published, added and deleted; after each step a chatbot finds what a
    plain account of these steps says, all of it and nothing else."""
    rng = random.Random(seed)
    everybody_else_says_the_same(people, range(10), 4)
    chatbot = make_chatbot(people.alice)
    numbers = iter(range(1000))
    account: list[Shelved] = []
    for _ in range(35):
        step = rng.choice(STEPS) if len(account) > 2 else "add"
        if step == "add" and len(account) < 9:
            texts = [[rule(next(numbers))] for _ in range(rng.randint(1, 2))]
            mine = rng.random() < 0.5
            document: Any = personal(people.alice, texts) if mine else school(people.carol, texts)
            account.append(Shelved(document, PERSONAL if mine else SCHOOL))
            step = "link"
        one = rng.choice(account)
        if done(step, one, chatbot, people.alice) == "deleted":
            account.remove(one)
        read = [one for one in account if one.linked and one.published]
        for weight, searched in ((60, [PERSONAL, SCHOOL]), (100, [PERSONAL]), (0, [SCHOOL])):
            expected = {one.document.pk for one in read if one.kind in searched}
            placed = ask(chatbot, places=20, weight=weight)
            found = {one.passage.document_id for one in placed}
            assert found == (expected or {one.document.pk for one in read}), (step, weight)


@dataclass
class Shelved:
    """A document as the account has it."""

    document: Any
    kind: SourceKind
    linked: bool = False
    published: bool = True


def done(step: str, one: Shelved, chatbot: Chatbot, member: Membership) -> str:
    """Do it, in the product and in the account."""
    if step == "delete":
        uploads.delete(one.document)
        return "deleted"
    if step in ("link", "unlink"):
        one.linked = step == "link"
        if one.kind == SCHOOL:
            link_school_document(chatbot=chatbot, document=one.document, linked=one.linked)
        else:
            others = set(chatbot.personal_links.values_list("document", flat=True)) - {one.document.pk}
            documents = others | {one.document.pk} if one.linked else others
            set_personal_documents(chatbot=chatbot, member=member, documents=documents)
    elif step in ("withdraw", "publish") and one.kind == SCHOOL:
        one.published = step == "publish"
        set_published(document=one.document, published=one.published)
    return step
