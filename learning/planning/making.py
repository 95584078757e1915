"""Make study plans, in a worker: read the sources, find concepts, fetch sources for each, make questions.

The rows say what to do (ADR 7): plans that are queued or being made. A worker holds an advisory lock on the plan, so a
plan whose worker died is taken up where it ended: concepts are found once, and each concept says when its sources were
fetched and its questions were made. Concepts can be used as soon as they are stored.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import inf
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from chatbots.answering.retrieval import Retrieval, WeightedSource, retrieve
from corpus.advisory_lock import advisory_lock
from corpus.models import INTERNAL_ERROR
from corpus.passages import Passage
from corpus.retry_backoff import MAX_ATTEMPTS, retry_delay
from engines import background
from engines.embedding import Embedder, get_embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.errors import EngineError
from engines.llm import LLM, get_llm
from learning.concepts.find_concepts import ENOUGH, define_name, find_concepts
from learning.concepts.suggest_terms import suggest_terms
from learning.generating.requests import MAX_FAILURES, ask_about_concept
from learning.generating.write_concepts import write_concepts
from learning.material import MAX_NAME_LENGTH, DraftQuestion
from learning.models import Concept, PlanStage, PlanStatus, Question, StudyPlan
from learning.planning.plan_sources import find_outdated_sources, read_passages, search_sources
from learning.planning.store_concepts import concept_text, redefine, replace_sources, store_concepts, store_questions
from learning.questions.checking.checks import DropReason
from learning.questions.exercises import add_exercises
from learning.questions.make import make_questions

logger = logging.getLogger(__name__)

MAX_CHUNKS = 8
"""Sources of a concept (W1)."""

QUESTIONS_PER_CONCEPT = 6
NOTHING_FOUND = "No concepts were found in these sources. Choose documents with more text, or another topic."
NOTHING_MARKED = (
    "No terms are marked in these sources, so the concepts are those that the text defines. Mark terms in bold, or add "
    "concepts here, such as those that are suggested."
)
CHATBOT_DELETED = (
    "The chatbot that this plan is made from was deleted. Restore it under “Recently deleted” and try again. What has "
    "been made stays."
)
_FAULT = f"{INTERNAL_ERROR} while making this plan. Please try again, or tell your operator."

Item = TypeVar("Item")
Result = TypeVar("Result")


class _PlanEnded(Exception):
    """The plan was stopped or deleted."""


class _PlanPaused(Exception):
    """The time of this turn is over. The plan goes on in the next one."""


class _PlanRefused(Exception):
    """The plan cannot be made; the message says why."""


def make_next_plan(seconds: float = inf) -> bool:
    """Work on a plan that waits and that no other worker holds. False if there is none.

    After so many seconds the work pauses before the next concept, so that documents and other plans have their turn;
    the plan that has waited longest is next.
    """
    for key in _due().order_by("heartbeat_at", "pk").values_list("pk", flat=True):
        with lock_plan(key) as acquired:
            plan = _due().filter(pk=key).select_related("school", "tutor__school", "chatbot__school").first()
            if acquired and plan:
                _make(plan, time.monotonic() + seconds)
                return True
    return False


def lock_plan(key: UUID) -> AbstractContextManager[bool]:
    """Try to keep other workers from a plan. Yields whether nobody else does."""
    return advisory_lock(int.from_bytes(key.bytes[:8], signed=True))


def is_due() -> bool:
    """Whether a plan waits to be made, also one whose worker has died."""
    return bool(_due().exists())


def count_pending() -> dict[str, object]:
    """Hook: how many plans wait or are being made, in all schools, for the operator's page."""
    pending = StudyPlan._base_manager.filter(status__in=[PlanStatus.QUEUED, PlanStatus.WORKING])
    return {"plans_being_made": pending.count()}


def _due() -> Any:
    due = Q(attempts=0) | Q(attempts__gte=MAX_ATTEMPTS)
    for attempts in range(1, MAX_ATTEMPTS):
        due |= Q(attempts=attempts, heartbeat_at__lte=timezone.now() - retry_delay(attempts))
    return StudyPlan.objects.filter(due, status__in=(PlanStatus.QUEUED, PlanStatus.WORKING))


def _make(plan: StudyPlan, until: float) -> None:
    """One attempt, counted before it begins. The plan ends ready, failed or stopped, or waits for another attempt.

    `until` is when the turn is over, as `time.monotonic` tells it.
    """
    plan.attempts += 1
    try:
        if plan.attempts > MAX_ATTEMPTS:
            raise _PlanRefused(_FAULT)
        if plan.chatbot and not plan.kept_chatbot:
            raise _PlanRefused(CHATBOT_DELETED)
        _note(plan, status=PlanStatus.WORKING, attempts=plan.attempts, failure="")
        llm = get_llm()
        model = llm if llm.generative else None
        if not plan.concepts.exists():
            _find_concepts(plan, model)
        while not _end_if_done(plan):
            _fetch_sources(plan, until)
            _make_questions(plan, model, until)
    except _PlanEnded:
        logger.info("Study plan %s was stopped or deleted while it was made", plan.pk)
    except _PlanPaused:
        _write(plan, attempts=0)
    except (_PlanRefused, EngineError) as reason:
        _write(plan, status=PlanStatus.FAILED, failure=str(reason))
    except Exception:
        logger.exception("Making study plan %s failed", plan.pk)
        is_last = plan.attempts >= MAX_ATTEMPTS
        _write(plan, **({"status": PlanStatus.FAILED, "failure": _FAULT} if is_last else {}))


def _end_if_done(plan: StudyPlan) -> bool:
    """End a plan of which every concept has sources and questions; its row is locked against edits that add to it."""
    with transaction.atomic():
        StudyPlan.objects.select_for_update(no_key=True).filter(pk=plan.pk).first()
        if plan.active_concepts().unfinished().exists():
            return False
        _note(plan, status=PlanStatus.READY, stage="", attempts=0)
    return True


def _find_concepts(plan: StudyPlan, model: LLM | None) -> None:
    _note(plan, stage=PlanStage.READING, **plan.starting(0, 0))
    passages = read_passages(plan)
    if plan.topic and (not passages or plan.chatbot):
        sources = search_sources(plan)
        # In a thread: a search closes the connection of its own, and this one holds the lock of the plan.
        [(_, found)] = _in_parallel(lambda topic: _searched(topic, sources, 20), [plan.topic])
        marks = {(one.origin, one.position): one.marks for one in passages}
        searched = [placed.passage for placed in found.placed]
        passages = [replace(one, marks=marks.get((one.origin, one.position), ())) for one in searched] or passages
        _note(plan, notices=_unread(found, plan.notices))
    if not passages:
        raise _PlanRefused("Nothing could be read: " + (" ".join(plan.notices) or NOTHING_FOUND))
    _note(plan, stage=PlanStage.CONCEPTS)
    wanted: dict[str, Any] = {"topic": plan.topic, "language": plan.language, "most": plan.most_concepts}
    wanted["embedder"] = _embedder_for(plan.language)
    dropped = Counter[str]()
    if model:
        concepts, dropped = write_concepts(passages, llm=model, before_request=lambda: _note(plan), **wanted)
    else:
        concepts = find_concepts(passages, **wanted)
    marked = sum(concept.is_marked for concept in concepts)
    if marked < ENOUGH:
        known = [name for one in concepts for name in (one.name, *one.synonyms)]
        suggested = suggest_terms(passages, known=known, language=plan.language, embedder=wanted["embedder"])
        _note(plan, suggested=[name[:MAX_NAME_LENGTH] for name in suggested])
    if not concepts:
        raise _PlanRefused(NOTHING_FOUND)
    with transaction.atomic():
        notices = plan.notices if marked else [*plan.notices, NOTHING_MARKED]
        _note(plan, made_by=model.name[:120] if model else "", notices=notices, dropped=dropped)
        store_concepts(plan, add_exercises(concepts[: plan.most_concepts], passages, plan.language))


def _fetch_sources(plan: StudyPlan, until: float) -> None:
    waiting = list(plan.active_concepts().filter(sources_at__isnull=True))
    if not waiting:
        return
    outdated = find_outdated_sources(plan) if any(concept.is_outdated for concept in waiting) else []
    sources = search_sources(plan)
    _begin_stage(plan, PlanStage.SOURCES, len(waiting))
    queries = [(concept, f"{concept.name}. {concept.definition}"[:300]) for concept in waiting]
    outcomes = _in_parallel(lambda one: _searched(one[1], sources, MAX_CHUNKS), queries)
    for (concept, _), found in outcomes:
        with transaction.atomic():
            _note(plan, progress_done=plan.progress_done + 1, notices=_unread(found, plan.notices))
            passages = [placed.passage for placed in found.placed]
            gone = [source for source in outdated if source.concept_id == concept.pk]
            replace_sources(concept, passages, most=MAX_CHUNKS, outdated=gone)
            if not concept.definition or any(source.number == concept.definition_source for source in gone):
                _define_again(plan, concept, passages)
        _pause_after(until)


def _define_again(plan: StudyPlan, concept: Concept, passages: list[Passage]) -> None:
    """Look for a definition in the new passages. Without one the old definition, if any, stays with its source."""
    names = (concept.name, *concept.synonyms)
    if found := next((one for name in names if (one := define_name(name, passages, plan.language))), None):
        redefine(concept, found)


def _searched(query: str, sources: list[WeightedSource], places: int) -> Retrieval:
    return retrieve(query, sources, places=places, reads=False)


def _unread(found: Retrieval, before: list[str]) -> list[str]:
    """The notices of a plan, with those sources that could not be searched."""
    new = [f"{kind.plural.capitalize()} could not be searched for some concepts." for kind in found.unavailable]
    return list(dict.fromkeys([*before, *new]))


def _make_questions(plan: StudyPlan, model: LLM | None, until: float) -> None:
    waiting = list(plan.active_concepts().filter(questions_at__isnull=True))
    _begin_stage(plan, PlanStage.QUESTIONS, len(waiting))
    for concept in waiting:
        make_concept_questions(concept, model)
        _note(plan, progress_done=plan.progress_done + 1)
        _pause_after(until)


def _begin_stage(plan: StudyPlan, stage: PlanStage, waiting: int) -> None:
    """Begin a stage with so many concepts, or go on with it after a pause: then its pace is measured over all turns."""
    if plan.stage == stage and plan.progress_since and plan.progress_total >= waiting:
        _note(plan, progress_done=plan.progress_total - waiting)
    else:
        _note(plan, stage=stage, **plan.starting(0, waiting))


def _pause_after(until: float) -> None:
    if time.monotonic() > until:
        raise _PlanPaused


def make_concept_questions(concept: Concept, model: LLM | None, *, is_asked_for: bool = False) -> int:
    """Make practice questions of a concept from its sources and store them; returns how many are new.

    The model writes those of a concept that has none of its own, unless it has failed at this plan; and whenever the
    teacher has asked for more. Rules fill up what is missing of QUESTIONS_PER_CONCEPT, or make as many more then.
    """
    plan = concept.plan
    texts = {one.pk: concept_text(one) for one in plan.active_concepts().prefetch_related("sources")}
    own = texts.pop(concept.pk, None)
    if own is None:
        return 0
    others, count, drafts, dropped = list(texts.values()), QUESTIONS_PER_CONCEPT, list[DraftQuestion](), Counter[str]()
    by_rules = count
    if not is_asked_for:
        current = concept.questions.filter(is_outdated=False)
        count -= current.exclude(made_by="").count()
        if concept.sources_at:  # made of these sources before, such as when a model is asked again
            by_rules -= current.filter(created_at__gt=concept.sources_at).count()
        if count < QUESTIONS_PER_CONCEPT or plan.dropped.get(DropReason.NO_MODEL, 0) >= MAX_FAILURES:
            model = None
    if model:
        written = ask_about_concept(model, own, others, language=plan.language, count=count)
        drafts = written or []
        dropped[DropReason.NO_MODEL] += written is None
    made = make_questions(
        own,
        others,
        language=plan.language,
        drafts=drafts,
        count=count,
        by_rules=by_rules,
        seed=concept.pk.int + concept.questions.count(),
        asked=Question.objects.filter(concept__plan=plan).values_list("prompt", "explanation"),
    )
    with transaction.atomic():
        locked = StudyPlan.objects.select_for_update(no_key=True).filter(pk=plan.pk).first()  # first, as edits do
        if locked is None:
            return 0
        plan.dropped = Counter(locked.dropped) + Counter(made.dropped) + dropped
        StudyPlan.objects.filter(pk=plan.pk).update(dropped=plan.dropped)
        return store_questions(concept, made.questions)


def _embedder_for(language: str) -> Embedder | None:
    embedder = get_embedder()
    return embedder if embedder.languages == ANY_LANGUAGE or language in embedder.languages else None


def _in_parallel(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[Item, Result]]:
    """The items with their results, in order. Inside a transaction one after the other."""

    def alone(item: Item) -> Result:
        try:
            return work(item)
        finally:
            connection.close()

    if connection.in_atomic_block:
        yield from zip(items, map(work, items), strict=True)
        return
    searches = [background.get_pool("before").submit(alone, item) for item in items]
    try:
        yield from ((item, search.result()) for item, search in zip(items, searches, strict=True))
    finally:
        for search in searches:
            search.cancel()


def _note(plan: StudyPlan, **changes: object) -> None:
    """Write progress to the row. Raises _PlanEnded if the plan was stopped or deleted."""
    if not _write(plan, **changes):
        raise _PlanEnded


def _write(plan: StudyPlan, **changes: object) -> bool:
    changes["heartbeat_at"] = timezone.now()
    for name, value in changes.items():
        setattr(plan, name, value)
    rows = StudyPlan.objects.filter(pk=plan.pk, status__in=(PlanStatus.QUEUED, PlanStatus.WORKING))
    return bool(rows.update(**changes))
