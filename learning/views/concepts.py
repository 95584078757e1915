"""Pages of concepts: a concept with its sources, and the edits of the graph, each with a way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from chatbots.citations.source_view import open_source
from chatbots.models import Participant
from corpus.web.forms import form_data, form_status
from learning.forms import ConceptForm, OtherConceptForm, RefusableForm, SplitForm
from learning.models import Concept, ConceptSource, Question, StudyPlan
from learning.planning import editing
from learning.planning.editing import EditRefused
from learning.views import action, form_page, page
from learning.views.plans import build_graph, find_plan
from schools.access import MemberRequest
from schools.http import find, parse_uuid

_EDITS: dict[str, Callable[..., Concept]] = {
    "edit_form": editing.rename_concept,
    "merge_form": editing.merge_concepts,
    "split_form": editing.split_concept,
    "prerequisite_form": editing.add_prerequisite,
}
"""The edits for which the page of a concept has a form, by its name in the template."""


@page
def show_concept(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    return _page(request, concept, _build_forms(request, concept))


@page
def show_concept_source(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A source of a concept, opened at its passage in the current document or in the stored text."""
    source = find(ConceptSource.objects.for_member(request.member).select_related("concept__plan"), pk)
    answer = source.concept.definition if source.concept.definition_source == source.number else ""
    context = open_source(source, request.member, answer=answer)
    return render(request, "learning/source.html", context | {"used_by": "the study plan"})


def _edit(request: MemberRequest, pk: UUID, name: str) -> HttpResponseBase:
    """Change a concept by the form of this name, and show what came of it; else the page with that form open."""
    concept = find_concept(request, pk)
    forms = _build_forms(request, concept, name)
    if changed := forms[name].submit(partial(_EDITS[name], concept=concept)):
        _offer_undo(request, concept.plan)
        return redirect("learning:concept", changed.pk)
    return _page(request, find_concept(request, pk), forms, name)  # it may have been removed meanwhile


edit, change = form_page(_edit), action(_edit)


@form_page
def add(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    form = ConceptForm(**form_data(request))
    if concept := form.submit(partial(editing.add_concept, plan=plan)):
        told = f"“{concept.name}” is added. Say what is learnt before it, if anything."
        messages.success(request, told, extra_tags=reverse("learning:undo", args=[pk]))
        is_suggested = "suggested" in request.POST  # with one click, and the next one is beside it
        return redirect("learning:plan", pk) if is_suggested else redirect("learning:concept", concept.pk)
    return render(request, "learning/add_concept.html", {"plan": plan, "form": form}, status=form_status(form))


@action
def remove(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    _change(request, concept.plan, partial(editing.remove_concept, concept=concept))
    return redirect("learning:plan", concept.plan_id)


@action
def remove_prerequisite(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase the line from the concept that is posted as `other`."""
    concept = find_concept(request, pk)
    requires = find(_others(request, concept), parse_uuid(request.POST.get("other")))
    _change(request, concept.plan, partial(editing.remove_prerequisite, concept=concept, requires=requires))
    return redirect("learning:concept", pk)


@action
def undo_edit(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    try:
        messages.success(request, f"Undone: {editing.undo(plan=plan)}.")
    except EditRefused as reason:
        messages.error(request, str(reason))
    return redirect("learning:plan", pk)


def find_concept(request: MemberRequest, pk: UUID) -> Concept:
    return find(Concept.objects.for_member(request.member).select_related("plan__school"), pk)


def _change(request: MemberRequest, plan: StudyPlan, change: Callable[[], object]) -> None:
    try:
        change()
    except EditRefused as reason:
        messages.error(request, str(reason))
    else:
        _offer_undo(request, plan)


def _offer_undo(request: MemberRequest, plan: StudyPlan) -> None:
    last = editing.last_edit(plan)
    told = f"Done: {last.words}." if last else "Done."
    messages.success(request, told, extra_tags=reverse("learning:undo", args=[plan.pk]))


def _build_forms(request: MemberRequest, concept: Concept, chosen: str = "") -> dict[str, RefusableForm]:
    """The forms of the page of a concept, one of them with what was sent. Their fields need ids of their own."""
    sent, others = {chosen: form_data(request)}, _others(request, concept)
    new = others.exclude(pk__in=concept.prerequisites.all())
    initial = {"name": concept.name, "definition": concept.definition}
    return {
        "edit_form": ConceptForm(**sent.get("edit_form", {}), initial=initial),
        "merge_form": OtherConceptForm(**sent.get("merge_form", {}), others=others, role="into", label="Merge into"),
        "split_form": SplitForm(**sent.get("split_form", {}), concept=concept, auto_id="split_%s"),
        "prerequisite_form": OtherConceptForm(
            **sent.get("prerequisite_form", {}), others=new, role="requires", label="Learn first"
        ),
    }


def _others(request: MemberRequest, concept: Concept) -> Any:
    return Concept.objects.for_member(request.member).filter(plan=concept.plan_id).exclude(pk=concept.pk)


def _sources(concept: Concept) -> list[ConceptSource]:
    """The current sources, that of the definition first: the page folds all but the first ones."""
    found = ConceptSource.objects.current().filter(concept=concept)
    return sorted(found, key=lambda source: source.number != concept.definition_source)


def _page(
    request: MemberRequest, concept: Concept, forms: dict[str, RefusableForm], opened: str = ""
) -> HttpResponseBase:
    participant = Participant.objects.of(request.member)
    graph = build_graph(concept.plan, participant)
    node = next(one for one in graph.nodes if one.concept.pk == concept.pk)
    questions = Question.objects.for_member(request.member).filter(concept=concept)
    context = {
        "plan": concept.plan,
        "concept": concept,
        "node": node,
        "needed_for": [one.concept for one in graph.nodes if concept in one.needs],
        "sources": _sources(concept),
        "questions": questions.count(),
        "can_practise": questions.open_to(participant).exists(),
        "has_others": _others(request, concept).exists(),
        "opened": opened,
    }
    status = max(map(form_status, forms.values()))
    return render(request, "learning/concept.html", context | forms, status=status)
