"""Write a sample of practice questions with their sources, for people who judge them.

    python -m benchmarks.learning.sample FILE [--textbook FOLDER] [--squad DIR] [--questions 200] [--seed 1]

A study plan is made without a language model of each Markdown file of the textbook, and of each of twenty articles of
SQuAD. FILE gets a random sample of their questions: prompt, options, marked answer, explanation and cited passages. Two
readers who do not know the code judge each question alone: can it be answered from the passage, and is the marked
answer the only right one? Both must agree.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import ground

ARTICLES = 20


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--textbook", type=Path)
    parser.add_argument("--squad", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    texts = [*_chapters(options.textbook), *_articles(options.squad, options.seed)]
    if not texts:
        print("Name a textbook or a corpus. Nothing was written.")
        return
    with ground.database(options.data):
        from config.celery import app

        app.conf.broker_url = "memory://"  # nobody hears what is sent to a worker
        questions = [one for title, text in ground.progress(texts, "plans") for one in _questions(title, text)]
    chosen = random.Random(options.seed).sample(questions, min(options.questions, len(questions)))  # noqa: S311
    options.file.write_text("\n".join(f"## {n}. {one}" for n, one in enumerate(chosen, start=1)))
    print(f"{len(chosen)} of {len(questions)} questions of {len(texts)} plans are in {options.file}.")


def _chapters(folder: Path | None) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*.md")) if folder and folder.is_dir() else ():
        if path.name != "README.md":
            yield path.stem, path.read_text()


def _articles(corpus: Path | None, seed: int) -> Iterator[tuple[str, str]]:
    by_title: dict[str, list[str]] = defaultdict(list)
    for row in ground.read(corpus, "passages") if corpus and corpus.is_dir() else ():
        by_title[row["title"]].append(row["text"])
    titles = random.Random(seed).sample(sorted(by_title), min(ARTICLES, len(by_title)))  # noqa: S311
    for title in titles:
        yield title, f"# {title.replace('_', ' ')}\n\n" + "\n\n".join(by_title[title])


def _questions(title: str, text: str) -> Iterator[str]:
    from django.core.files.base import ContentFile

    from corpus.ingestion.indexing import index_next_document
    from learning.models import Question
    from learning.planning.making import make_next_plan
    from learning.planning.services import create_plan
    from school_library import services
    from school_library.models import SchoolDocument
    from schools.models import Membership, Role, School, User

    slug = f"sample-{School.objects.count()}"
    school = School.objects.create(name=title, slug=slug)
    user = User.objects.create_user(f"{slug}@lectern.example", "unused")
    member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
    document, _ = services.upload(member=member, file=ContentFile(text.encode(), name="text.md"))
    index_next_document(SchoolDocument.objects.for_school(school))
    plan = create_plan(member=member, title=title, documents=[document.pk])
    make_next_plan()
    for question in Question.objects.filter(concept__plan=plan).select_related("concept"):
        yield _described(title, question)


def _described(title: str, question: Any) -> str:
    sources = question.concept.sources.filter(number__in=question.source_numbers)
    passages = "\n".join(f"[{one.number}] {' '.join(one.text.split())[:1500]}" for one in sources)
    options = "".join(f"\n- {option}" for option in question.options)
    targets = "".join(f"\n- → {target}" for target in question.targets)
    return (
        f"{title}, {question.concept.name}: {question.get_kind_display()}\n{question.prompt}{options}{targets}\n"
        f"Marked: {question.answer}\nExplanation: {question.explanation}\nPassages:\n{passages}\n"
    )


if __name__ == "__main__":
    main()
