"""Test questions: whether a chatbot’s search still finds what its teacher says it should.

Each is searched for as it stands, without a conversation and without an answer. A run keeps how all of them fared under
one setup (weights, places, documents and their versions, embedding model); under the same setup it is written over, so
that the two newest runs always show what a change has done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chatbots.answering.retrieval import Retrieval, retrieve
from chatbots.answering.source_selection import sources_for
from chatbots.models import Chatbot, ChatbotSource, EvaluationRun, TestQuestion
from corpus.embedding.active_model import active_embedder
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import Participation, document_kinds, kind_of
from schools.models import Membership

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


def run_evaluation(chatbot: Chatbot) -> EvaluationRun:
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
        EvaluationRun.objects.filter(chatbot=chatbot).exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()
    return last


def outcomes(chatbot: Chatbot, rows: Sequence[ChatbotSource] | None = None) -> dict[str, QuestionResult]:
    """How each test question fares with the chatbot as it stands in memory, and with the shares of its sources as
    stored or as in `rows`, by its id; nothing is kept."""
    sources = sources_for(chatbot, rows)
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
        "sources": {row.kind: [row.participation, row.weight] for row in chatbot.all_sources()},
        "places": chatbot.places,
        "threshold": settings.LECTERN_RELEVANCE_THRESHOLD,
        "model": active_embedder().name,
        "documents": {
            str(document.pk): [document.title, document.answering_version]
            for kind in document_kinds()
            for document in kind.documents_of(chatbot)  # type: ignore[misc]  # a kind has both or neither
            if document.answering_version is not None
        },
    }


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two setups, in sentences."""
    told = []
    off = [Participation.OFF.value, 0]
    for kind in before["sources"].keys() | now["sources"].keys():
        was, is_now = (setup["sources"].get(kind, off) for setup in (before, now))
        if was != is_now:
            told.append(f"Share of {kind_of(kind).plural}: {_share(was)} → {_share(is_now)}")
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


def obstacles(chatbot: Chatbot, pinned: Iterable[TestQuestion], *, member: Membership) -> dict[UUID, str]:
    """Of these questions of the member's chatbot, those whose expected source cannot be found any more, and why."""
    searched = {weighted.source.kind.value for weighted in sources_for(chatbot)}
    unweighted = {row.kind for row in chatbot.all_sources() if row.shares and not row.weight}
    told, questions = dict[UUID, str](), [one for one in pinned if not one.is_refused]
    for kind in {kind_of(one.kind) for one in questions}:
        of_kind = [one for one in questions if one.kind == kind.value]
        if kind.value not in searched:
            why = "With a share of 0 %" if kind.value in unweighted else "As it is set now,"
            told |= {one.pk: f"{why} the chatbot does not search {kind.plural}." for one in of_kind}
        if kind.documents_for and kind.documents_of:
            there = kind.documents_for(member).filter(pk__in=[one.document_id for one in of_kind])
            known = set(there.values_list("pk", flat=True))
            linked = {document.pk: document for document in kind.documents_of(chatbot)}
            for one in of_kind:
                document = linked.get(one.document_id)
                if one.document_id not in known:
                    told[one.pk] = f"The expected document has been {kind.ends}."
                elif document is None:
                    told[one.pk] = "The chatbot does not read the expected document any more."
                elif document.answering_version is None:
                    told[one.pk] = "The expected document has not been read yet, or could not be."
    return told


def _share(setting: Sequence[Any]) -> str:
    participation, weight = setting
    return f"{weight} %" if participation == Participation.SHARES else Participation(participation).label.lower()


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
    return any(passage.origin == pinned.origin and _says(passage, pinned.excerpt) for passage in passages)


def _says(passage: Passage, excerpt: str) -> bool:
    """Whether a passage, with the block that the answerer reads, has nearly all words of an excerpt."""
    wanted = set(wording(excerpt)) if excerpt else set()
    return not wanted or len(wanted & set(wording(passage.text))) >= SAME_PASSAGE * len(wanted)
