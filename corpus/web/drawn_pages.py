"""A page of a PDF as it is printed, with the cited passage marked. For documents of both kinds."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from corpus.models import Document, Version
from corpus.reading.blocks import file_info
from corpus.reading.page_marks import passage_marks
from corpus.reading.page_pictures import PageNotDrawn, PagePicture, has_pages, page_picture
from corpus.web.kinds import DocumentKind
from corpus.web.pages import number_in


def show_drawn_page(request: HttpRequest, kind: DocumentKind, document: Document) -> HttpResponse:
    """Page `?page=` of the version that answers, with the chunk at position `?passage=` marked, unless that is one of
    another `?version=`. 404 if it has no such page."""
    version, number = _wanted(request, document)
    position, is_same = number_in(request, "passage"), number_in(request, "version") in (None, version.number)
    if not is_same:
        position = None
    chunk = document.chunks.filter(position=position).first() if position is not None else None
    context: dict[str, Any] = {
        "document": document,
        "app": kind.app,
        "number": number,
        "pages": range(1, (version.pages or 1) + 1),
        "before": number - 1,
        "after": number + 1 if number < (version.pages or 1) else None,
        "passage": chunk,
        "is_updated": not is_same,
        "label": version.label_of_page(number) or number,
        "is_recognised": number in version.recognised_pages,
    }
    try:
        picture = page_picture(version, number)
    except PageNotDrawn as reason:
        return render(request, "corpus/drawn_page.html", context | {"reason": reason}, status=503)
    marks = passage_marks(chunk.text, picture.words) if chunk else []
    return render(request, "corpus/drawn_page.html", context | {"picture": picture, "marks": marks})


def serve_drawn_page(request: HttpRequest, kind: DocumentKind, document: Document) -> HttpResponse:
    """The picture of page `?page=` as WebP. 404 if there is none."""
    version, number = _wanted(request, document)
    try:
        drawn: PagePicture = page_picture(version, number)
    except PageNotDrawn as reason:
        return HttpResponse(str(reason), status=503, content_type="text/plain; charset=utf-8")
    response = HttpResponse(drawn.data, content_type="image/webp")
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response


def _wanted(request: HttpRequest, document: Document) -> tuple[Version, int]:
    version, number = file_info(document), number_in(request, "page") or 1
    if not has_pages(version) or number > (version.pages or 0):
        raise Http404("There is nothing here.")
    return version, number
