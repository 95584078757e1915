"""Create, change, stop and delete study plans. A worker makes them: see `learning.planning.making`."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chatbot, Language
from chatbots.services import set_personal_documents, set_school_documents
from corpus.wake_worker import send_task
from engines.llm import get_llm
from learning.material import ValuesRefused
from learning.models import PlanStatus, StudyPlan, TutorStyle
from learning.planning.plan_sources import find_outdated_concepts, list_offered_documents, list_offered_kinds
from learning.questions.checking.checks import DropReason
from schools.models import Membership

_CHANGEABLE = {"title", "kinds", "most_concepts", "tutor_style", "session_minutes", "shows_unreviewed"}

_TUTOR = (
    "You are a tutor for a study plan. Explain one concept at a time in short sentences, from the sources only. "
    "If the learner is wrong, say kindly what is wrong and why. "
)
_BY_STYLE = {
    TutorStyle.HINTS: "Ask before you tell: begin with a short question or a hint that leads to the answer. Tell the "
    "answer only after the learner has tried, or asks for it again.",
    TutorStyle.STEPS: "Work through the answer in numbered steps, and end with the step that the learner does alone.",
    TutorStyle.ANSWERS: "Answer the question directly, then explain why.",
}


@transaction.atomic
def create_plan(
    *,
    member: Membership,
    title: str,
    topic: str = "",
    documents: Collection[UUID] = (),
    subject: str = "",
    chatbot: Chatbot | None = None,
    language: str = Language.ENGLISH,
    kinds: Collection[str] = (),
    **fields: Any,
) -> StudyPlan:
    """Create a plan; a worker makes it after the transaction.

    It is made from the sources of `chatbot`, or from `documents`, all library documents of `subject`, and the `kinds`
    beyond the school. Without any of them a plan has nothing to read. `topic` restricts it. Raises ValuesRefused.
    """
    fields |= {"title": title.strip(), "topic": topic.strip(), "language": language, "kinds": list(kinds)}
    fields.setdefault("shows_unreviewed", get_llm().generative)  # else nobody has looked at what rules make
    chosen = _readable(member, documents, subject)
    reasons = _wrong(member, fields) | _unreadable(member, documents, subject, chatbot, chosen)
    if not reasons and not (chatbot or chosen):
        if not kinds:
            reasons["documents"] = "Choose at least one document, a subject, a chatbot, or a source beyond the school."
        elif not fields["topic"]:
            reasons["topic"] = "Say what the plan is about: without documents the topic is looked up."
    if reasons:
        raise ValuesRefused(reasons)
    tutor = Chatbot.objects.create(
        school=member.school,
        owner=member.user,
        name=fields["title"][:100],
        language=language,
        instructions=_instruct(fields.get("tutor_style", TutorStyle.HINTS)),
        is_tutor=True,
    )
    if not chatbot:
        set_personal_documents(chatbot=tutor, member=member, documents=chosen)
        set_school_documents(chatbot=tutor, member=member, documents=chosen)
    plan = StudyPlan.objects.create(school=member.school, owner=member.user, chatbot=chatbot, tutor=tutor, **fields)
    wake_planner()
    return plan


@transaction.atomic
def update_plan(*, plan: StudyPlan, **fields: object) -> StudyPlan:
    """Change title, kinds, most_concepts, tutor_style, session_minutes or shows_unreviewed. Raises ValuesRefused."""
    assert set(fields) <= _CHANGEABLE, fields
    member = Membership.objects.get(school=plan.school_id, user=plan.owner_id)
    if reasons := _wrong(member, fields, before=plan.kinds):
        raise ValuesRefused(reasons)
    fields["updated_at"] = timezone.now()
    for name, value in fields.items():
        setattr(plan, name, value)
    StudyPlan.objects.filter(pk=plan.pk).update(**fields)  # it may have been deleted meanwhile
    tutor = Chatbot.objects.filter(pk=plan.tutor_id)
    tutor.update(name=plan.title.strip()[:100], instructions=_instruct(plan.tutor_style))
    return plan


def stop_plan(*, plan: StudyPlan) -> None:
    """Stop making a plan. What has been made stays; the worker notices before its next concept or request."""
    rows = StudyPlan.objects.filter(pk=plan.pk, status__in=(PlanStatus.QUEUED, PlanStatus.WORKING))
    rows.update(status=PlanStatus.STOPPED, updated_at=timezone.now())


def queue_plan(plan: StudyPlan) -> None:
    """Have a worker make what a plan lacks, unless it waits or is being made already; then the worker sees it."""
    rows = StudyPlan.objects.filter(pk=plan.pk).exclude(status__in=(PlanStatus.QUEUED, PlanStatus.WORKING))
    changes = {"attempts": 0, "failure": "", "progress_since": None, "updated_at": timezone.now()}
    if rows.update(status=PlanStatus.QUEUED, **changes):
        wake_planner()


def wake_planner() -> None:
    """Have a worker make the plans that wait, after the transaction. Never raises."""
    transaction.on_commit(partial(send_task, "learning.tasks.make_plans"))


@transaction.atomic
def resume_plan(*, plan: StudyPlan) -> None:
    """Go on with a plan where it ended: one that was stopped or has failed, or that lacks something. A language model
    that had been given up is asked again for the questions of concepts that have none by it."""
    locked = StudyPlan.objects.select_for_update(no_key=True).filter(pk=plan.pk).first()
    if locked and locked.dropped.pop(DropReason.NO_MODEL, 0):
        plan.dropped = locked.dropped
        StudyPlan.objects.filter(pk=plan.pk).update(dropped=plan.dropped)
        plan.active_concepts().exclude(questions__made_by__gt="").update(questions_at=None)
    queue_plan(plan)


@transaction.atomic
def refresh_plan(*, plan: StudyPlan) -> int:
    """Bring concepts up to date whose documents have changed; returns how many. Progress stays."""
    outdated = [concept.pk for concept in find_outdated_concepts(plan)]
    plan.concepts.filter(pk__in=outdated).update(is_outdated=True, sources_at=None, questions_at=None)
    if outdated:
        queue_plan(plan)
    return len(outdated)


def delete_plan(*, plan: StudyPlan) -> None:
    """Delete a plan with its concepts, questions, progress and the conversations with its tutor."""
    erase_chatbot(plan.tutor)  # the plan goes with it


def library_subjects(member: Membership) -> list[str]:
    found = set()
    for kind, documents in list_offered_documents(member):
        if not kind.is_private:
            found |= set(documents.order_by().exclude(subject="").values_list("subject", flat=True))
    return sorted(found)


def _readable(member: Membership, documents: Collection[UUID], subject: str) -> set[UUID]:
    """The ids of those documents, and of the library's documents on the subject, that the member may read."""
    found: set[UUID] = set()
    for kind, rows in list_offered_documents(member):
        found |= set(rows.filter(pk__in=documents).values_list("pk", flat=True))
        if subject and not kind.is_private:
            found |= set(rows.filter(subject=subject).values_list("pk", flat=True))
    return found


def _unreadable(
    member: Membership, documents: Collection[UUID], subject: str, chatbot: Chatbot | None, chosen: Collection[UUID]
) -> dict[str, str]:
    reasons = {}
    if missing := set(documents) - set(chosen):
        reasons["documents"] = f"{len(missing)} of the chosen documents cannot be read, or are not there any more."
    if chatbot and not Chatbot.objects.for_member(member).filter(pk=chatbot.pk).exists():
        reasons["chatbot"] = "This chatbot is not there any more."
    if subject and not chosen:
        reasons["subject"] = f"Your library has no documents that can be read on “{subject}”."
    return reasons


def _wrong(member: Membership, fields: dict[str, Any], before: Collection[str] = ()) -> dict[str, str]:
    reasons = {} if fields.get("title", "-").strip() else {"title": "Give the plan a title of at most 160 characters."}
    allowed = {kind.value for kind in list_offered_kinds(member.school)} | set(before)
    if wrong := [kind for kind in fields.get("kinds", ()) if kind not in allowed]:
        reasons["kinds"] = f"Your school does not allow {', '.join(map(str, wrong))}."
    for field in StudyPlan._meta.concrete_fields:
        if field.name in fields and field.name != "kinds":
            try:
                field.clean(fields[field.name], None)
            except ValidationError as error:
                reasons.setdefault(field.name, " ".join(error.messages))
    return reasons


def _instruct(style: str) -> str:
    return _TUTOR + _BY_STYLE[TutorStyle(style)]
