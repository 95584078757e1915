"""A place of a document as its author sees it, with the cited passage marked, beside the text that was read there.

For documents of both kinds. Pages of PDFs have a picture; what was read wrongly can be reported.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from corpus.models import Document, Version
from corpus.reading.blocks import file_info, read_place
from corpus.reading.locations import name_page
from corpus.reading.page_marks import passage_marks
from corpus.reading.page_pictures import PageNotDrawn, PagePicture, has_pages, page_picture
from corpus.web.kinds import DocumentKind
from corpus.web.pages import number_in
from schools import rate_limits
from schools.access import MemberRequest

MAX_COMMENT = 2000
"""Characters of what somebody writes with a report."""


def show_drawn_page(
    request: HttpRequest, kind: DocumentKind, document: Document, *, comment: str = "", problem: str = ""
) -> HttpResponse:
    """Page `?page=` of the version that answers, with the chunk at position `?passage=` marked, unless that is one of
    another `?version=`. Of a file without pages the block `?block=`. 404 if there is no such place; 400 with the
    `problem` why the `comment` of a report is not stored."""
    version, number, block = _find_place(request, document)
    blocks, _ = read_place(document, page=number, block=block)
    position, is_same = number_in(request, "passage"), number_in(request, "version") in (None, version.number)
    if not is_same:
        position = None
    chunk = document.chunks.filter(position=position).first() if position is not None else None
    context: dict[str, Any] = {
        "document": document,
        "app": kind.app,
        "number": number,
        "version": version,
        "blocks": blocks,
        "block": block,
        "before": number - 1 if number else None,
        "after": number + 1 if number and number < (version.pages or 1) else None,
        "passage": chunk,
        "is_updated": not is_same,
        "page": name_page(version.media_type),
        "label": version.label_of_page(number) or number,
        "comment": comment,
        "problem": problem,
        "is_recognised": number in version.recognised_pages,
    }
    if number is None or not has_pages(version):
        return render(request, "corpus/drawn_page.html", context, status=400 if problem else 200)
    try:
        picture = page_picture(version, number)
    except PageNotDrawn as reason:
        return render(request, "corpus/drawn_page.html", context | {"reason": reason}, status=503)
    marks = passage_marks(chunk.text, picture.words) if chunk else []
    context |= {"picture": picture, "marks": marks}
    return render(request, "corpus/drawn_page.html", context, status=400 if problem else 200)


def serve_drawn_page(request: HttpRequest, kind: DocumentKind, document: Document) -> HttpResponse:
    """The picture of page `?page=` as WebP. 404 if there is none."""
    version, number, _ = _find_place(request, document)
    if number is None or not has_pages(version):
        raise Http404("There is nothing here.")
    try:
        drawn: PagePicture = page_picture(version, number)
    except PageNotDrawn as reason:
        return HttpResponse(str(reason), status=503, content_type="text/plain; charset=utf-8")
    response = HttpResponse(drawn.data, content_type="image/webp")
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response


def report_reading(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """Store a report that this place was read wrongly, with the text read there. What cannot be stored comes back."""
    comment = request.POST.get("comment", "").replace("\0", "").replace("\r\n", "\n")
    problem = ""
    if len(comment) > MAX_COMMENT:
        problem = f"That is {len(comment):,} characters; {MAX_COMMENT:,} can be sent. Please shorten it."
    elif not rate_limits.take(rate_limits.READING_REPORTS, document.school_id, request.member.user_id).allowed:
        problem = f"You have sent {rate_limits.READING_REPORTS.number} reports within an hour. Go on in an hour."
    if problem:
        return show_drawn_page(request, kind, document, comment=comment, problem=problem)
    version, number, block = _find_place(request, document)
    blocks, text = read_place(document, page=number, block=block)
    page = f"{name_page(version.media_type).capitalize()} {number}"
    document.reports.create(
        school_id=document.school_id,
        version=version.number,
        place=(page if number else blocks[0].where)[:300],
        text=text,
        comment=comment,
        reported_by=request.member.user,
    )
    messages.success(request, "Thank you. The people who run Lectern here get your report.")
    place = f"page={number}" if number else f"block={block}"
    return redirect(f"{reverse(f'{kind.app}:page', args=[document.pk])}?{place}")


def _find_place(request: HttpRequest, document: Document) -> tuple[Version, int | None, int]:
    """The version that answers, and the page or block that is asked for. 404 for one that it does not have."""
    version, block = file_info(document), number_in(request, "block") or 0
    number = (number_in(request, "page") or 1) if version.pages else None
    is_there = number <= (version.pages or 0) if number else document.chunks.filter(block=block).exists()
    if not is_there:
        raise Http404("There is nothing here.")
    return version, number, block
