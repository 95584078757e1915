"""Topics of approved pages: list, one topic, making, changing and deleting it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from corpus.web.forms import form_data, form_status
from references.approved import topics
from references.approved.queue import queue_school
from references.approved.topics import TopicRefused
from references.forms import AddressesForm, TopicForm
from references.models import ApprovedTopic, PageState, ReferenceSettings
from references.outside_calls import may_call_outside
from references.views.pages import PageView
from schools.access import MemberRequest, admin_required, member_required, must_be_admin
from schools.http import find, get_page

_WORRYING = (PageState.FAILED, PageState.CHANGED, PageState.STALE, PageState.NEW, PageState.FRESH)


@dataclass(frozen=True)
class TopicRow:
    """A topic of the list, with how many of its pages are in which state, the most worrying first."""

    topic: ApprovedTopic
    states: list[tuple[PageState, int]]

    @classmethod
    def of(cls, topic: ApprovedTopic) -> TopicRow:
        counts = Counter(page.current_state for page in topic.pages.all())
        return cls(topic, [(state, counts[state]) for state in _WORRYING if counts[state]])


@require_GET
@admin_required
def list_topics(request: MemberRequest) -> HttpResponseBase:
    """All topics of the school."""
    found = ApprovedTopic.objects.for_member(request.member).prefetch_related("pages")
    page = get_page(request, found)
    context = {"page": page, "rows": [TopicRow.of(topic) for topic in page.object_list], **_permission(request)}
    return render(request, "references/topics.html", context)


@require_http_methods(["GET", "POST"])
@admin_required
def add_topic(request: MemberRequest) -> HttpResponseBase:
    """Make a topic."""
    form = TopicForm(**form_data(request))
    if form.is_valid():
        try:
            topic = topics.create_topic(school=request.member.school, **form.values())
        except TopicRefused as reason:
            form.refuse(reason)
        else:
            messages.success(request, f"“{topic.name}” was added. Its pages are being read.")
            return redirect("references:topic", topic.pk)
    return render(request, "references/topic_form.html", {"form": form}, status=form_status(form))


@require_http_methods(["GET", "POST"])
@member_required
def detail(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A topic with its pages; and more pages for it."""
    topic = find_topic(request, pk)
    form = AddressesForm(**form_data(request))
    if form.is_valid():
        try:
            number = topics.add_addresses(topic=topic, addresses=form.cleaned_data["addresses"].splitlines())
        except TopicRefused as reason:
            form.refuse(reason)
        else:
            told = f"{number} page{pluralize(number)} added." if number else "These pages are listed already."
            messages.success(request, told)
            return redirect("references:topic", pk)
    permission = _permission(request)
    views = [PageView.of(page, calls_outside=permission["calls_outside"]) for page in topic.pages.all()]
    context = {"topic": topic, "form": form, "views": views, **permission}
    return render(request, "references/topic.html", context, status=form_status(form))


@require_http_methods(["GET", "POST"])
@member_required
def edit_topic(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Change name, keywords and addresses."""
    topic = find_topic(request, pk)
    form = TopicForm.of(topic, **form_data(request))
    if form.is_valid():
        try:
            topics.change_topic(topic=topic, **form.values())
        except TopicRefused as reason:
            topic.refresh_from_db()
            form.refuse(reason)
        else:
            messages.success(request, "Saved.")
            return redirect("references:topic", pk)
    return render(request, "references/topic_form.html", {"form": form, "topic": topic}, status=form_status(form))


@require_http_methods(["GET", "POST"])
@member_required
def confirm_topic_deletion(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and delete a topic with its pages."""
    topic = find_topic(request, pk)
    if request.method == "POST":
        topics.delete_topic(topic)
        messages.success(request, f"“{topic.name}” was deleted. Its pages are no longer used.")
        return redirect("references:topics")
    return render(request, "references/delete_topic.html", {"topic": topic})


@require_POST
@admin_required
def warm(request: MemberRequest) -> HttpResponseBase:
    """Have all pages of the school read again in the background."""
    if number := queue_school(request.member.school):
        messages.success(
            request, f"{number} page{pluralize(number)} will be read again. Reload this page to see the result."
        )
    else:
        messages.warning(request, "There is nothing to read, or calls to the outside are switched off.")
    return redirect("references:topics")


def find_topic(request: MemberRequest, pk: UUID) -> ApprovedTopic:
    """The topic, for an admin: 404 if it is of another school, else 403 for a teacher."""
    topic = find(ApprovedTopic.objects.for_member(request.member).select_related("school"), pk)
    must_be_admin(request.member)
    return topic


def _permission(request: MemberRequest) -> dict[str, bool]:
    """What the admin should know first: whether the pages answer at all, and whether they can be read."""
    school = request.member.school
    return {
        "is_allowed": ReferenceSettings.of(school).allows_approved,
        "calls_outside": may_call_outside(school),
    }
