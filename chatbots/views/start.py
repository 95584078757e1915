"""The first steps on one page: add files, make a chatbot of them, ask."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from django import forms
from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from chatbots.models import Chatbot
from chatbots.services import create_chatbot, set_personal_documents
from corpus.ingestion.storage import UploadRefused
from corpus.models import Document
from corpus.web.bulk_upload import upload_files
from corpus.web.forms import UploadForm, form_data
from corpus.web.listing import list_entries
from knowledge import services
from knowledge.models import PersonalDocument, PersonalDocumentQuerySet
from schools.access import MemberRequest, member_required
from schools.http import allow_files
from text.function_words import FUNCTION_WORDS
from text.shortening import shorten

MAX_NAME_LENGTH, SHORT_TITLE = 60, 24
"""Characters of a name that is suggested, and of each title in it where there are several."""

_SUBTITLE = re.compile(r"\s*[:;|(]\s*|\s+[–—-]\s+")


class StartForm(forms.Form):
    """The name of a chatbot and what it reads."""

    name = forms.CharField(
        label="Name", max_length=100, error_messages={"required": "Give the chatbot a name, such as “Rivers, year 8”."}
    )
    documents = forms.ModelMultipleChoiceField(
        queryset=PersonalDocument.objects.none(),
        error_messages={
            "required": "Choose at least one document.",
            "invalid_choice": "One of the documents is no longer there. Choose again.",
        },
    )

    def __init__(self, *args: object, documents: PersonalDocumentQuerySet, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        chosen: forms.ModelMultipleChoiceField[PersonalDocument] = self.fields["documents"]  # type: ignore[assignment]
        chosen.queryset = documents


@require_GET
@member_required
def show_first_steps(request: MemberRequest) -> HttpResponseBase:
    """The page, with the documents that no chatbot reads yet."""
    return _page(request, UploadForm(), None)


@allow_files
@require_POST
@member_required
def upload_first_files(request: MemberRequest) -> HttpResponseBase:
    """Add files to the member's documents."""
    form = UploadForm(**form_data(request))
    if form.is_valid() and upload_files(
        request,
        form.cleaned_data["files"],
        lambda file: services.upload(member=request.member, file=file),
        tells_new=False,  # the page shows them
    ):
        return redirect("chatbots:start")
    return _page(request, form, None, status=422)


@require_POST
@member_required
def make_first_chatbot(request: MemberRequest) -> HttpResponseBase:
    form = StartForm(request.POST, documents=PersonalDocument.objects.for_member(request.member))
    if not form.is_valid():
        return _page(request, UploadForm(), form, status=422)
    documents, name = list(form.cleaned_data["documents"].order_by("created_at", "pk")), form.cleaned_data["name"]
    if name == request.POST.get("suggested"):
        name = _suggested_name(documents)  # documents may have got their titles meanwhile
    chatbot = create_chatbot(member=request.member, name=name)
    set_personal_documents(chatbot=chatbot, member=request.member, documents=[one.pk for one in documents])
    messages.success(request, f"“{chatbot.name}” is ready. Ask it something.")
    return redirect("chatbots:new-chat", chatbot.pk)


@allow_files
@require_POST
@member_required
def add_documents(request: MemberRequest) -> HttpResponseBase:
    """Add files while documents are chosen in the form of a chatbot; the answer is a checkbox for each."""
    form = UploadForm(**form_data(request))
    documents: list[PersonalDocument] = []
    problems = [] if form.is_valid() else [error for errors in form.errors.values() for error in errors]
    for file in form.cleaned_data.get("files", []):
        try:
            documents.append(services.upload(member=request.member, file=file)[0])
        except UploadRefused as reason:
            problems.append(str(reason))
    return render(request, "chatbots/_added_documents.html", {"documents": documents, "problems": problems})


def _suggested_name(documents: Sequence[Document]) -> str:
    """The title of the document; of several the first two in short, and how many more there are; empty for none."""
    if len(documents) < 2:
        return shorten(documents[0].title, MAX_NAME_LENGTH) if documents else ""
    first, second = (_short_title(one.title) for one in documents[:2])
    more = len(documents) - 2
    return f"{first}, {second} and {more} more" if more else f"{first} and {second}"


def _short_title(title: str) -> str:
    """A title without what follows a colon or a dash, and at most a few words of it."""
    short = shorten(_SUBTITLE.split(title, maxsplit=1)[0].strip() or title, SHORT_TITLE)
    if not short.endswith("…"):
        return short
    words = short.removesuffix("…").split()
    while len(words) > 1 and any(words[-1].casefold() in known for known in FUNCTION_WORDS.values()):
        words.pop()
    return " ".join(words)


def _page(
    request: MemberRequest, upload_form: UploadForm, form: StartForm | None, *, status: int = 200
) -> HttpResponseBase:
    unused = PersonalDocument.objects.for_member(request.member).filter(chatbot_links=None).latest_first()
    rows = list_entries(unused[:20])
    usable = [row.document for row in rows if not row.document.is_unreadable]
    recent = [one for one in usable if one.created_at > timezone.now() - timedelta(minutes=30)] or usable
    chosen = set(form.data.getlist("documents")) if form else {str(document.pk) for document in recent}  # type: ignore[attr-defined]
    suggested = _suggested_name(recent[::-1])
    context = {
        "form": upload_form,
        "rows": [(row, str(row.document.pk) in chosen) for row in rows],
        "making": form or StartForm(initial={"name": suggested}, documents=unused),
        "suggested": suggested,
        "has_chatbots": Chatbot.objects.for_member(request.member).exists(),
    }
    return render(request, "chatbots/start.html", context, status=status)
