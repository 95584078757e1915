"""Pages of study plans: the list, a new one, the plan with its picture, its settings, its files and its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import networkx
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize

from chatbots.models import Chat, Participant
from corpus.web.forms import form_data, form_status
from engines.llm import get_llm
from learning.exports.files import FORMATS, export_plan
from learning.exports.questions import make_worksheet
from learning.forms import PlanForm, SettingsForm
from learning.generating.requests import MAX_FAILURES, describe_cost
from learning.layout import Box, Picture, draw
from learning.models import Concept, PracticeSession, Question, ReviewState, StudyPlan
from learning.models.plan import MIN_QUESTIONS
from learning.planning import services
from learning.planning.editing import last_edit
from learning.planning.plan_sources import find_outdated_concepts
from learning.practice.progress import (
    ConceptState,
    LearningState,
    choose_next_concepts,
    get_progress,
    get_progress_by_plan,
)
from learning.questions.checking.checks import DropReason
from learning.tutoring.source import offered_question
from learning.views import action, form_page, page
from schools.access import MemberRequest
from schools.http import find, parse_uuid

DEEPEST = 4
"""Indents of the list. Deeper concepts are not indented further: a narrow page has no room for it."""


@dataclass(frozen=True)
class StateWord:
    """How a state of progress is called, with its icon and what it means."""

    value: str
    label: str
    icon: str
    meaning: str


STATES = {
    word.value: word
    for word in (
        StateWord("new", "New", "new", "not practised yet"),
        StateWord("learning", "Learning", "learning", "practised, but not yet safe"),
        StateWord("known", "Known", "check", "answered well, and not due yet"),
        StateWord("weak", "Weak", "warning", "often wrong"),
        StateWord("due", "Due", "clock", "time to repeat it"),
    )
}


@dataclass(frozen=True)
class ConceptNode:
    """A concept in picture and list: its progress, what is learnt before it, and how far the list indents it."""

    concept: Concept
    progress: ConceptState
    word: StateWord
    needs: list[Concept]
    box: Box
    depth: int

    @property
    def icon_place(self) -> tuple[float, float]:
        """The upper left corner of the icon of 12 by 12 pixels before the word of the state, which is centred."""
        return round(self.box.middle - 3.4 * len(self.word.label) - 9, 1), round(self.box.state_y - 10, 1)

    @property
    def spoken(self) -> str:
        after = ", ".join(one.name for one in self.needs)
        return f"{self.concept.shown_name}, {self.word.label.lower()}" + (f", after {after}" if after else "")


@dataclass(frozen=True)
class Graph:
    picture: Picture
    nodes: list[ConceptNode]
    states: list[tuple[StateWord, int]]


def build_graph(plan: StudyPlan, participant: Participant) -> Graph:
    states = {state.concept.pk: state for state in get_progress(plan, participant)}
    links = [(before.pk, key) for key, state in states.items() for before in state.requires]
    picture = draw({key: state.concept.shown_name for key, state in states.items()}, links)
    boxes, depths = {box.key: box for box in picture.boxes}, _depths(states, links)
    nodes = [
        ConceptNode(state.concept, state, STATES[state.state], state.requires, boxes[key], depths[key])
        for key, state in states.items()
    ]
    numbers = Counter(node.word.value for node in nodes)
    in_order = sorted(nodes, key=lambda node: (boxes[node.concept.pk].row, node.concept.position))
    return Graph(picture, in_order, [(word, numbers[value]) for value, word in STATES.items()])


def _depths(keys: Iterable[UUID], links: Iterable[tuple[UUID, UUID]]) -> dict[UUID, int]:
    """How many concepts come before each on the longest way to it, at most DEEPEST."""
    graph: networkx.DiGraph[UUID] = networkx.DiGraph(links)
    graph.add_nodes_from(keys)
    rows = enumerate(networkx.topological_generations(graph))
    return {key: min(depth, DEEPEST) for depth, row in rows for key in row}


@page
def list_plans(request: MemberRequest) -> HttpResponseBase:
    participant = Participant.objects.of(request.member)
    plans = list(StudyPlan.objects.for_member(request.member).select_related("chatbot"))
    progress = get_progress_by_plan(plans, participant)
    rows = [(plan, _count_concepts(progress[plan.pk])) for plan in plans]
    shown = [{"plan": plan, **counts} for plan, counts in rows]
    return render(request, "learning/list.html", {"rows": shown, "due": sum(counts["due"] for _, counts in rows)})


@form_page
def start_plan(request: MemberRequest) -> HttpResponseBase:
    form = PlanForm(**form_data(request), member=request.member)
    if plan := form.submit(partial(services.create_plan, member=request.member)):
        return redirect("learning:plan", plan.pk)
    return render(request, "learning/form.html", {"form": form}, status=form_status(form))


@page
def show_plan(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    return render(request, "learning/plan.html", _plan_context(request, plan))


@page
def status(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The progress of making a plan, as a fragment. A finished plan has the page load again, as a whole."""
    plan = find_plan(request, pk)
    if not request.headers.get("HX-Request"):
        return redirect("learning:plan", pk)
    if not plan.is_pending:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "learning/_progress.html", _plan_context(request, plan))


@form_page
def edit_settings(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    form = SettingsForm.of(plan, **form_data(request), member=request.member)
    if form.submit(partial(services.update_plan, plan=plan)):
        messages.success(request, "Saved.")
        return redirect("learning:plan", pk)
    return render(request, "learning/settings.html", {"plan": plan, "form": form}, status=form_status(form))


@form_page
def confirm_plan_deletion(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    if request.method == "POST":
        services.delete_plan(plan=plan)
        messages.success(request, f"“{plan.title}” is deleted. Your documents stay.")
        return redirect("learning:list")
    return render(request, "learning/delete.html", {"plan": plan})


@action
def stop_making(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    services.stop_plan(plan=find_plan(request, pk))
    messages.success(request, "Stopped. What has been made stays, and you can go on later.")
    return redirect("learning:plan", pk)


@action
def resume(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    services.resume_plan(plan=find_plan(request, pk))
    return redirect("learning:plan", pk)


@action
def refresh(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    number = services.refresh_plan(plan=find_plan(request, pk))
    if number:
        told = f"{number} concept{pluralize(number)} will be brought up to date. What has been learnt stays."
        messages.success(request, told)
    else:
        messages.info(request, "Everything is up to date.")
    return redirect("learning:plan", pk)


@page
def tutor(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    return redirect("chatbots:new-chat", find_plan(request, pk).tutor_id)


@page
def plan_of_tutor(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    return redirect("learning:plan", get_object_or_404(StudyPlan.objects.for_member(request.member), tutor=pk).pk)


@page
def offer_practice(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A practice question of the concept that a conversation with a tutor was last about; empty if there is none."""
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    plan = StudyPlan.objects.for_member(request.member).filter(tutor=chat.chatbot_id).first()
    question = offered_question(plan, chat) if plan else None
    if question is None:
        return HttpResponse()
    return render(request, "learning/_offer.html", {"plan": plan, "question": question})


def _count_concepts(concepts: Sequence[ConceptState]) -> dict[str, int]:
    states = Counter(one.state for one in concepts)
    due = states[LearningState.DUE] + states[LearningState.WEAK]
    return {"concepts": states.total(), "known": states[LearningState.KNOWN], "due": due}


def find_plan(request: MemberRequest, pk: UUID) -> StudyPlan:
    return find(StudyPlan.objects.for_member(request.member).select_related("school", "chatbot", "tutor"), pk)


def _plan_context(request: MemberRequest, plan: StudyPlan) -> dict[str, object]:
    participant = Participant.objects.of(request.member)
    questions = Question.objects.for_member(request.member).filter(concept__plan=plan)
    sessions = PracticeSession.objects.for_member(request.member).filter(plan=plan, concept=None, finished_at=None)
    return {
        "plan": plan,
        "graph": build_graph(plan, participant),
        "next": choose_next_concepts(plan, participant)[:3],
        "outdated": [] if plan.is_pending else find_outdated_concepts(plan),
        "last_edit": last_edit(plan),
        "is_model_lost": plan.dropped.get(DropReason.NO_MODEL, 0) >= MAX_FAILURES,
        "cost": describe_cost(get_llm(), plan.most_concepts),
        "unreviewed": questions.filter(review=ReviewState.UNREVIEWED, is_outdated=False).count(),
        "can_practise": questions.open_to(participant).exists(),
        "lacks_review": questions.shown().count() < MIN_QUESTIONS <= questions.open_to(participant).count(),
        "unfinished": sessions.first(),
        "formats": list(FORMATS.values()),
    }


@page
def download_plan(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    name = request.GET.get("format", "gift")
    if name not in FORMATS:
        raise Http404("There is no such format.")
    return export_plan(plan, name)


@page
def show_worksheet(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The questions to print, of the whole plan or of one `?concept=`, with the key on a page of its own."""
    plan = find_plan(request, pk)
    concepts = list(Concept.objects.for_member(request.member).filter(plan=plan))
    key = parse_uuid(request.GET.get("concept"))
    chosen = [concept for concept in concepts if concept.pk == key]
    rows, sources = make_worksheet(plan, chosen or None)
    context = {
        "plan": plan,
        "rows": rows,
        "sources": sources,
        "concepts": concepts,
        "concept": next(iter(chosen), None),
    }
    return render(request, "learning/worksheet.html", context)
