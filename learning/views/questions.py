"""Pages on which the teacher reviews the practice questions of a plan."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from corpus.web.forms import form_data, form_status
from learning.forms import QuestionForm
from learning.models import Question, ReviewState, StudyPlan
from learning.practice.shown import load_shown_question, load_shown_questions
from learning.questions import review as reviewing
from learning.views import action, form_page, page
from learning.views.concepts import find_concept
from learning.views.plans import find_plan
from schools.access import MemberRequest
from schools.http import find, parse_uuid

FILTERS = {
    "": ("All", Q()),
    "unreviewed": ("Not reviewed", Q(review=ReviewState.UNREVIEWED, is_outdated=False)),
    "approved": ("Approved", Q(review=ReviewState.APPROVED, is_outdated=False)),
    "rejected": ("Rejected", Q(review=ReviewState.REJECTED)),
    "outdated": ("Outdated", Q(is_outdated=True)),
}


@page
def list_questions(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The questions of a plan by concept, all or those of a state (`?state=`) or a concept (`?concept=`)."""
    plan = find_plan(request, pk)
    state = request.GET.get("state", "")
    state = state if state in FILTERS else ""
    key = parse_uuid(request.GET.get("concept"))
    concept = plan.active_concepts().filter(pk=key).first() if key else None
    every = _questions(request, plan).filter(concept=concept) if concept else _questions(request, plan)
    counts = every.aggregate(**{f"n_{value}": Count("pk", filter=wanted) for value, (_, wanted) in FILTERS.items()})
    found = every.filter(FILTERS[state][1])
    page = Paginator(found, 30).get_page(request.GET.get("page"))
    context = {
        "plan": plan,
        "concept": concept,
        "concepts": plan.active_concepts(),
        "state": state,
        "filters": [(value, label, counts[f"n_{value}"]) for value, (label, _) in FILTERS.items()],
        "page": page,
        "rows": load_shown_questions(list(page.object_list)),
        "dropped": sorted(plan.dropped.items(), key=lambda item: -item[1]),
        "dropped_number": sum(plan.dropped.values()),
    }
    return render(request, "learning/questions.html", context)


@form_page
def change_question(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    question = find_question(request, pk)
    form = QuestionForm(**form_data(request), question=question)
    if form.submit(partial(reviewing.edit_question, question=question)):
        messages.success(request, "Saved and approved.")
        return _back(request, question.concept.plan_id)
    shown = load_shown_question(question)
    context = {"question": question, "shown": shown, "form": form, "plan": question.concept.plan}
    return render(request, "learning/question.html", context, status=form_status(form))


@action
def reject_question(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    question = find_question(request, pk)
    reviewing.set_review(question=question, state=ReviewState.REJECTED)
    undo = reverse("learning:restore-question", args=[pk])
    messages.success(request, "Rejected: nobody is asked this question any more.", extra_tags=undo)
    return _back(request, question.concept.plan_id)


@action
def restore_question(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    question = find_question(request, pk)
    reviewing.set_review(question=question, state=ReviewState.UNREVIEWED)
    messages.success(request, "The question is back, as not reviewed.")
    return _back(request, question.concept.plan_id)


@action
def review_questions(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    chosen = [key for key in map(parse_uuid, request.POST.getlist("question")) if key]
    number = reviewing.approve(questions=_questions(request, plan).filter(pk__in=chosen))
    if number:
        messages.success(request, f"{number} question{pluralize(number)} approved.")
    else:
        messages.warning(request, "Choose the questions to approve first.")
    return _back(request, plan.pk)


@action
def more(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    reviewing.more_questions(concept)
    told = f"More questions on “{concept.name}” are being made. Load the page again in a moment."
    messages.success(request, told)
    return _back(request, concept.plan_id)


def find_question(request: MemberRequest, pk: UUID) -> Question:
    return find(Question.objects.for_member(request.member).select_related("concept__plan"), pk)


def _questions(request: MemberRequest, plan: StudyPlan) -> QuerySet[Question]:
    found = Question.objects.for_member(request.member).filter(concept__plan=plan)
    return found.select_related("concept__plan").order_by("concept__position", "concept", "created_at", "pk")


def _back(request: MemberRequest, plan: object) -> HttpResponseBase:
    to = request.POST.get("next", "")
    allowed = url_has_allowed_host_and_scheme(to, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return redirect(to if allowed else reverse("learning:questions", args=[plan]))
