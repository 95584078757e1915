"""Test questions: whether a chatbot’s search still finds what its teacher says it should.

Each is searched for as it stands, without a conversation and without an answer. A run keeps how all of them fared under
one setup (weights, places, documents and their versions, embedding model); under the same setup it is written over, so
that the two newest runs always show what a change has done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chatbots.answering.retrieval import Retrieval, retrieve, sources_for
from chatbots.models import Chatbot, EvaluationRun, TestQuestion
from corpus.embedding.active_model import active_embedder
from corpus.passages import Passage, SourceKind
from corpus.search.duplicates import wording
from corpus.search.fusion import SelectedPassage
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument

MOST = 100
"""Test questions of one chatbot: so many are searched for within seconds, in one request."""
KEPT = 20
"""Runs that are kept of each chatbot."""
SAME_PASSAGE = 0.75
"""The share of an expected passage’s words that a passage has when it counts as the same, cut or reworded a little."""

WORSE, BETTER, SAME, NEW = "worse", "better", "same", "new"


@dataclass(frozen=True)
class QuestionResult:
    """How one test question fared: the place of what is expected (0: none), its relevance, or the best passage’s where
    a refusal is expected (None: not among what was looked at). `told` says what kept it from being asked."""

    passed: bool
    place: int = 0
    relevance: float | None = None
    told: str = ""

    @property
    def percent(self) -> int | None:
        return None if self.relevance is None else int(100 * self.relevance)


def run(chatbot: Chatbot) -> EvaluationRun:
    """Search for all test questions and keep how they fared. Raises engines.errors.EmbeddingUnavailable."""
    results = {key: asdict(outcome) for key, outcome in outcomes(chatbot).items()}
    setup = setup_of(chatbot)
    with transaction.atomic():
        last = EvaluationRun.objects.select_for_update().filter(chatbot=chatbot).first()
        if last and last.setup == setup:
            last.results, last.ran_at = results, timezone.now()
            last.save(update_fields=["results", "ran_at"])
        else:
            last = EvaluationRun.objects.create(
                school_id=chatbot.school_id, chatbot=chatbot, setup=setup, results=results
            )
        kept = EvaluationRun.objects.filter(chatbot=chatbot).values("pk")[:KEPT]
        EvaluationRun.objects.filter(chatbot=chatbot).exclude(
            pk__in=list(kept.values_list("pk", flat=True))
        ).delete()
    return last


def outcomes(chatbot: Chatbot) -> dict[str, QuestionResult]:
    """How each test question fares with the chatbot as it stands in memory, by its id; nothing is kept."""
    sources = sources_for(chatbot)
    return {
        str(pinned.pk): _outcome(pinned, retrieve(pinned.question, sources, places=chatbot.places))
        for pinned in chatbot.test_questions.all()[:MOST]
    }


def outcomes_of(run: EvaluationRun | None, pinned: Iterable[TestQuestion]) -> dict[UUID, QuestionResult]:
    """What a run says of these questions, as far as they have not been changed since."""
    if run is None:
        return {}
    return {
        one.pk: QuestionResult(**run.results[str(one.pk)])
        for one in pinned
        if str(one.pk) in run.results and one.changed_at <= run.ran_at
    }


def compared(now: QuestionResult, before: QuestionResult | None) -> str:
    """Whether a question fares better or worse than before."""
    if before is None or now.told or before.told:
        return NEW if before is None else SAME
    if now.passed != before.passed:
        return BETTER if now.passed else WORSE
    if now.place and before.place and now.place != before.place:
        return BETTER if now.place < before.place else WORSE
    return SAME


def setup_of(chatbot: Chatbot) -> dict[str, Any]:
    """All that a result depends on, as JSON."""
    return {
        "personal_weight": chatbot.personal_weight,
        "places": chatbot.places,
        "threshold": settings.LECTERN_RELEVANCE_THRESHOLD,
        "model": active_embedder().name,
        "documents": {
            str(document.pk): [document.title, document.answering_version]
            for document in (*_own(chatbot).values(), *_library(chatbot).values())
            if document.answering_version is not None
        },
    }


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two setups, in sentences."""
    told = []
    if before["personal_weight"] != now["personal_weight"]:
        told.append(
            f"Share of your own documents: {before['personal_weight']} % → {now['personal_weight']} %"
        )
    if before["places"] != now["places"]:
        told.append(f"Passages per answer: {before['places']} → {now['places']}")
    if before["threshold"] != now["threshold"] or before["model"] != now["model"]:
        told.append("The search itself was changed by whoever runs Lectern")
    old, new = before["documents"], now["documents"]
    told += [f"Added: {new[key][0]}" for key in new.keys() - old.keys()]
    told += [f"No longer there: {old[key][0]}" for key in old.keys() - new.keys()]
    told += [
        f"Updated: {new[key][0]} (version {old[key][1]} → {new[key][1]})"
        for key in new.keys() & old.keys()
        if new[key][1] != old[key][1]
    ]
    return sorted(told)


def obstacles(chatbot: Chatbot, pinned: Iterable[TestQuestion]) -> dict[UUID, str]:
    """Of these questions, those whose expected document cannot be found any more, and why."""
    own = PersonalDocument.objects.filter(school=chatbot.school_id, owner=chatbot.owner_id)
    library = SchoolDocument.objects.filter(school=chatbot.school_id).published()
    reach: dict[SourceKind, tuple[Any, Mapping[UUID, Any], int]] = {
        SourceKind.PERSONAL: (own, _own(chatbot), chatbot.personal_weight),
        SourceKind.SCHOOL: (library, _library(chatbot), chatbot.school_weight),
    }
    told = {}
    for kind, (there, linked, weight) in reach.items():
        of_kind = [one for one in pinned if one.kind == kind]
        known = set(there.filter(pk__in=[one.document_id for one in of_kind]).values_list("pk", flat=True))
        for one in of_kind:
            document = linked.get(one.document_id) if one.document_id else None
            if one.document_id not in known:
                was = "deleted" if kind == SourceKind.PERSONAL else "withdrawn or deleted"
                told[one.pk] = f"The expected document has been {was}."
            elif document is None:
                told[one.pk] = "The chatbot does not read the expected document any more."
            elif document.answering_version is None:
                told[one.pk] = "The expected document has not been read yet, or could not be."
            elif not weight and any(other for _, other, _ in reach.values() if other is not linked):
                told[one.pk] = "With a share of 0 % the side of the expected document is not searched."
    return told


def _own(chatbot: Chatbot) -> dict[UUID, PersonalDocument]:
    rows = PersonalDocument.objects.filter(
        chatbot_links__chatbot=chatbot, school=chatbot.school_id, owner=chatbot.owner_id
    )
    return {document.pk: document for document in rows}


def _library(chatbot: Chatbot) -> dict[UUID, SchoolDocument]:
    rows = SchoolDocument.objects.filter(chatbot_links__chatbot=chatbot, school=chatbot.school_id)
    return {document.pk: document for document in rows.published()}


def _outcome(pinned: TestQuestion, found: Retrieval) -> QuestionResult:
    if found.unavailable:
        return QuestionResult(False, told="The documents could not be searched just now.")
    if pinned.is_refused:
        best = [placed.passage for placed in found.placed] or [missed.passage for missed in found.missed]
        return QuestionResult(not found.placed, relevance=max((one.relevance for one in best), default=None))
    for place, placed in enumerate(found.placed, start=1):
        if _is_expected(pinned, placed):
            return QuestionResult(True, place, placed.passage.relevance)
    near = (missed.passage for missed in found.missed)
    relevance = next((one.relevance for one in near if _is_expected(pinned, SelectedPassage(one, 100))), None)
    return QuestionResult(False, relevance=relevance)


def _is_expected(pinned: TestQuestion, placed: SelectedPassage) -> bool:
    passages = (placed.passage, *placed.also)
    return any(
        passage.document_id == pinned.document_id and _says(passage, pinned.excerpt) for passage in passages
    )


def _says(passage: Passage, excerpt: str) -> bool:
    """Whether a passage, with the block that the answerer reads, has nearly all words of an excerpt."""
    wanted = set(wording(excerpt)) if excerpt else set()
    return not wanted or len(wanted & set(wording(passage.text))) >= SAME_PASSAGE * len(wanted)
