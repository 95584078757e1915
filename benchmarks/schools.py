"""Schools of skewed sizes with people, documents, chunks and chatbots, made fast, and questions to ask there.

Imports models: only to be imported inside `ground.database`. Passages of the corpus beside this file are embedded once
by the product's embedder; PostgreSQL then makes every chunk of two of them, with the sum of their vectors and some
noise, so that each differs. Text, stems and vectors are as wide as those of real chunks of some 170 tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection, transaction

from benchmarks import ground
from chatbots.models import Chatbot, ChatbotPersonalDocLink, ChatbotSchoolDocLink
from corpus.models import Status
from engines.embedding import get_embedder
from knowledge.models import PersonalChunk, PersonalDocument
from school_library.models import SchoolChunk, SchoolDocument
from schools.models import Membership, School, User

WORDS = 60  # in a passage, of which each chunk has two
CHUNKS_PER_CHATBOT = 50  # 20,000 chatbots at a million chunks
FIXED, FIXED_CHUNKS = "Fixed", 300
GROWN = "school-"
"""With which the names of the schools of `grow` begin."""
OWNER = "owner"
NOISE = 0.3  # length of the noise vectors; the sum of two passages has about 1.3

_CHUNKS = """
INSERT INTO "{chunk}" (school_id, document_id, position, block, heading_path, file_path, numbers, text, tokens,
    content_hash, embedding, embedding_model, language, search)
SELECT document.school_id, document.id, n, n / 4, ARRAY['Part ' || n / 4 + 1], '', ARRAY[]::text[],
    a.text || E'\\n\\n' || b.text || E'\\n\\n', a.tokens + b.tokens,
    encode(sha256(convert_to(a.text || b.text, 'UTF8')), 'hex'),
    l2_normalize(a.embedding + b.embedding + noise.embedding), %(model)s, 'english', strip(a.search || b.search)
FROM "{document}" AS document CROSS JOIN LATERAL generate_series(0, chunk_count - 1) AS n
JOIN benchmark_passage AS a ON a.id = abs(uuid_hash_extended(document.id, 3 * n) %% %(passages)s)
JOIN benchmark_passage AS b ON b.id = abs(uuid_hash_extended(document.id, 3 * n + 1) %% %(passages)s)
JOIN benchmark_noise AS noise ON noise.id = abs(uuid_hash_extended(document.id, 3 * n + 2) %% 1000)
WHERE document.id = ANY(%(documents)s)
"""

_SCOPES = """
SELECT chatbot_id, personal.chunks + library.chunks
FROM (SELECT chatbot_id, sum(chunk_count) AS chunks FROM chatbots_chatbotpersonaldoclink AS link
    JOIN knowledge_personaldocument AS document ON document.id = link.document_id GROUP BY chatbot_id) AS personal
JOIN (SELECT chatbot_id, sum(chunk_count) AS chunks FROM chatbots_chatbotschooldoclink AS link
    JOIN school_library_schooldocument AS document ON document.id = link.document_id GROUP BY chatbot_id) AS library
USING (chatbot_id) ORDER BY chatbot_id
"""


@dataclass
class _Plan:
    """Rows to be stored, in the order of their tables."""

    users: list[User] = field(default_factory=list)
    memberships: list[Membership] = field(default_factory=list)
    personal: list[PersonalDocument] = field(default_factory=list)
    library: list[SchoolDocument] = field(default_factory=list)
    chatbots: list[Chatbot] = field(default_factory=list)
    personal_links: list[ChatbotPersonalDocLink] = field(default_factory=list)
    school_links: list[ChatbotSchoolDocLink] = field(default_factory=list)


def total() -> int:
    """Chunks of the schools that `grow` makes; other benchmarks may have left theirs."""
    return sum(model.objects.filter(school__slug__startswith=GROWN).count() for model in (PersonalChunk, SchoolChunk))


def grow(chunks: int, schools: int) -> None:
    """Let the database have so many chunks in so many schools: half of them personal, shares by Zipf's law.

    The chatbot named FIXED and its documents come with the first growth. The first chatbot of the largest school
    reads a hundredth of what is added, others some documents of their teacher's and some of the library's.
    """
    missing = chunks - total()
    if missing <= 0:
        return
    rng, plan = np.random.default_rng(chunks), _Plan()
    known = list(School.objects.filter(slug__startswith=GROWN).order_by("pk"))
    if not known:
        names = [f"{GROWN}{number}" for number in range(schools)]
        known = School.objects.bulk_create(School(name=name, slug=name) for name in names)
        fixed = min(FIXED_CHUNKS, missing // 4)
        _add_school(plan, rng, known[len(known) // 5], fixed, 1, largest=fixed, name=FIXED)
        missing -= fixed
    shares = np.cumsum(np.arange(1, len(known) + 1) ** -0.8)
    shares /= shares[-1]
    sizes = np.diff(np.rint(shares * missing), prepend=0).astype(int)
    bots = np.diff(np.rint(shares * missing / CHUNKS_PER_CHATBOT), prepend=0).astype(int)
    for number, school in enumerate(known):
        largest = missing // 100 if number == 0 else 0
        _add_school(plan, rng, school, int(sizes[number]), int(bots[number]), largest=largest)
    for documents in (plan.personal, plan.library):
        rng.shuffle(documents)  # uploaded in no order, so rows of a school lie scattered
    _store(plan, chunks)


def owner(sizes: Sequence[int]) -> dict[int, Chatbot]:
    """Chatbots that read so many chunks of one library, each all that a smaller one reads and more."""
    school, created = School.objects.get_or_create(slug=OWNER, defaults={"name": OWNER})
    if created:
        plan, rng = _Plan(), np.random.default_rng(1)
        _add_school(plan, rng, school, 0, 1, largest=0)
        plan.chatbots.clear()
        for size in sorted(sizes):
            have = sum(document.chunk_count for document in plan.library)
            plan.library += [_document(SchoolDocument, school, each) for each in _sizes(rng, size - have, 50)]
            chatbot = Chatbot(school=school, owner=plan.users[0], name=str(size))
            plan.chatbots.append(chatbot)
            plan.school_links += [
                ChatbotSchoolDocLink(school=school, chatbot=chatbot, document=document) for document in plan.library
            ]
        _store(plan, max(sizes))
    found = Chatbot.objects.filter(school=school).select_related("school")
    return {int(chatbot.name): chatbot for chatbot in found if int(chatbot.name) in sizes}


def scopes() -> dict[UUID, int]:
    """How many chunks each chatbot with both sources reads."""
    with connection.cursor() as cursor:
        cursor.execute(_SCOPES)
        return {key: int(chunks) for key, chunks in cursor.fetchall()}


def questions(seed: int = 1) -> Iterator[str]:
    """Ever new questions of usual length: one of the corpus with four words from some place in its passages."""
    directory, rng, seen = Path(__file__).parent / "corpus", np.random.default_rng(seed), set[str]()
    stems = [row["question"].rstrip("?") for row in ground.read(directory, "questions")]
    words = [word for text in _passages() for word in re.findall(r"[\w’-]+", text)]
    while True:
        start = int(rng.integers(len(words) - 4))
        question = f"{stems[int(rng.integers(len(stems)))]} {' '.join(words[start : start + 4])}?"
        if question not in seen:
            seen.add(question)
            yield question


def _add_school(
    plan: _Plan, rng: Any, school: School, chunks: int, bots: int, *, largest: int, name: str = "Chatbot"
) -> None:
    """People, documents with `chunks` in sum and chatbots; the first chatbot reads `largest` chunks of the library."""
    prefix = f"{name.lower()}-{chunks}-{len(plan.users)}"
    teachers = [User(email=f"{prefix}-{n}@{school.slug}.example", name=f"Teacher {n}") for n in range(1 + bots // 3)]
    plan.users += teachers
    plan.memberships += [Membership(school=school, user=teacher) for teacher in teachers]
    own: list[list[PersonalDocument]] = [[] for _ in teachers]
    for number, size in enumerate(_sizes(rng, chunks // 2, 20)):
        # Everyone has one if there are enough; the rest is skewed.
        place = number if number < len(teachers) else int(len(teachers) * rng.random() ** 2)
        own[place].append(_document(PersonalDocument, school, size, owner=teachers[place]))
    library = [_document(SchoolDocument, school, size) for size in _sizes(rng, chunks - chunks // 2, 40)]
    plan.personal += [document for documents in own for document in documents]
    plan.library += library
    for number in range(bots):
        place = number % len(teachers)
        chatbot = Chatbot(school=school, owner=teachers[place], name=name)
        plan.chatbots.append(chatbot)
        mine = _some(rng, own[place], 1 + int(rng.geometric(0.3)))
        shared = _some(rng, library, 1 + int(rng.lognormal(np.log(4), 1.2)))
        if largest and number == 0:
            before = np.cumsum([0, *(document.chunk_count for document in library)])
            mine, shared = own[place], library[: int(np.searchsorted(before, largest))]
        plan.personal_links += [
            ChatbotPersonalDocLink(school=school, chatbot=chatbot, document=document) for document in mine
        ]
        plan.school_links += [
            ChatbotSchoolDocLink(school=school, chatbot=chatbot, document=document) for document in shared
        ]


def _sizes(rng: Any, chunks: int, median: int) -> list[int]:
    """Sizes of documents that add up to `chunks`, log-normal."""
    sizes: list[int] = []
    while chunks > 0:
        sizes.append(min(chunks, 1 + int(rng.lognormal(np.log(median), 0.8))))
        chunks -= sizes[-1]
    return sizes


def _some(rng: Any, documents: list[Any], count: int) -> list[Any]:
    return [documents[place] for place in rng.permutation(len(documents))[:count]]


def _document(model: Any, school: School, chunks: int, **more: Any) -> Any:
    answering = {"answering_version": 1, "status": Status.READY, "chunk_count": chunks}
    return model(school=school, title=f"Document of {chunks} chunks", **answering, **more)


def _store(plan: _Plan, chunks: int) -> None:
    """All or nothing; then the statistics and the visibility map are brought up to date."""
    with transaction.atomic(), connection.cursor() as cursor:
        passages = _prepare(chunks)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # the queue of a million deferred checks needs memory
        for each in fields(plan):
            rows = getattr(plan, each.name)
            if rows:
                type(rows[0])._default_manager.bulk_create(rows, batch_size=1000)
        for chunk, documents in ((PersonalChunk, plan.personal), (SchoolChunk, plan.library)):
            document: Any = chunk._meta.get_field("document").related_model
            statement = _CHUNKS.format(chunk=chunk._meta.db_table, document=document._meta.db_table)
            keys = [row.pk for row in documents]
            batches = [keys[start : start + 500] for start in range(0, len(keys), 500)]
            for batch in ground.progress(batches, f"{chunk._meta.verbose_name}s in batches"):
                cursor.execute(statement, {"model": get_embedder().name, "passages": passages, "documents": batch})
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _passages() -> list[str]:
    """From each sentence of the corpus on some WORDS words."""
    rows = ground.read(Path(__file__).parent / "corpus", "passages")
    sentences = re.split(r"(?<=[.?!])\s+", " ".join(row["text"] for row in rows))
    texts = []
    for first in range(len(sentences)):
        last = first + 1
        while last < len(sentences) and len(" ".join(sentences[first:last]).split()) < WORDS:
            last += 1
        texts.append(" ".join(sentences[first:last]))
    return texts


def _prepare(chunks: int) -> int:
    """Embed passages, some hundreds at least and fewer for a small database, and make the noise. How many there are."""
    embedder = get_embedder()
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('benchmark_passage') IS NOT NULL")
        if not (cursor.fetchone() or (False,))[0]:
            texts = _passages()
            texts = texts[:: max(1, len(texts) // max(100, chunks // 5))]
            cursor.execute(
                "CREATE TABLE benchmark_passage (id bigint, text text, tokens int, embedding halfvec, search tsvector)"
            )
            cursor.execute("CREATE TABLE benchmark_noise (id bigint, embedding halfvec)")
            for start in ground.progress(range(0, len(texts), 32), "batches of passages embedded"):
                some = texts[start : start + 32]
                cursor.executemany(
                    "INSERT INTO benchmark_passage VALUES (%s, %s, %s, %s::halfvec, to_tsvector('english', %s))",
                    [
                        (start + n, text, embedder.count_tokens(text), str(vector.tolist()), text)
                        for n, (text, vector) in enumerate(zip(some, embedder.embed_passages(some), strict=True))
                    ],
                )
            noise = np.random.default_rng(1).normal(size=(1000, embedder.dimensions))
            noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
            cursor.executemany(
                "INSERT INTO benchmark_noise VALUES (%s, %s::halfvec)",
                [(number, str(vector.tolist())) for number, vector in enumerate(noise)],
            )
        cursor.execute("SELECT count(*) FROM benchmark_passage")
        return int((cursor.fetchone() or (0,))[0])
