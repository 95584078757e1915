"""Test questions: check whether a chatbot’s search still finds the passages that its teacher expects.

Each question is only searched for, without a conversation or an answer. A run stores the results under one setup
(weights, places, documents and their versions, embedding model). A run under the same setup replaces it, so that the
two newest runs show the effect of a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chatbots.answering.retrieval import Retrieval, WeightedSource
from chatbots.answering.source_selection import sources_for
from chatbots.answering.standalone_search import standalone_search
from chatbots.models import Chatbot, ChatbotSource, EvaluationRun, StartedRun, TestQuestion
from corpus.certainty import level_of_passage
from corpus.embedding.active_model import active_embedder
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import Participation, document_kinds, kind_of
from schools.models import Membership

MOST = 100
"""Test questions of one chatbot, which one request can search for within seconds."""
KEPT = 20
"""Stored runs of each chatbot."""
SAME_PASSAGE = 0.75
"""The least share of an expected passage’s words that a found passage must contain."""

WORSE, BETTER, SAME, NEW = "worse", "better", "same", "new"


@dataclass(frozen=True)
class QuestionResult:
    """The result of a test question: the rank of the expected passage (0: not found) and its level, if known.

    If a refusal is expected, it is that of the best passage. `told` is an error message.
    """

    passed: bool
    place: int = 0
    level: str = ""
    told: str = ""


def run_evaluation(chatbot: Chatbot) -> EvaluationRun:
    """Search for all test questions and store the results. Raises engines.errors.EmbeddingUnavailable."""
    results = {key: asdict(outcome) for key, outcome in outcomes(chatbot).items()}
    return store_run(chatbot, setup_of(chatbot), results)


def store_run(chatbot: Chatbot, setup: Mapping[str, Any], results: Mapping[str, Any]) -> EvaluationRun:
    """Store the results under a setup, in the place of a run under the same one. A run under way is over."""
    with transaction.atomic():
        StartedRun.objects.filter(chatbot=chatbot).delete()
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
    """The result of each test question by its id, with the stored shares or those in `rows`. Nothing is stored."""
    sources = sources_for(chatbot, rows)
    return {str(pinned.pk): outcome(chatbot, pinned, sources) for pinned in chatbot.test_questions.all()[:MOST]}


def outcome(chatbot: Chatbot, pinned: TestQuestion, sources: list[WeightedSource]) -> QuestionResult:
    """The result of one test question, searched for in these sources."""
    found = standalone_search(pinned.question, sources, language=chatbot.language, places=chatbot.places)[1]
    return _judged(pinned, found)


def outcomes_of(run: EvaluationRun | None, pinned: Iterable[TestQuestion]) -> dict[UUID, QuestionResult]:
    """The results of a run for these questions, without questions that were changed since."""
    if run is None:
        return {}
    return {
        one.pk: QuestionResult(**run.results[str(one.pk)])
        for one in pinned
        if str(one.pk) in run.results and one.changed_at <= run.ran_at
    }


def compared(now: QuestionResult, before: QuestionResult | None) -> str:
    """Whether a result is better or worse than before."""
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
        "sources": {row.kind: [row.participation, row.weight] for row in chatbot.active_sources()},
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
    """The differences between two setups, as sentences."""
    sentences = []
    off = [Participation.OFF.value, 0]
    for kind in before["sources"].keys() | now["sources"].keys():
        was, is_now = (setup["sources"].get(kind, off) for setup in (before, now))
        if was != is_now:
            sentences.append(f"Share of {kind_of(kind).plural}: {_share(was)} → {_share(is_now)}")
    if before["places"] != now["places"]:
        sentences.append(f"Passages per answer: {before['places']} → {now['places']}")
    if before["threshold"] != now["threshold"] or before["model"] != now["model"]:
        sentences.append("The operators of Lectern changed the search itself")
    old, new = before["documents"], now["documents"]
    sentences += [f"Added: {new[key][0]}" for key in new.keys() - old.keys()]
    sentences += [f"No longer there: {old[key][0]}" for key in old.keys() - new.keys()]
    sentences += [
        f"Updated: {new[key][0]} (version {old[key][1]} → {new[key][1]})"
        for key in new.keys() & old.keys()
        if new[key][1] != old[key][1]
    ]
    return sorted(sentences)


def obstacles(chatbot: Chatbot, pinned: Iterable[TestQuestion], *, member: Membership) -> dict[UUID, str]:
    """The questions whose expected source cannot be found any more, each with the reason."""
    searched = {weighted.source.kind.value for weighted in sources_for(chatbot)}
    unweighted = {row.kind for row in chatbot.all_sources() if row.shares and not row.weight}
    problems, questions = dict[UUID, str](), [one for one in pinned if not one.is_refused]
    for kind in {kind_of(one.kind) for one in questions}:
        of_kind = [one for one in questions if one.kind == kind.value]
        if kind.value not in searched:
            why = "With a share of 0%" if kind.value in unweighted else "With its current settings"
            problems |= {one.pk: f"{why} the chatbot does not search {kind.plural}." for one in of_kind}
        if kind.documents_for and kind.documents_of:
            there = kind.documents_for(member).filter(pk__in=[one.document_id for one in of_kind])
            known = set(there.values_list("pk", flat=True))
            linked = {document.pk: document for document in kind.documents_of(chatbot)}
            for one in of_kind:
                document = linked.get(one.document_id)
                if one.document_id not in known:
                    problems[one.pk] = f"The expected document has been {kind.ends}."
                elif document is None:
                    problems[one.pk] = "The chatbot does not read the expected document any more."
                elif document.answering_version is None:
                    problems[one.pk] = "The expected document has not been read yet, or could not be."
    return problems


def _share(setting: Sequence[Any]) -> str:
    participation, weight = setting
    return f"{weight}%" if participation == Participation.SHARES else Participation(participation).label.lower()


def _judged(pinned: TestQuestion, found: Retrieval) -> QuestionResult:
    if found.unavailable:
        return QuestionResult(False, told="The sources could not be searched just now.")
    if pinned.is_refused:
        best = [placed.passage for placed in found.placed] or [missed.passage for missed in found.missed]
        return QuestionResult(not found.placed, level=level_of_passage(best[0]) if best else "")
    for place, placed in enumerate(found.placed, start=1):
        if _is_expected(pinned, placed):
            return QuestionResult(True, place, level_of_passage(placed.passage))
    near = (missed.passage for missed in found.missed)
    missed = next((one for one in near if _is_expected(pinned, SelectedPassage(one, 100))), None)
    return QuestionResult(False, level=level_of_passage(missed) if missed else "")


def _is_expected(pinned: TestQuestion, placed: SelectedPassage) -> bool:
    passages = (placed.passage, *placed.also)
    return any(passage.origin == pinned.origin and _says(passage, pinned.excerpt) for passage in passages)


def _says(passage: Passage, excerpt: str) -> bool:
    """Whether a passage with its block has nearly all words of an excerpt."""
    wanted = set(wording(excerpt)) if excerpt else set()
    return not wanted or len(wanted & set(wording(passage.text))) >= SAME_PASSAGE * len(wanted)
