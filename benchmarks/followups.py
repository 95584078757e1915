"""Whether follow-up questions find their passage without a language model, and changes of topic are left alone.

    python -m benchmarks.followups [FOREIGN] [--data DIRECTORY] [--json result.json]

Hand-written questions (corpus/followups/questions.jsonl) on the demo's documents and two German ones are asked in
conversations with the product: those before, then the follow-up. A passage is the right one if it holds the given
words. The rule was made looking at the half "tuning"; "check" was kept for the end. Neighbours are the questions of
corpus/questions.jsonl, each asked after the one before it: changes of topic within the same documents. FOREIGN is a
directory with questions.jsonl[.gz] beside all of these documents: 150 of them, asked in conversations, are to be
refused.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.ground import database, options, progress, read, table, write

if TYPE_CHECKING:
    from chatbots.models import Chat, Chatbot, Message
    from schools.models import Membership

CORPUS = Path(__file__).parent / "corpus"
WAYS = ("question alone", "always combined", "the product")
SCHOOLS = {"riverside": "en", "hillcrest": "en", "lindengymnasium": "de"}


@dataclass(frozen=True)
class Outcome:
    """Of one question: the rank of the right passage or None, how many were found, whether it stood alone."""

    rank: int | None
    found: int
    alone: bool
    quoted: bool | None = None


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("foreign", nargs="?", type=Path)
    chosen = parser.parse_args()
    rows = [*read(CORPUS / "followups", "questions"), *neighbours()]
    if chosen.foreign:
        rows += foreign(chosen.foreign)
    with database(chosen.data):
        chatbots = {name: chatbot(name, language) for name, language in SCHOOLS.items()}
        measured = [(row, asked(row, *chatbots[row["school"]])) for row in progress(rows, "conversations")]
    result: dict[str, dict[str, Any]] = {}
    for title, kind, half in (
        ("Follow-ups, tuning half", "follow-up", "tuning"),
        ("Follow-ups, check half", "follow-up", "check"),
        ("Changes of topic, tuning half", "change", "tuning"),
        ("Changes of topic, check half", "change", "check"),
        ("Neighbours", "neighbour", ""),
        *([("Foreign", "foreign", "")] if chosen.foreign else []),
    ):
        group = [(row, ways) for row, ways in measured if (row["kind"], row["half"]) == (kind, half)]
        held = [ways for row, ways in group if row["holds"]]
        without = [ways for row, ways in group if not row["holds"]]
        result[f"{title} ({len(group)})"] = {
            way: measures([ways[way] for ways in held], [ways[way] for ways in without]) for way in WAYS
        }
    for name, ways in result.items():
        print(f"\n{table(ways, name)}")
    write(result, chosen.json)


def neighbours() -> list[dict[str, Any]]:
    """Each question of the small corpus after the one before it, where both are of one school."""
    texts = {passage["id"]: passage["text"] for passage in read(CORPUS, "passages")}
    hillcrest = {"hillcrest-handbook", "laboratory-rules", "science-course-guide", "rates-of-reaction-notes"}
    questions = read(CORPUS, "questions")
    return [
        {
            "half": "",
            "kind": "neighbour",
            "school": "hillcrest" if here["title"] in hillcrest else "riverside",
            "earlier": [before["question"]],
            "question": here["question"],
            "holds": flat(texts[here["passage"]])[:50],
        }
        for before, here in pairwise(questions)
        if (before["title"] in hillcrest) == (here["title"] in hillcrest)
    ]


def foreign(corpus: Path) -> list[dict[str, Any]]:
    """Questions that the documents here do not answer, each after one that they do."""
    wanted = [question["question"] for question in read(corpus, "questions") if question["answerable"]]
    earlier = cycle([row for row in neighbours() if row["school"] == "riverside"])
    return [
        {**before, "kind": "foreign", "question": question, "holds": ""}
        for question, before in zip(random.Random(1).sample(wanted, 150), earlier, strict=False)  # noqa: S311
    ]


def chatbot(name: str, language: str) -> tuple[Chatbot, Membership]:
    """A school's chatbot that reads all of its documents, which are indexed unless an earlier run has done that."""
    from django.core.files.base import ContentFile

    from chatbots.models import Chatbot
    from chatbots.services import set_school_documents
    from config.celery import app
    from corpus.ingestion.indexing import index_next_document
    from demo.catalogue import CONTENT
    from school_library import services
    from school_library.models import SchoolDocument
    from schools.models import Membership, Role, School, User

    member = Membership.objects.filter(school__slug=name).select_related("school", "user").first()
    if member is None:
        school = School.objects.create(name=name, slug=name)
        user = User.objects.create(email=f"teacher@{name}.example", name=name)
        member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
    app.conf.broker_url = "memory://"  # nobody waits for the bells
    own = sorted((CONTENT / name).rglob("*.*")) or sorted((CORPUS / "followups").glob("*.md"))
    documents = [
        services.upload(member=member, file=ContentFile(path.read_bytes(), name=path.name))[0].pk
        for path in progress(own, f"{name}: documents")
    ]
    while index_next_document(SchoolDocument.objects.all()):
        pass
    made, _ = Chatbot.objects.get_or_create(
        school=member.school, owner=member.user, name=name, defaults={"language": language}
    )
    set_school_documents(chatbot=made, member=member, documents=documents)
    return made, member


def asked(row: dict[str, Any], chatbot: Chatbot, member: Membership) -> dict[str, Outcome]:
    """The question by itself, always combined, and in its conversation."""
    from chatbots.answering.query_rewriting import combine_with_history
    from chatbots.answering.request import load_history
    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import select_sources

    alone = answered(chatbot, member, row["question"])
    chat = None
    for question in row["earlier"]:
        chat = answered(chatbot, member, question, chat).chat
    product = answered(chatbot, member, row["question"], chat)
    text = combine_with_history(row["question"], load_history(product))
    together = retrieve(text, select_sources(chatbot), places=chatbot.places).placed
    return {
        "question alone": outcome(alone, row["holds"]),
        "always combined": Outcome(
            rank([placed.passage.text for placed in together], row["holds"]), len(together), alone=False
        ),
        "the product": outcome(product, row["holds"]),
    }


def answered(chatbot: Chatbot, member: Membership, question: str, chat: Chat | None = None) -> Message:
    from chatbots.conversations.asking import ask
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.streaming import jobs

    message = ask(policy=MemberPolicy(member), chatbot=chatbot, question=question, chat=chat)
    jobs.start(message).wait()
    message.refresh_from_db()
    return message


def outcome(message: Message, holds: str) -> Outcome:
    texts = [source.text for source in message.sources.order_by("number")]
    quoted = bool(holds) and plain(holds) in plain(message.answer)
    return Outcome(rank(texts, holds), len(texts), alone=not message.searched_for, quoted=quoted)


def rank(texts: Sequence[str], holds: str) -> int | None:
    hits = (place for place, text in enumerate(texts) if holds and holds in flat(text))
    return next(hits, None)


def measures(held: Sequence[Outcome], without: Sequence[Outcome]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if held:
        found["R@1"] = share([one.rank == 0 for one in held])
        found["R@5"] = share([one.rank is not None for one in held])
        if held[0].quoted is not None:
            found["words in the answer"] = share([bool(one.quoted) for one in held])
    found["searched alone"] = share([one.alone for one in (*held, *without)])
    if without:
        found["without evidence refused"] = f"{sum(not one.found for one in without)} of {len(without)}"
    return found


def share(hits: Sequence[bool]) -> float:
    return round(sum(hits) / len(hits), 3)


def flat(text: str) -> str:
    return " ".join(text.split())


def plain(text: str) -> str:
    """Without marks of Markdown and quotation, to compare an answer's words."""
    return flat("".join(letter if letter.isalnum() else " " for letter in text))


if __name__ == "__main__":
    main()
