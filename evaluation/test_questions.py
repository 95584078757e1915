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

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.source_selection import select_sources
from chatbots.answering.standalone_search import search_standalone
from chatbots.models import Chatbot
from corpus.certainty import get_passage_level
from corpus.embedding.active_model import active_embedder
from corpus.models import Document
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import Participation, get_kind, list_document_kinds
from evaluation.models import EvaluationRun, TestQuestion

MAX_QUESTIONS = 50
"""Test questions of one chatbot, which one request can search for within seconds."""
MAX_RUNS = 2
"""Stored runs of each chatbot: the last one and the one before the last change."""
MIN_SHARED_WORDS = 0.75
"""The least share of an expected passage’s words that a found passage must contain."""

WORSE, BETTER, SAME, NEW = "worse", "better", "same", "new"


@dataclass(frozen=True)
class QuestionResult:
    """The result of a test question: the rank of the expected passage (0: not found) and its level, if known.

    If a refusal is expected, it is that of the best passage. `problem` is an error message.
    """

    passed: bool
    place: int = 0
    level: str = ""
    problem: str = ""


def run_evaluation(chatbot: Chatbot) -> EvaluationRun:
    """Search for all test questions and store the results. Raises engines.errors.EmbeddingUnavailable.

    A run under the same setup is replaced.
    """
    setup, sources = describe_setup(chatbot), select_sources(chatbot)
    questions = chatbot.test_questions.all()[:MAX_QUESTIONS]
    results = {str(pinned.pk): asdict(_search(chatbot, pinned, sources)) for pinned in questions}
    with transaction.atomic():
        last = EvaluationRun.objects.select_for_update().filter(chatbot=chatbot).first()
        if last is None or last.setup != setup:
            last = EvaluationRun(school_id=chatbot.school_id, chatbot=chatbot, setup=setup)
        last.results, last.ran_at = results, timezone.now()
        last.save()
        newest = EvaluationRun.objects.filter(chatbot=chatbot).values_list("pk", flat=True)[:MAX_RUNS]
        EvaluationRun.objects.filter(chatbot=chatbot).exclude(pk__in=list(newest)).delete()
    return last


def move_expectations(document: Document, into: Document, **_: object) -> None:
    """Receiver: a document was merged into another, which the test questions expect now."""
    expected = TestQuestion.objects.filter(document_id=document.pk)
    expected.update(document_id=into.pk, document_title=into.title)


def get_results(run: EvaluationRun | None, pinned: Iterable[TestQuestion]) -> dict[UUID, QuestionResult]:
    """The results of a run for these questions, without questions that were changed since."""
    if run is None:
        return {}
    return {
        one.pk: QuestionResult(**run.results[str(one.pk)])
        for one in pinned
        if str(one.pk) in run.results and one.changed_at <= run.ran_at
    }


def compare_results(now: QuestionResult, before: QuestionResult | None) -> str:
    """Whether a result is better or worse than before."""
    if before is None or now.problem or before.problem:
        return NEW if before is None else SAME
    if now.passed != before.passed:
        return BETTER if now.passed else WORSE
    if now.place and before.place and now.place != before.place:
        return BETTER if now.place < before.place else WORSE
    return SAME


def describe_setup(chatbot: Chatbot) -> dict[str, object]:
    """All that a result depends on, as JSON."""
    return {
        "sources": {row.kind: [row.participation, row.weight] for row in chatbot.active_sources()},
        "places": chatbot.places,
        "threshold": settings.LECTERN_RELEVANCE_THRESHOLD,
        "model": active_embedder().name,
        "documents": {
            str(document.pk): [document.title, document.answering_version]
            for kind in list_document_kinds()
            for document in kind.find_documents(chatbot)  # type: ignore[misc]  # a kind has both or neither
            if document.answering_version is not None
        },
    }


def list_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The differences between two setups, as sentences."""
    sentences = []
    off = [Participation.OFF.value, 0]
    for kind in before["sources"].keys() | now["sources"].keys():
        was, is_now = (setup["sources"].get(kind, off) for setup in (before, now))
        if was != is_now:
            sentences.append(f"Share of {get_kind(kind).plural}: {_share(was)} → {_share(is_now)}")
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


def find_obstacles(chatbot: Chatbot, pinned: Iterable[TestQuestion]) -> dict[UUID, str]:
    """The questions whose expected source the chatbot does not search any more, each with the reason."""
    searched = {weighted.source.kind.value for weighted in select_sources(chatbot)}
    versions: dict[UUID, int | None] = {}
    for kind in list_document_kinds():
        documents = kind.find_documents(chatbot)  # type: ignore[misc]  # a kind has both or neither
        versions |= documents.values_list("pk", "answering_version")
    problems = {}
    for one in pinned:
        if one.document_id and one.document_id not in versions:
            problems[one.pk] = "The chatbot does not read the expected document any more."
        elif one.document_id and versions[one.document_id] is None:
            problems[one.pk] = "The expected document has not been read yet, or could not be read."
        elif not one.is_refused and one.kind not in searched:
            problems[one.pk] = f"With its current settings the chatbot does not search {get_kind(one.kind).plural}."
    return problems


def _share(setting: Sequence[Any]) -> str:
    participation, weight = setting
    return f"{weight}%" if participation == Participation.SHARES else Participation(participation).label.lower()


def _search(chatbot: Chatbot, pinned: TestQuestion, sources: list[WeightedSource]) -> QuestionResult:
    found = search_standalone(pinned.question, sources, language=chatbot.language, places=chatbot.places)[1]
    if found.unavailable:
        return QuestionResult(False, problem="The sources could not be searched just now.")
    if pinned.is_refused:
        best = [placed.passage for placed in found.placed] or [missed.passage for missed in found.missed]
        return QuestionResult(not found.placed, level=get_passage_level(best[0]) if best else "")
    for place, placed in enumerate(found.placed, start=1):
        if _is_expected(pinned, placed):
            return QuestionResult(True, place, get_passage_level(placed.passage))
    near = (missed.passage for missed in found.missed)
    missed = next((one for one in near if _is_expected(pinned, SelectedPassage(one, 100))), None)
    return QuestionResult(False, level=get_passage_level(missed) if missed else "")


def _is_expected(pinned: TestQuestion, placed: SelectedPassage) -> bool:
    passages = (placed.passage, *placed.also)
    return any(passage.origin == pinned.origin and _says(passage, pinned.excerpt) for passage in passages)


def _says(passage: Passage, excerpt: str) -> bool:
    """Whether a passage with its block has nearly all words of an excerpt."""
    wanted = set(wording(excerpt)) if excerpt else set()
    return not wanted or len(wanted & set(wording(passage.text))) >= MIN_SHARED_WORDS * len(wanted)
