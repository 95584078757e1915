"""How good the answers are that need no language model: is the answer in what they quote, and is the right one cited?

    python -m benchmarks.answers CORPUS [--sample 200] [--sections] [--archive ZIM] [--data DIRECTORY] [--json FILE]

CORPUS as for benchmarks.quality, with an `answer` for some questions, and distractors. Its articles are the documents
of one school, by lot a teacher's own or the library's: a chunk a paragraph, which is also what is read, or with
--sections as many as fit a block. Each question is asked in a conversation of its own with a chatbot that reads all of
them (weights 60 and 40, five places) and goes all the way: search, quotation, citations, support, rows. The text is
then read as people read it. The first number is the share of all questions, the second that of the answered ones.
"Unseen" are the articles that the weights of the ranking and corpus.search.relevance were not fitted on. "Refusing
nothing" tells of the answerer alone, without the threshold of relevance: what was refused is asked again without it.

Kept and refused are questions on articles inside and beside bases of several sizes, put together as in
benchmarks.quality and searched by the product's own retrieval. With --archive they are asked once more while offline
Wikipedia fills in from this ZIM file, which should have nothing on the articles: both rows should be the same. --sample
asks fewer of each kind: 100 take a minute or two; with --data the passages are embedded only the first time.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from benchmarks.calibration import PER_BASE, halved
from benchmarks.ground import database, options, percentiles, progress, read, table, write

if TYPE_CHECKING:
    from chatbots.models import Chatbot, Message
    from schools.models import Membership

BASES = {33: 40, 100: 24, 300: 14}
"""Chunks in a base, and how many bases of that size are drawn."""

FILLER = 20
"""Distractors in one document: they have no titles, and small documents let a base of any size be put together."""

BLOCK_TOKENS = 1024

BARS = {
    "answer in 3 sentences": 86,
    "first citation right": 87,
}
REFUSAL_BAR = 95.0
"""Of the questions without evidence refused, and of the others kept, in bases of up to 300 chunks."""

QUOTATION = re.compile(r"“((?:[^“”]|“[^“”]*”)*)”")
_MARKER = re.compile(r"(?<!\\)\[(\d{1,3})\]")

Question = dict[str, Any]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sample", type=int, default=10_000, help="ask at most so many of each kind")
    parser.add_argument("--sections", action="store_true", help="read the paragraphs around the one found, too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--archive", type=Path, help="a ZIM file that fills in")
    chosen = parser.parse_args()
    passages, questions = read(chosen.corpus, "passages"), read(chosen.corpus, "questions")
    more = read(chosen.corpus, "distractors")
    answerable = [question for question in questions if question["answerable"]]
    rng = random.Random(chosen.seed)  # noqa: S311
    known = [question for question in answerable if question.get("answer")]
    without = [question for question in questions if not question["answerable"]]
    known, without = (rng.sample(group, min(chosen.sample, len(group))) for group in (known, without))
    unseen = set(halved({passage["title"] for passage in passages}, 1))
    with database(chosen.data):
        base = loaded(passages, more, sections=chosen.sections)
        outcomes = [(question, answered(base, question)) for question in progress(known, "answers")]
        anyway = [
            (question, one if one.sentences else answered_anyway(base, question))
            for question, one in progress(outcomes, "refusing nothing")
        ]
        unsaid = [(question, answered(base, question)) for question in progress(without, "not answerable")]
        refusals = refusing(base, answerable, rng, chosen.sample, archive=chosen.archive)
    groups = {
        "all articles": outcomes,
        "unseen articles": [one for one in outcomes if one[0]["title"] in unseen],
        "all, refusing nothing": anyway,
        "unseen, refusing nothing": [one for one in anyway if one[0]["title"] in unseen],
    }
    result: dict[str, dict[str, dict[str, Any]]] = {
        "answers": {name: measures([outcome for _, outcome in group]) for name, group in groups.items()},
        "refused": {
            "the answer stands there": refused([outcome for _, outcome in outcomes]),
            "on topic, but not answerable": refused([outcome for _, outcome in unsaid]),
        },
        "kept and refused, unseen articles": refusals,
        "milliseconds": {
            "an answer": percentiles([one.milliseconds for _, one in outcomes]),
            "of the processor": percentiles([one.processor for _, one in outcomes]),
            "of it, reading": percentiles([one.reading for _, one in outcomes]),
        },
    }
    for name, rows in result.items():
        print(f"\n{table(rows, name)}")
    write(result, chosen.json)


@dataclass(frozen=True)
class Base:
    """What was loaded: the chatbot, who asks it, the documents by title, the filler, and where each passage went."""

    chatbot: Chatbot
    member: Membership
    articles: dict[str, UUID]
    filler: list[UUID]
    texts: dict[Any, str]
    chunks: Counter[str]


@dataclass(frozen=True)
class Outcome:
    """An answer as it is read: its sentences in order, which citations are of the gold passage, how long it took."""

    sentences: list[str] = field(default_factory=list)
    cited: list[bool] = field(default_factory=list)
    found: bool = False  # the gold passage among the sources
    place: int | None = None  # of the first sentence with the gold answer
    words: int = 0
    milliseconds: float = 0.0
    processor: float = 0.0  # of this process, without PostgreSQL, in milliseconds
    reading: float = 0.0  # of it
    is_unsure: bool = False  # and says so


def answered(base: Base, question: Question) -> Outcome:
    """Ask the chatbot, and read what it says."""
    from chatbots.conversations.asking import ask
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.models import Mode
    from chatbots.streaming import jobs

    message = ask(policy=MemberPolicy(base.member), chatbot=base.chatbot, question=question["question"])
    started, used = time.perf_counter(), time.process_time()
    jobs.start(message).wait()
    spent, used = 1000 * (time.perf_counter() - started), 1000 * (time.process_time() - used)
    message.refresh_from_db()
    if message.mode != Mode.GROUNDED:
        return Outcome(milliseconds=spent, processor=used)
    return outcome(message, flat(base.texts[question["passage"]]), question.get("answer") or "", (spent, used))


def answered_anyway(base: Base, question: Question) -> Outcome:
    """`answered` without the threshold of relevance."""
    from django.test import override_settings

    with override_settings(LECTERN_RELEVANCE_THRESHOLD=0.0):
        return answered(base, question)


def outcome(message: Message, gold: str, answer: str, spent: tuple[float, float]) -> Outcome:
    from chatbots.quoting.answerer import UNSURE
    from text.sentences import split_sentences

    right = {source.number for source in message.sources.all() if gold in flat(source.text)}
    quotations = [flat(words.replace("\\[", "[")) for words in QUOTATION.findall(message.answer)]
    sentences = [words[one.start : one.end] for words in quotations for one in split_sentences(words)]
    wanted = plain(answer)
    hits = (place for place, words in enumerate(sentences) if wanted and wanted in plain(words))
    return Outcome(
        sentences=sentences,
        cited=[int(number) in right for number in _MARKER.findall(QUOTATION.sub("", message.answer))],
        found=bool(right),
        place=next(hits, None),
        words=sum(len(words.split()) for words in quotations),
        milliseconds=spent[0],
        processor=spent[1],
        reading=message.timings.get("read_ms", 0.0),
        is_unsure=UNSURE["en"] in message.answer,
    )


def measures(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Shares of all questions and, after a stroke, of those that were answered, with the bars."""
    grounded = [one for one in outcomes if one.sentences]

    def share(hits: Sequence[bool], name: str = "") -> str:
        of_answered = 100 * sum(hits) / max(len(grounded), 1)
        bar = f" (bar {BARS[name]})" if name in BARS else ""
        return f"{100 * sum(hits) / max(len(outcomes), 1):.1f} / {of_answered:.1f}{bar}"

    first = [one.place for one in grounded]
    cited = [hit for one in grounded for hit in one.cited]
    return {
        "questions": str(len(outcomes)),
        "answered %": f"{100 * len(grounded) / max(len(outcomes), 1):.1f}",
        "gold passage among the sources": share([one.found for one in grounded]),
        **{
            f"answer in {count} sentence{'s' * (count > 1)}": share(
                [place is not None and place < count for place in first], f"answer in {count} sentences"
            )
            for count in (1, 2, 3, 4)
        },
        "answer quoted": share([place is not None for place in first]),
        "first citation right": share([one.cited[:1] == [True] for one in grounded], "first citation right"),
        "citations right %": f"{100 * sum(cited) / max(len(cited), 1):.1f}",
        "gold passage cited": share([any(one.cited) for one in grounded]),
        "sentences": f"{np.mean([len(one.sentences) for one in grounded]):.2f}",
        "words": f"{np.mean([one.words for one in grounded]):.0f}",
    }


def refused(outcomes: Sequence[Outcome]) -> dict[str, str]:
    refusals = sum(not one.sentences for one in outcomes)
    unsure = sum(one.is_unsure for one in outcomes)
    return {
        "questions": str(len(outcomes)),
        "refused %": f"{100 * refusals / max(len(outcomes), 1):.1f}",
        "refused, or only the closest shown %": f"{100 * (refusals + unsure) / max(len(outcomes), 1):.1f}",
    }


def refusing(
    base: Base, answerable: Sequence[Question], rng: random.Random, most: int, *, archive: Path | None = None
) -> dict[str, dict[str, str]]:
    """Questions kept on articles in a base and refused on those beside it, by its size; unseen articles only."""
    from chatbots.answering.retrieval import retrieve

    more = {"": []} | ({", with the archive": [_archive(base, archive)]} if archive else {})
    titles = halved(base.articles, 1)
    chunks = base.chunks
    result: dict[str, dict[str, str]] = {}
    for size, bases in BASES.items():
        kept: dict[str, list[bool]] = {name: [] for name in more}
        refused: dict[str, list[bool]] = {name: [] for name in more}
        for _ in progress(range(bases), f"refusal at {size}"):
            rng.shuffle(titles)
            count = max(1, min(len(titles) * 5 // 9, round(size / 50)))
            inside, outside = titles[:count], titles[count:]
            missing = max(0, size - sum(chunks[title] for title in inside)) // FILLER
            filler = rng.sample(base.filler[1::2], min(missing, len(base.filler[1::2])))
            sources = _sources(base, [*(base.articles[title] for title in inside), *filler])
            for group, chosen, found in ((inside, True, kept), (outside, False, refused)):
                pool = [question for question in answerable if question["title"] in group]
                for question in rng.sample(pool, min(PER_BASE // 2, len(pool), max(1, most // bases))):
                    for name, fill in more.items():
                        placed = retrieve(question["question"], [*sources, *fill], places=base.chatbot.places).placed
                        found[name].append(bool(placed) == chosen)
        for name in more:
            result[f"base of {size} chunks{name}"] = {
                "answerable kept %": f"{100 * np.mean(kept[name]):.1f} (bar {REFUSAL_BAR:.0f})",
                "without evidence refused %": f"{100 * np.mean(refused[name]):.1f} (bar {REFUSAL_BAR:.0f})",
                "questions": str(len(kept[name]) + len(refused[name])),
            }
    return result


def _archive(base: Base, path: Path) -> Any:
    """Offline Wikipedia, filling in from this file."""
    from chatbots.answering.retrieval import WeightedSource
    from references.offline.adding import add_archive
    from references.offline.source import offline_source

    add_archive(path, progress=lambda *_: None)
    source = offline_source(base.chatbot)
    assert source is not None
    return WeightedSource(source, 0, fills_in=True)


def loaded(passages: Sequence[Question], more: Sequence[Question], *, sections: bool) -> Base:
    """The school with its documents, made unless an earlier run with the same --data has made it."""
    from chatbots.models import Chatbot
    from chatbots.services import set_personal_documents, set_school_documents
    from knowledge.models import PersonalDocument
    from school_library.models import SchoolDocument
    from schools.models import Membership, Role, School, User

    name = "answers-sections" if sections else "answers"
    member = Membership.objects.filter(school__slug=name).select_related("school", "user").first()
    if member is None:
        school = School.objects.create(name="Benchmark", slug=name)
        user = User.objects.create(email=f"teacher@{name}.example", name="Benchmark")
        member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
        _load(member, passages, more, sections=sections)
    titles = {passage["title"] for passage in passages}
    both = (
        PersonalDocument.objects.filter(school=member.school),
        SchoolDocument.objects.filter(school=member.school),
    )
    keys = [one for documents in both for one in documents.order_by("pk").values_list("title", "pk")]
    articles = {title: key for title, key in keys if title in titles}
    chatbot, _ = Chatbot.objects.get_or_create(school=member.school, owner=member.user, name="Benchmark")
    set_personal_documents(chatbot=chatbot, member=member, documents=articles.values())
    set_school_documents(chatbot=chatbot, member=member, documents=articles.values())
    filler = [key for title, key in keys if title not in titles]
    texts = {passage["id"]: passage["text"] for passage in passages}
    return Base(chatbot, member, articles, filler, texts, Counter(passage["title"] for passage in passages))


def _load(member: Membership, passages: Sequence[Question], more: Sequence[Question], *, sections: bool) -> None:
    """A document an article, by lot a personal one or one of the library, and the filler in the library."""
    from corpus.embedding.chunk_text import embedding_text
    from corpus.ingestion.chunking import Piece
    from corpus.ingestion.replace_chunks import chunk_row
    from engines.embedding import get_embedder
    from knowledge.models import PersonalChunk, PersonalDocument
    from school_library.models import SchoolChunk, SchoolDocument

    embedder = get_embedder()
    rng = random.Random(1)  # noqa: S311
    texts: dict[str, list[Question]] = {}
    for number, passage in enumerate([*passages, *more]):
        own = number < len(passages)
        texts.setdefault(passage["title"] if own else f"{(number - len(passages)) // FILLER}", []).append(passage)
    personal = set(rng.sample(titles := sorted({passage["title"] for passage in passages}), len(titles) // 2))
    for key, group in progress(list(texts.items()), "storing"):
        shared = {
            "school": member.school,
            "title": group[0]["title"][:200],
            "answering_version": 1,
            "status": "ready",
        }
        document: Any = (
            PersonalDocument.objects.create(owner=member.user, **shared)
            if key in personal
            else SchoolDocument.objects.create(**shared)
        )
        rows, block, filled = [], 0, 0
        vectors = embedder.embed_passages([embedding_text((), one["text"]) for one in group])
        for position, one in enumerate(group):
            tokens = embedder.count_tokens(one["text"])
            if position and (not sections or filled + tokens > BLOCK_TOKENS):
                block, filled = block + 1, 0
            filled += tokens
            piece = Piece(position, block, (), None, None, one["text"] + "\n\n", tokens)
            rows.append(chunk_row(document, piece, vectors[position], embedder.name))
        (PersonalChunk if key in personal else SchoolChunk).objects.bulk_create(rows)


def _sources(base: Base, documents: Sequence[UUID]) -> Any:
    """What a chatbot that reads these documents would search."""
    from chatbots.answering.retrieval import WeightedSource
    from knowledge.models import PersonalDocument
    from knowledge.sources import PersonalSource
    from school_library.models import SchoolDocument
    from school_library.sources import SchoolSource

    school, chatbot = base.member.school, base.chatbot
    weights = {row.kind: row.weight for row in chatbot.all_sources()}
    sources = (
        PersonalSource(school, PersonalDocument.objects.filter(pk__in=documents)),
        SchoolSource(school, SchoolDocument.objects.filter(pk__in=documents)),
    )
    both = [WeightedSource(source, weights[source.kind.value]) for source in sources]
    return [one for one in both if not one.source.is_empty()]


def flat(text: str) -> str:
    return " ".join(text.split())


def plain(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return flat("".join(letter.lower() if letter.isalnum() else " " for letter in text))


if __name__ == "__main__":
    main()
