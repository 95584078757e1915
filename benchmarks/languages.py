"""Questions in one language to documents in another, or in two: is the right paragraph among the five places?

    python -m benchmarks.languages [--questions N] [--data DIRECTORY] [--json FILE]

XQuAD has 240 paragraphs and 1,190 questions, the same in English, German and Spanish. A school of each language has
the paragraphs as its library, a chunk a paragraph; a school of two languages has every other article in each. Each
question is asked as a person asks it and goes all the way to the answer. *Found* is the share of all questions for
which the right paragraph is among the passages that the answer was written from, by whether its language is that of
the question in the schools of two; *answered* is the share that is not refused, *quoted* the share of which the answer
has the words of the right one.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.embedders import CORPUS
from benchmarks.ground import database, options, progress, read, table, write

if TYPE_CHECKING:
    from chatbots.models import Chatbot, Message

CONFIGURATIONS = {"en": "english", "de": "german", "es": "spanish"}
ASKED = {"en": ["en", "de", "es"], "de": ["de"], "en+de": ["en", "de"]}
"""Languages of the documents, with those of the questions."""

Paragraphs = dict[str, list[dict[str, Any]]]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--questions", type=int, default=300, help="of each language, the same in all (default: 300)")
    parser.add_argument("--only", default="", help="such as en+de: documents in these languages alone")
    chosen = parser.parse_args()
    if not CORPUS.is_dir():
        sys.exit(f"XQuAD is not here: {CORPUS}.")
    rows = {language: read(CORPUS, language) for language in CONFIGURATIONS}
    places = [(place, n) for place, row in enumerate(rows["en"]) for n in range(len(row["questions"]))]
    asked = random.Random(7).sample(places, min(chosen.questions, len(places)))  # noqa: S311
    with database(chosen.data):
        result = {}
        for name in [chosen.only] if chosen.only else ASKED:
            texts = mix(rows, name.split("+"))
            chatbot = load(name, texts)
            for language in ASKED[name]:
                result[f"{language} to {name}"] = measure(chatbot, texts, rows[language], language, asked)
    print(table(result, "questions to paragraphs"))
    write(result, chosen.json)


def mix(rows: Paragraphs, languages: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return each paragraph in the language of its article, with that language."""
    titles = list(dict.fromkeys(row["title"] for row in rows["en"]))
    of = {title: languages[number % len(languages)] for number, title in enumerate(titles)}
    return [(of[row["title"]], rows[of[row["title"]]][place]) for place, row in enumerate(rows["en"])]


def measure(
    chatbot: Chatbot,
    texts: Sequence[tuple[str, dict[str, Any]]],
    rows: Sequence[dict[str, Any]],
    language: str,
    asked: Sequence[tuple[int, int]],
) -> dict[str, str]:
    from chatbots.models import Mode

    found: dict[bool, list[bool]] = {True: [], False: []}
    answered, quoted = [], []
    for place, n in progress(asked, f"{language} to {chatbot.name}"):
        message = ask_chatbot(chatbot, rows[place]["questions"][n]["q"])
        own, row = texts[place]
        found[own == language].append(any(row["paragraph"] in one.text for one in message.sources.all()))
        answered.append(message.mode != Mode.REFUSED)
        quoted.append(row["questions"][n]["a"].rstrip(".") in message.answer)
    every = found[True] + found[False]
    shares = {"found": every, "answered": answered, "quoted": quoted}
    if found[True] and found[False]:
        shares |= {"found in its language": found[True], "found in the other": found[False]}
    return {what: f"{sum(hits) / len(hits):.1%}" for what, hits in shares.items()}


def ask_chatbot(chatbot: Chatbot, question: str) -> Message:
    """Ask as its owner, and wait for the answer."""
    from chatbots.conversations.asking import ask
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.streaming import jobs
    from schools.models import Membership

    member = Membership.objects.select_related("school", "user").get(school=chatbot.school, user=chatbot.owner)
    message = ask(policy=MemberPolicy(member), chatbot=chatbot, question=question)
    jobs.start(message).wait()
    message.refresh_from_db()
    return message


def load(name: str, texts: Sequence[tuple[str, dict[str, Any]]]) -> Chatbot:
    """Make the school with its library and a chatbot, unless an earlier run with the same --data has made it."""
    from chatbots.models import Chatbot
    from chatbots.services import set_school_documents
    from corpus.embedding.chunk_text import embedding_text
    from corpus.ingestion.chunking import Piece
    from corpus.ingestion.replace_chunks import chunk_row
    from engines.embedding import get_embedder
    from school_library.models import SchoolChunk, SchoolDocument
    from schools.models import Membership, Role, School, User

    slug = f"xquad-{name.replace('+', '-')}"
    school, is_new = School.objects.get_or_create(slug=slug, defaults={"name": slug})
    if is_new:
        user = User.objects.create(email=f"teacher@{slug}.example", name="Benchmark")
        member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
        embedder = get_embedder()
        articles: dict[tuple[str, str], list[str]] = {}
        for language, row in texts:
            articles.setdefault((language, row["title"]), []).append(row["paragraph"])
        for (language, title), paragraphs in articles.items():
            document = SchoolDocument.objects.create(
                school=school,
                title=title.replace("_", " "),
                language=CONFIGURATIONS[language],
                answering_version=1,
                status="ready",
            )
            vectors = embedder.embed_passages([embedding_text((), text) for text in paragraphs])
            SchoolChunk.objects.bulk_create(
                chunk_row(document, Piece(n, n, (), None, None, f"{text}\n\n", 0), vectors[n], embedder.name)
                for n, text in enumerate(paragraphs)
            )
        chatbot = Chatbot.objects.create(school=school, owner=user, name=name)
        keys = SchoolDocument.objects.filter(school=school).values_list("pk", flat=True)
        set_school_documents(chatbot=chatbot, member=member, documents=list(keys))
    return Chatbot.objects.select_related("school", "owner").get(school=school)


if __name__ == "__main__":
    main()
