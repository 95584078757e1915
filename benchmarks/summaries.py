"""Whether a summary stands for its text: articles are summarised without their first paragraph, which tells the rest.

    python -m benchmarks.summaries CORPUS [--sample 24] [--data DIRECTORY] [--json FILE]

CORPUS as for benchmarks.quality. Each article of at least eight paragraphs is a document, without its first paragraph;
a chatbot that reads all of them is asked “Summarise TITLE”, with the answerer that needs no language model. Recall,
precision and F1 are of the stems of the first paragraph, function words left out. Beside the product stand as many
sentences by lot (the mean of ten lots), and as many first sentences of paragraphs at even distances. "Right document"
is the share of citations that are from the article that was named, "alike" the mean share of the stems of a sentence
that another one of the summary has, too.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.answers import QUOTATION
from benchmarks.ground import database, options, progress, read, table, write

if TYPE_CHECKING:
    from chatbots.models import Chatbot
    from schools.models import Membership

LEAST_PARAGRAPHS = 8
LOTS = 10


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sample", type=int, default=24, help="articles")
    chosen = parser.parse_args()
    articles = defaultdict[str, list[str]](list)
    for passage in read(chosen.corpus, "passages"):
        articles[passage["title"].replace("_", " ")].append(" ".join(passage["text"].split()))
    long = {title: texts for title, texts in articles.items() if len(texts) >= LEAST_PARAGRAPHS}
    some = dict(list(long.items())[: chosen.sample])
    with database(chosen.data):
        result = measured(some)
    print(table(result, "summaries"))
    write(result, chosen.json)


def measured(articles: dict[str, list[str]]) -> dict[str, dict[str, str]]:
    """Return the figures of each way, by its name."""
    from chatbots.conversations.asking import ask
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.streaming import jobs
    from text.sentences import split_sentences

    chatbot, member = _chatbot(articles)
    ways: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
    right: list[float] = []
    for title, (lead, *paragraphs) in progress(list(articles.items()), "summaries"):
        message = ask(policy=MemberPolicy(member), chatbot=chatbot, question=f"Summarise {title}")
        for _ in jobs.answer(message.pk):
            pass
        message.refresh_from_db()
        quoted = QUOTATION.findall(message.answer)
        own = [words[one.start : one.end] for words in quoted for one in split_sentences(words)]
        cited = [source.document_title == title for source in message.sources.all() if source.is_cited]
        right.append(fmean(cited) if cited else 0.0)
        sentences = [[text[one.start : one.end] for one in split_sentences(text)] for text in paragraphs]
        every = [sentence for paragraph in sentences for sentence in paragraph]
        count = max(1, len(own))
        ways["the product"].append((own, lead))
        step = len(sentences) / count
        ways["first sentences"].append(([sentences[int(i * step)][0] for i in range(count)], lead))
        for seed in range(LOTS):
            ways["by lot"].append((random.Random(seed).sample(every, min(count, len(every))), lead))  # noqa: S311
    rows = {name: figures(summaries) for name, summaries in ways.items()}
    rows["the product"]["right document"] = f"{100 * fmean(right):.0f}"
    base = fmean(f1(*summary) for summary in ways["by lot"])
    for name, summaries in ways.items():
        rows[name]["F1 ÷ by lot"] = f"{fmean(f1(*one) for one in summaries) / base:.2f}"
    return rows


def figures(summaries: Sequence[tuple[list[str], str]]) -> dict[str, str]:
    """Return the means over summaries, each with its reference."""
    words = [sum(len(sentence.split()) for sentence in own) for own, _ in summaries]
    return {
        "recall": f"{fmean(overlap(*one)[0] for one in summaries):.3f}",
        "precision": f"{fmean(overlap(*one)[1] for one in summaries):.3f}",
        "F1": f"{fmean(f1(*one) for one in summaries):.3f}",
        "alike": f"{fmean(alike(own) for own, _ in summaries):.3f}",
        "sentences": f"{fmean(len(own) for own, _ in summaries):.1f}",
        "words": f"{fmean(words):.0f}",
    }


def overlap(own: Sequence[str], reference: str) -> tuple[float, float]:
    """Return recall and precision of the stems of a reference (ROUGE-1 of Lin, 2004, by types)."""
    said, wanted = _stems(" ".join(own)), _stems(reference)
    shared = len(said & wanted)
    return shared / max(1, len(wanted)), shared / max(1, len(said))


def f1(own: Sequence[str], reference: str) -> float:
    """Return the harmonic mean of both."""
    recall, precision = overlap(own, reference)
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def alike(own: Sequence[str]) -> float:
    """Return the mean share of a sentence's stems that the sentence most like it has, too."""
    every = [_stems(sentence) for sentence in own]
    shares = [
        max((len(one & other) / max(1, len(one)) for j, other in enumerate(every) if i != j), default=0.0)
        for i, one in enumerate(every)
    ]
    return fmean(shares) if shares else 0.0


def _stems(text: str) -> set[str]:
    from text.function_words import content_stems

    return content_stems(text, "en") if text.split() else set()


def _chatbot(articles: dict[str, list[str]]) -> tuple[Chatbot, Membership]:
    """A chatbot that reads all articles, which are indexed unless an earlier run has done that."""
    from django.core.files.base import ContentFile

    from chatbots.models import Chatbot
    from chatbots.services import set_school_documents
    from config.celery import app
    from corpus.ingestion.indexing import index_next_document
    from school_library import services
    from school_library.models import SchoolDocument
    from schools.models import Membership, Role, School, User

    member = Membership.objects.filter(school__slug="summaries").select_related("school", "user").first()
    if member is None:
        school = School.objects.create(name="Summaries", slug="summaries")
        user = User.objects.create(email="teacher@summaries.example", name="Teacher")
        member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
    app.conf.broker_url = "memory://"
    documents = [
        services.upload(
            member=member, title=title, file=ContentFile("\n\n".join(texts[1:]).encode(), name=f"{number}.md")
        )[0].pk
        for number, (title, texts) in enumerate(articles.items())
    ]
    while index_next_document(SchoolDocument.objects.all()):
        pass
    made, _ = Chatbot.objects.get_or_create(school=member.school, owner=member.user, name="Summaries")
    set_school_documents(chatbot=made, member=member, documents=documents)
    return made, member


if __name__ == "__main__":
    main()
