"""Pages of concepts: a concept with its sources, and the edits of the graph, each with a way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.citations.source_view import open_source
from chatbots.models import Participant
from corpus.web.forms import form_data, form_status
from learning.forms.plans import ConceptForm, OtherConceptForm, SplitForm
from learning.models import Concept, ConceptSource, Question
from learning.planning import editing
from learning.planning.editing import EditRefused
from learning.views.graph import build_graph
from learning.views.plans import find_plan
from schools.access import MemberRequest, member_required
from schools.http import find, parse_uuid

# The page has all three forms: their fields need ids of their own.
MERGE: dict[str, Any] = {"label": "Merge into", "auto_id": "merge_%s"}
FIRST: dict[str, Any] = {"label": "Learn first", "auto_id": "first_%s"}
SPLIT: dict[str, Any] = {"auto_id": "split_%s"}


@never_cache
@require_GET
@member_required
def show_concept(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    return _page(request, find_concept(request, pk))


@require_GET
@member_required
def show_concept_source(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A source of a concept, opened at its passage in the current document or in the stored text."""
    source = find(ConceptSource.objects.for_member(request.member).select_related("concept__plan"), pk)
    answer = source.concept.definition if source.concept.definition_source == source.number else ""
    context = open_source(source, request.member, answer=answer)
    return render(request, "learning/source.html", context | {"used_by": "the study plan"})


@require_http_methods(["GET", "POST"])
@member_required
def edit(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    initial = {"name": concept.name, "definition": concept.definition}
    form = ConceptForm(**form_data(request), initial=initial)
    return _edit_by_form(request, concept, "edit_form", form, partial(editing.rename_concept, concept=concept))


@require_http_methods(["GET", "POST"])
@member_required
def add(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    form = ConceptForm(**form_data(request))
    if form.is_valid():
        try:
            concept = editing.add_concept(plan=plan, **form.cleaned_data)
        except EditRefused as reason:
            form.add_error("name", str(reason))
        else:
            told = f"“{concept.name}” is added. Say what is learnt before it, if anything."
            messages.success(request, told, extra_tags=reverse("learning:undo", args=[pk]))
            return redirect("learning:concept", concept.pk)
    return render(request, "learning/add_concept.html", {"plan": plan, "form": form}, status=form_status(form))


@require_POST
@member_required
def remove(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    if _edited(request, concept, partial(editing.remove_concept, concept=concept)):
        return redirect("learning:plan", concept.plan_id)
    return _page(request, concept)


@require_POST
@member_required
def merge_into_other(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    form = OtherConceptForm(request.POST, others=_others(request, concept), **MERGE)
    return _edit_by_form(request, concept, "merge_form", form, partial(editing.merge_concepts, concept=concept), "into")


@require_POST
@member_required
def split(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    form = SplitForm(request.POST, concept=concept, **SPLIT)
    return _edit_by_form(request, concept, "split_form", form, partial(editing.split_concept, concept=concept))


@require_POST
@member_required
def add_prerequisite(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    concept = find_concept(request, pk)
    form = OtherConceptForm(request.POST, others=_others(request, concept), **FIRST)
    change = partial(editing.add_prerequisite, concept=concept)
    return _edit_by_form(request, concept, "prerequisite_form", form, change, "requires")


@require_POST
@member_required
def remove_prerequisite(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase the line from the concept that is posted as `other`."""
    concept = find_concept(request, pk)
    requires = find(_others(request, concept), parse_uuid(request.POST.get("other")))
    _edited(request, concept, partial(editing.remove_prerequisite, concept=concept, requires=requires))
    return redirect("learning:concept", pk)


@require_POST
@member_required
def undo_edit(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    try:
        messages.success(request, f"Undone: {editing.undo(plan=plan)}.")
    except EditRefused as reason:
        messages.error(request, str(reason))
    return redirect("learning:plan", pk)


def find_concept(request: MemberRequest, pk: UUID) -> Concept:
    return find(Concept.objects.for_member(request.member).select_related("plan__school"), pk)


def _edit_by_form(
    request: MemberRequest, concept: Concept, name: str, form: Form, change: Callable[..., object], other: str = ""
) -> HttpResponseBase:
    """Change a concept by what a form has, and go to it, to the one that it is merged into, or after a split to the
    plan; else show the page with the form. `other` is what the change calls the other concept of the form."""
    values = form.cleaned_data if form.is_valid() else {}
    named = {other: values.get("other")} if other else values
    if form.is_valid() and _edited(request, concept, partial(change, **named), form):
        if name == "split_form":
            return redirect("learning:plan", concept.plan_id)
        return redirect("learning:concept", values["other"].pk if name == "merge_form" else concept.pk)
    return _page(request, concept, **{name: form})


def _edited(request: MemberRequest, concept: Concept, change: Callable[[], object], form: Form | None = None) -> bool:
    """Make the change and offer to undo it; else say why it is refused, at the first field of the form."""
    try:
        change()
    except EditRefused as reason:
        if form is None:
            messages.error(request, str(reason))
        else:
            form.add_error(next(iter(form.fields)), str(reason))
        return False
    last = editing.last_edit(concept.plan)
    told = f"Done: {last.words}." if last else "Done."
    messages.success(request, told, extra_tags=reverse("learning:undo", args=[concept.plan_id]))
    return True


def _others(request: MemberRequest, concept: Concept) -> Any:
    return Concept.objects.for_member(request.member).filter(plan=concept.plan_id).exclude(pk=concept.pk)


def _sources(concept: Concept) -> list[ConceptSource]:
    """The current sources, that of the definition first: the page folds all but the first ones."""
    found = ConceptSource.objects.current().filter(concept=concept)
    return sorted(found, key=lambda source: source.number != concept.definition_source)


def _page(request: MemberRequest, concept: Concept, **forms: Any) -> HttpResponseBase:
    """The page of the concept, with forms that were refused in the place of empty ones."""
    concept.refresh_from_db(fields=["name", "definition", "definition_source"])
    graph = build_graph(concept.plan, Participant.objects.of(request.member))
    node = next(one for one in graph.nodes if one.concept.pk == concept.pk)
    others = _others(request, concept)
    needed = {one.pk for one in node.needs}
    questions = Question.objects.for_member(request.member).filter(concept=concept)
    context = {
        "plan": concept.plan,
        "concept": concept,
        "node": node,
        "needed_for": [one.concept for one in graph.nodes if concept in one.needs],
        "sources": _sources(concept),
        "questions": questions.count(),
        "can_practise": questions.shown().exists(),
        "edit_form": ConceptForm(initial={"name": concept.name, "definition": concept.definition}),
        "merge_form": OtherConceptForm(others=others, **MERGE),
        "split_form": SplitForm(concept=concept, **SPLIT),
        "prerequisite_form": OtherConceptForm(others=others.exclude(pk__in=needed), **FIRST),
        "has_others": others.exists(),
    }
    status = max((form_status(form) for form in forms.values()), default=200)
    return render(request, "learning/concept.html", context | forms | {"opened": next(iter(forms), "")}, status=status)
