"""How long a study plan of a textbook takes without a language model, by stage, and how fast its first concepts come.

    python -m benchmarks.learning.plans FOLDER [--concepts 30] [--data DIR] [--json result.json]

All Markdown files of FOLDER become documents of a library and are indexed; then a plan is made of them in this process,
as the worker makes it. "Usable" is when its concepts, each with definition and sources, can be opened. "Verified" is
the share of cited sentences in explanations that the check of answers finds supported by the passage that they cite.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import ground


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("folder", type=Path, help="a textbook in Markdown")
    parser.add_argument("--concepts", type=int, default=30)
    options = parser.parse_args()
    if not options.folder.is_dir():
        print("There is no such folder. Nothing was measured.")
        return
    with ground.database(options.data):
        from config.celery import app

        app.conf.broker_url = "memory://"  # nobody hears what is sent to a worker
        result = measure(options.folder, options.concepts)
    print(ground.table(result["stages"], "stage"))
    print(ground.table({"the plan": result["plan"]}))
    print("Questions dropped: " + (", ".join(f"{why} {n}" for why, n in result["dropped"].items()) or "none"))
    ground.write(result, options.json)


def measure(folder: Path, most: int) -> dict[str, Any]:
    """Times in seconds, and what the plan has."""
    from learning.models import Concept, Question, StudyPlan
    from learning.planning import making
    from learning.planning.services import create_plan

    member, documents = _library(folder)
    plan = create_plan(member=member, title="Textbook", documents=documents, most_concepts=most)
    stages: dict[str, dict[str, float]] = {}
    started, cpu = time.perf_counter(), time.process_time()
    with _timed(making, stages):
        making.make_next_plan()
    total, busy = time.perf_counter() - started, time.process_time() - cpu
    plan = StudyPlan.objects.get(pk=plan.pk)
    questions = list(Question.objects.filter(concept__plan=plan).select_related("concept"))
    for row in stages.values():
        row["share"] = round(row["seconds"] / total, 2)
    verified, claims = _verified(questions)
    return {
        "stages": stages,
        "dropped": plan.dropped,
        "kinds": dict(Counter(question.kind for question in questions)),
        "plan": {
            "status": plan.status,
            "concepts": Concept.objects.filter(plan=plan).count(),
            "questions": len(questions),
            "verified": round(verified / claims, 4) if claims else 0.0,
            "usable after, s": round(stages["concepts"]["seconds"], 2),
            "whole, s": round(total, 2),
            "processor, s": round(busy, 2),
        },
    }


def _library(folder: Path) -> tuple[Any, list[Any]]:
    """An admin of a new school, and its indexed documents: the files of the folder."""
    from django.core.files.base import ContentFile

    from corpus.ingestion.indexing import index_next_document
    from school_library import services
    from school_library.models import SchoolDocument
    from schools.models import Membership, Role, School, User

    school = School.objects.create(name="Benchmark", slug=f"benchmark-{time.time_ns()}")
    user = User.objects.create_user(f"{school.slug}@lectern.example", "unused")
    member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
    keys = []
    for path in sorted(folder.glob("*.md")):
        if path.name != "README.md":
            document, _ = services.upload(member=member, file=ContentFile(path.read_bytes(), name=path.name))
            keys.append(document.pk)
    for _ in ground.progress(keys, "documents"):
        index_next_document(SchoolDocument.objects.for_school(school))
    return member, keys


class _timed:
    """Times the stages of `learning.planning.making` while it is entered."""

    def __init__(self, making: Any, stages: dict[str, dict[str, float]]) -> None:
        self._making, self._stages = making, stages
        self._names = {"_find_concepts": "concepts", "_fetch_sources": "sources", "_make_questions": "questions"}
        self._whole: dict[str, Callable[..., Any]] = {}

    def __enter__(self) -> None:
        for name, stage in self._names.items():
            self._whole[name] = getattr(self._making, name)
            setattr(self._making, name, self._timing(self._whole[name], stage))

    def __exit__(self, *_: object) -> None:
        for name, whole in self._whole.items():
            setattr(self._making, name, whole)

    def _timing(self, whole: Callable[..., Any], stage: str) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            started, cpu = time.perf_counter(), time.process_time()
            try:
                return whole(*args)
            finally:
                self._stages[stage] = {
                    "seconds": round(time.perf_counter() - started, 2),
                    "processor, s": round(time.process_time() - cpu, 2),
                }

        return timed


def _verified(questions: list[Any]) -> tuple[int, int]:
    """How many claims of the explanations are supported by what they cite, and how many there are."""
    from chatbots.citations.claim_verification import Support, verify_claims

    supported = claims = 0
    for question in ground.progress(questions, "explanations"):
        passages = [source.as_numbered() for source in question.concept.sources.all()]
        checked = verify_claims(question.explanation, passages, language="en")
        claims += len(checked)
        supported += sum(one.state == Support.SUPPORTED for one in checked.values())
    return supported, claims


if __name__ == "__main__":
    main()
