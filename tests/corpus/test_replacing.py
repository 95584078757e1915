"""An update leaves the rows alone whose text stays, and puts all chunks into the order of the new version (D5)."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction

from corpus.ingestion import uploads
from corpus.ingestion.chunking import Piece
from corpus.ingestion.replace_chunks import hash_piece, replace_chunks
from corpus.models import Status
from corpus.passages import Passage
from corpus.sources import Query
from engines.embedding import get_embedder
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from tests import documents
from tests.factories import Cast, index_all, make_file, personal_document
from tests.running import wait_for
from text.languages import detect_configuration

pytestmark = pytest.mark.django_db

FIELDS = (
    "position", "block", "heading_path", "page", "line_start", "line_end", "text", "tokens", "content_hash",
    "embedding", "embedding_model", "language", "search",
)  # fmt: skip


def part(name: str, lines: int = 1) -> str:
    return f"## About {name}\n\n" + "\n".join(f"What the book says of {name}, line {n}." for n in range(lines))


def handbook(*names: str) -> str:
    return "# Handbook\n\n" + "\n\n".join(part(name) for name in names) + "\n"


def updated(document: PersonalDocument, content: str | bytes, name: str = "acids.md") -> PersonalDocument:
    uploads.replace(document, make_file(content, name), by=document.owner)
    index_all()
    document.refresh_from_db()
    assert document.status == Status.READY, document.failure_reason
    return document


def rows(document: PersonalDocument) -> list[tuple[Any, ...]]:
    return list(document.chunks.order_by("position").values_list(*FIELDS))


def by_text(document: PersonalDocument) -> dict[str, int]:
    return {chunk.text.strip(): chunk.pk for chunk in document.chunks.all()}


def written(document: PersonalDocument) -> dict[int, str]:
    """Which transaction wrote each row last, by key."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, xmin::text || ' ' || cmin FROM knowledge_personalchunk WHERE document_id = %s",
            [document.pk],
        )
        return dict(cursor.fetchall())


def assert_like_new(document: PersonalDocument) -> None:
    """The chunks are those of a document that has never been anything but this file."""
    new = uploads.copy(document, filename=f"{document.title}.md", by=document.owner)
    index_all()
    assert rows(document) == rows(new)
    uploads.delete(new)


def found(document: PersonalDocument, question: str, limit: int = 20) -> Sequence[Passage]:
    source = PersonalSource(document.school, PersonalDocument.objects.filter(pk=document.pk))
    return source.search(Query.of(question, get_embedder()), limit)


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (("glass", "acids", "salts", "metals", "gases"), 4),  # one more at the start
        (("salts", "metals", "gases"), 3),  # the first is gone
        (("acids", "gases", "metals", "salts"), 4),  # two have changed places
        (("gases", "acids", "salts", "metals"), 4),  # the last goes first
        (("acids", "steam", "metals", "gases"), 3),
        (("acids", "salts", "metals", "gases", "oils"), 4),
        (("oils", "glass"), 0),
    ],
)
def test_rows_whose_text_stays_are_the_same_in_new_places(people: Cast, after: Sequence[str], kept: int) -> None:
    document = personal_document(people.alice, handbook("acids", "salts", "metals", "gases"))
    before = by_text(document)
    updated(document, handbook(*after))
    now = by_text(document)
    assert len({text: key for text, key in now.items() if before.get(text) == key}) == kept
    assert set(now.values()) & set(before.values()) == {before[text] for text in now if text in before}
    assert_like_new(document)
    version = document.newest
    assert (version.chunks_kept, version.chunks_added, version.chunks_removed) == (
        kept,
        len(after) - kept,
        4 - kept,
    )


def test_what_stays_where_it_is_is_not_written(people: Cast) -> None:
    document = personal_document(people.alice, handbook("acids", "salts", "metals"))
    before = written(document)
    updated(document, handbook("acids", "salts", "glass"))
    now = written(document)
    assert len(before.items() & now.items()) == 2
    updated(document, handbook("acids", "salts", "glass") + "\n")
    assert written(document) == now


def test_equal_texts_are_told_apart_by_their_order(people: Cast) -> None:
    text = "# Handbook\n\n" + "\n\n".join(f"{part('acids')}\n\n{part(name)}" for name in ("salts", "oils"))
    document = personal_document(people.alice, text)
    first, second = document.chunks.filter(text__contains="acids").order_by("position")
    shorter = "# Handbook\n\n" + "\n\n".join(map(part, ("salts", "acids", "oils", "glass")))
    updated(document, shorter)
    assert document.chunks.get(text__contains="acids").pk == first.pk
    assert_like_new(document)
    updated(document, text)
    again = document.chunks.filter(text__contains="acids").order_by("position")
    assert again[0].pk == first.pk
    assert again[1].pk > second.pk
    assert_like_new(document)


def test_an_inserted_page_moves_what_follows_to_the_next(people: Cast) -> None:
    def file(*names: str) -> bytes:
        return documents.pdf([[f"What the book says of {name}."] for name in names])

    document = personal_document(people.alice, file("acids", "salts", "metals"), "book.pdf")
    before = by_text(document)
    updated(document, file("acids", "glass", "salts", "metals"), "book.pdf")
    pages = {chunk.text.strip(): chunk.page for chunk in document.chunks.all()}
    assert [pages[f"What the book says of {name}."] for name in ("acids", "glass", "salts", "metals")] == [
        1,
        2,
        3,
        4,
    ]
    assert before.items() <= by_text(document).items()


def test_under_another_heading_a_chunk_is_another(people: Cast) -> None:
    document = personal_document(people.alice, handbook("acids", "salts"))
    before = by_text(document)
    content = handbook("acids", "salts").replace("## About salts", "## On crystals")
    updated(document, content)
    now = by_text(document)
    assert sum(now[text] == key for text, key in before.items()) == 1
    assert_like_new(document)


def test_a_chunk_that_stays_is_found_by_a_new_title(people: Cast) -> None:
    document = personal_document(people.alice, handbook("acids", "salts"), title="Chemistry")
    uploads.replace(document, make_file(handbook("acids", "oils")), by=document.owner)
    uploads.rename(document, "Laboratory")  # while the new version waits
    index_all()
    document.refresh_from_db()
    assert document.answering_version == 2
    assert_like_new(document)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM knowledge_personalchunk WHERE search @@ to_tsquery('english', 'laboratory')"
        )
        assert cursor.fetchone() == (2,)


def test_in_another_language_every_chunk_has_other_stems(people: Cast) -> None:
    english = "The teacher said that the burettes are rinsed with water before every titration.\n\n"
    german = "Die Lehrerin hat gesagt, dass die Büretten vor jeder Titration gespült werden müssen. "
    rule = "## Burettes\n\nBurettes 1, 2, 3.\n"
    document = personal_document(people.alice, english * 4 + rule)
    before = document.chunks.get(text__contains="1, 2, 3")
    assert detect_configuration(german * 4) == "german"
    updated(document, german * 4 + "\n\n" + rule)
    after = document.chunks.get(text__contains="1, 2, 3")
    assert (before.language, after.language, document.language) == ("english", "german", "german")
    assert before.embedding == after.embedding
    assert document.newest.chunks_kept == 1
    assert_like_new(document)


def test_white_space_alone_costs_no_embedding_and_is_written(people: Cast) -> None:
    document = personal_document(people.alice, handbook("acids", "salts"))
    content = handbook("acids", "salts").replace("\n\n## About salts", "\n\n\n\n## About salts")
    updated(document, content)
    assert (document.newest.chunks_kept, document.newest.chunks_added) == (2, 0)
    assert_like_new(document)


def test_whatever_the_order_rows_that_stay_are_kept_and_no_other(people: Cast) -> None:
    document = personal_document(people.alice, "Something else.")
    draw, vectors = random.Random(4), np.eye(384, dtype=np.float32)
    pieces: list[Piece] = []
    for _ in range(60):
        before = Counter(piece.text for piece in pieces)
        kept_before = by_key(document)
        texts = draw.choices("abcdefgh", k=draw.randint(1, 9))
        pieces = [Piece(n, n // 2, (), draw.choice([None, n]), (n, n + 1), text, 1) for n, text in enumerate(texts)]
        made = {hash_piece(piece): vectors[ord(piece.text) - 97] for piece in pieces}
        with transaction.atomic():
            replace_chunks(document, pieces, made, model="a-model")
        fields = "position", "block", "text", "page", "line_start", "line_end"
        assert list(document.chunks.order_by("position").values_list(*fields)) == [
            (piece.position, piece.block, piece.text, piece.page, *(piece.lines or ())) for piece in pieces
        ]
        stayed = Counter(by_key(document)[key] for key in by_key(document).keys() & kept_before.keys())
        assert stayed == before & Counter(texts)


def by_key(document: PersonalDocument) -> dict[int, str]:
    return dict(document.chunks.values_list("pk", "text"))


@pytest.mark.django_db(transaction=True)
def test_searches_see_one_whole_version_while_rows_are_moved(people: Cast) -> None:
    def content(number: int) -> str:
        names = [f"burette {n}" for n in range(40)]
        return handbook(*(reversed(names) if number % 2 else names), f"edition {number}")

    document = personal_document(people.alice, content(1))
    seen: list[tuple[int, list[str]]] = []
    enough, errors = threading.Event(), list[BaseException]()

    def search() -> None:
        try:
            while not enough.is_set():
                passages = sorted(found(document, "What of the burette?", 100), key=lambda one: one.position)
                [version] = {passage.version or 0 for passage in passages}
                seen.append((version, [passage.excerpt for passage in passages]))
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=search)
    thread.start()
    try:
        for number in range(2, 8):
            updated(document, content(number))
            assert document.newest.chunks_kept == 40
            wait_for(lambda: bool(errors) or seen[-1][0] == document.version)
    finally:
        enough.set()
        thread.join(120)
    assert errors == []
    whole = {number: content(number).count("##") for number in range(1, 8)}
    for version, excerpts in seen:
        names = [excerpt.removeprefix("What the book says of ").split(",")[0] for excerpt in excerpts]
        assert handbook(*names) == content(version)
        assert len(names) == whole[version]
