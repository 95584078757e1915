"""Answers that both kinds of document give in the same way: a page of the text, a file, how far indexing is."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import FileResponse

from corpus.models import Document, Version
from corpus.reading.blocks import contents, read_part
from corpus.reading.find import find_words, pattern_of
from schools.http import download


def reading_context(request: HttpRequest, document: Document) -> dict[str, Any]:
    """What `corpus/_document.html` shows: the part asked for, or the one with the passage asked for, and contents.

    With `?find=` also where these words stand in the document; they are marked in the part shown.
    """
    passage, part = _number(request, "passage"), _number(request, "part")
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
    """The file of version `?version=`, or of version `default`, as a download. 404 where there is none."""
    return version_file(document, _number(request, "version") or default)


def version_file(document: Document, number: int) -> FileResponse:
    """The file of one version as a download. 404 where there is none."""
    version: Version | None = document.versions.filter(number=number).first()
    if version is None or not version.file or not version.file.storage.exists(version.file.name):
        raise Http404("There is nothing here.")
    return download(version.file.storage, version.file.name, filename=version.filename)


def refresh_when_done(request: HttpRequest, response: HttpResponse, document: Document) -> HttpResponse:
    """Ask a document's own page, which waits for the text, to load again once there is one."""
    if request.GET.get("from") == "detail" and not document.is_pending:
        response["HX-Refresh"] = "true"
    return response


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
