"""The text of a document for its page, and its file as a download."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.http.response import FileResponse

from corpus.models import Document, Version
from corpus.reading.blocks import contents, read_part
from corpus.reading.find import build_pattern, find_words
from schools.http import FileUnreachable, download

UNREACHABLE = "This server cannot reach the file just now. Please try again later; if it stays so, tell your operator."


def reading_context(request: HttpRequest, document: Document) -> dict[str, object]:
    """The context of `corpus/_document.html`: the part `?part=` or the one with `?passage=`, and the contents.

    With `?find=` also the matches of these words, which are marked in the part.
    """
    passage, part = number_in(request, "passage"), number_in(request, "part")
    finding = find_words(document, request.GET.get("find", "").replace("\0", ""))
    words = build_pattern(finding.words) if finding else None
    reading = read_part(document, passage=passage, part=part or 1, words=words)
    return {
        "document": document,
        "reading": reading,
        "blocks": reading.blocks,
        "contents": contents(document),
        "finding": finding,
    }


def version_file(document: Document, number: int) -> FileResponse:
    """The file of one version as a download. 404 if there is none. Raises FileUnreachable."""
    version: Version | None = document.versions.filter(number=number).first()
    if version is None or not version.file:
        raise Http404("There is nothing here.")
    if not version.file.storage.exists(version.file.name):
        raise FileUnreachable(UNREACHABLE)
    return download(version.file.storage, version.file.name, filename=version.filename)


def number_in(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
