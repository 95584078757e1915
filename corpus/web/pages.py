"""Pages and downloads of documents of both kinds."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import FileResponse
from django.shortcuts import render

from corpus.models import Document, Version
from corpus.reading.blocks import contents, read_part
from corpus.reading.find import find_words, pattern_of
from schools.http import FileUnreachable, download

UNREACHABLE = "This server cannot reach the file just now. Please try again later; if it stays so, tell your operator."


def reading_context(request: HttpRequest, document: Document) -> dict[str, Any]:
    """The context of `corpus/_document.html`: the part `?part=` or the one with `?passage=`, and the contents.

    With `?find=` also the matches of these words, which are marked in the part.
    """
    passage, part = number_in(request, "passage"), number_in(request, "part")
    finding = find_words(document, request.GET.get("find", "").replace("\0", ""))
    words = pattern_of(finding.words) if finding else None
    reading = read_part(document, passage=passage, part=part or 1, words=words)
    return {
        "document": document,
        "reading": reading,
        "blocks": reading.blocks,
        "contents": contents(document),
        "finding": finding,
    }


def original(request: HttpRequest, document: Document, *, default: int) -> FileResponse:
    """The file of version `?version=`, or of version `default`, as a download. 404 if there is none."""
    return version_file(document, number_in(request, "version") or default)


def version_file(document: Document, number: int) -> FileResponse:
    """The file of one version as a download. 404 if there is none. Raises FileUnreachable."""
    version: Version | None = document.versions.filter(number=number).first()
    if version is None or not version.file:
        raise Http404("There is nothing here.")
    if not version.file.storage.exists(version.file.name):
        raise FileUnreachable(UNREACHABLE)
    return download(version.file.storage, version.file.name, filename=version.filename)


def row(request: HttpRequest, document: Document) -> HttpResponse:
    """One row of the list, which polls itself while the document is indexed. Then the page of the document reloads."""
    where, app = request.GET.get("from"), document._meta.app_label
    context = {"document": document, "newest": document.newest, "where": where, "app": app}
    response = render(request, "corpus/_choice.html" if where == "choice" else f"{app}/_row.html", context)
    if request.GET.get("from") == "detail" and not document.is_pending:
        response["HX-Refresh"] = "true"
    return response


def number_in(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
