"""Pasted text as a document, for both kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.files.base import ContentFile, File
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render

from corpus.ingestion.storage import UploadRefused
from corpus.models import Document
from corpus.web.forms import PasteForm, form_data, form_status
from text.shortening import shorten
from text.tables import readable_line

LONGEST_TITLE = 60
"""Characters of a title that is taken from the text."""

_LOOKED_AT = 5  # lines
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_LEAD = re.compile(r"^[\s#>*+-]+|\s+#+\s*$")
_LETTER = re.compile(r"[^\W_]")

Add = Callable[[File[Any], str], tuple[Document, bool]]


def paste(request: HttpRequest, *, app: str, where: str, add: Add, then: str = "") -> HttpResponseBase:
    """Show the form, and store its text as a file. `add` takes the file and its title.

    `where` names the list of documents, to which the page belongs, `then` the page that follows; by default that of the
    document.
    """
    form = PasteForm(**form_data(request))
    if form.is_valid():
        title, text = form.cleaned_data["title"], form.cleaned_data["text"]
        title = title or title_of(text)
        try:
            document, is_new = add(ContentFile(text.encode(), name=f"{title}.txt"), title)
        except UploadRefused as reason:
            form.add_error(None, str(reason))
        else:
            words = "“{}” is added. It is being read now." if is_new else "This text is there already, as “{}”."
            messages.info(request, words.format(document.title))
            return redirect(then) if then else redirect(f"{app}:detail", document.pk)
    return render(request, "corpus/paste.html", {"form": form, "app": app, "where": where}, status=form_status(form))


def title_of(text: str) -> str:
    """The first heading of a text near its beginning, else its first words."""
    lines = [line for line in text.splitlines() if line.strip()][:_LOOKED_AT]
    heading = next((line for line in lines if _HEADING.match(line)), "")
    named = (readable_line(_LEAD.sub("", line)) for line in [heading, *lines])
    return shorten(next((words for words in named if _LETTER.search(words)), "Pasted text"), LONGEST_TITLE)
