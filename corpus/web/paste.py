"""Pasted text as a document."""

from __future__ import annotations

import re

from django.contrib import messages
from django.core.files.base import ContentFile
from django.http import HttpResponseBase
from django.shortcuts import redirect, render

from corpus.ingestion.storage import UploadRefused
from corpus.web.forms import PasteForm, form_data, form_status
from corpus.web.kinds import DocumentKind
from schools.access import MemberRequest
from text.shortening import shorten
from text.tables import make_readable_line

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_LEAD = re.compile(r"^[\s#>*+-]+|\s+#+\s*$")
_LETTER = re.compile(r"[^\W_]")


def paste(request: MemberRequest, kind: DocumentKind) -> HttpResponseBase:
    """Show the form, and store its text as a file."""
    form = PasteForm(**form_data(request))
    if form.is_valid():
        title, text = form.cleaned_data["title"], form.cleaned_data["text"]
        title = title or guess_title(text)
        try:
            file = ContentFile(text.encode(), name=f"{title}.txt")
            document, is_new = kind.upload(member=request.member, file=file, title=title)
        except UploadRefused as reason:
            form.add_error(None, str(reason))
        else:
            words = "“{}” is added. It is being read now." if is_new else "This text is there already, as “{}”."
            messages.info(request, words.format(document.title))
            then = kind.next_page(request)
            return redirect(then) if then else kind.redirect_to(document)
    context = {"form": form, "kind": kind, "app": kind.app}
    return render(request, "corpus/paste.html", context, status=form_status(form))


def guess_title(text: str) -> str:
    """The first heading of a text near its beginning, else its first words."""
    lines = [line for line in text.splitlines() if line.strip()][:5]
    heading = next((line for line in lines if _HEADING.match(line)), "")
    named = (make_readable_line(_LEAD.sub("", line)) for line in [heading, *lines])
    return shorten(next((words for words in named if _LETTER.search(words)), "Pasted text"), 60)
