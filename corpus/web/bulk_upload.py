"""Upload of several files at once, with a message about each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.contrib import messages
from django.core.files.base import File
from django.db.models import F, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus.ingestion.storage import UploadRefused
from corpus.ingestion.uploads import clean_filename
from corpus.models import Document

D = TypeVar("D", bound=Document)

MAX_MESSAGES = 3
"""The most new documents that get a message each. More are counted in one message."""


def upload_files(
    request: HttpRequest,
    files: Iterable[File[bytes]],
    upload: Callable[[File[bytes]], tuple[Document, bool]],
    *,
    tells_new: bool = True,
) -> bool:
    """Upload each file and add a message about the result, unless it is new and `tells_new` is False. False if all
    were refused.

    A refused file does not stop the others. A file that was chosen twice gets one message. What the browser has left
    out of a folder is told as well (static/js/documents.js).
    """
    if left_out := request.POST.get("left_out", "").strip():
        messages.warning(request, left_out[:2000])
    new: list[Document] = []
    told: set[tuple[str, Any]] = set()
    for file in files:
        try:
            document, is_new = upload(file)
        except UploadRefused as reason:
            messages.error(request, f"Not taken: {reason}")
            continue
        name = clean_filename(file.name)
        if is_new:
            new.append(document)
        elif (name, document.pk) not in told:
            _duplicate_message(request, name, document)
        told.add((name, document.pk))
    if tells_new:
        _new_messages(request, new)
    return bool(told)


def _duplicate_message(request: HttpRequest, name: str, document: Document) -> None:
    words = (
        "“{}” is the same file as {}. Nothing was added. "
        'For a changed file choose “Replace” there, or <a href="{}">keep both</a>.'
    )
    copy = f"{_address(document, 'copy')}?{urlencode({'name': name})}"
    messages.info(request, format_html(words, name, _link(document), copy))


def _new_messages(request: HttpRequest, documents: list[Document]) -> None:
    if len(documents) > MAX_MESSAGES:
        messages.info(request, f"{len(documents)} documents are uploaded. They are being read now.")
    for document in documents:
        if len(documents) <= MAX_MESSAGES:
            messages.info(request, format_html("{} is uploaded. It is being read now.", _link(document)))
        if namesake := find_namesake(document):
            _namesake_message(request, document, namesake)


def _namesake_message(request: HttpRequest, document: Document, namesake: Document) -> None:
    words = (
        "{}{} has the same name as {}{}. It was added as a second document: both are kept. "
        'If it is a new version, <a href="{}">replace the earlier one</a>.'
    )
    names = [document.newest.filename, namesake.newest.filename]
    kinds = [f" ({name})" if have_different_types(*names) else "" for name in names]
    messages.warning(
        request,
        format_html(words, _link(document), kinds[0], _link(namesake), kinds[1], _address(document, "merge")),
    )


def have_different_types(one: str, other: str) -> bool:
    """Whether two file names have different extensions, such as .pdf and .docx."""
    return PurePath(one).suffix.lower() != PurePath(other).suffix.lower()


def _link(document: Document) -> SafeString:
    return format_html('“<a href="{}">{}</a>”', _address(document, "detail"), document.title)


def _address(document: Document, page: str) -> str:
    return reverse(f"{document._meta.app_label}:{page}", args=[document.pk])


def find_namesake(document: D) -> D | None:
    """The latest earlier document of the same owner with the same title or the same file name."""
    same_file = Q(versions__filename=document.newest.filename, versions__number=F("version"))
    earlier = document.rows().of_owner(document.owner_key).filter(created_at__lt=document.created_at)
    same_name = earlier.filter(same_file | Q(title__iexact=document.title))
    return same_name.order_by("-created_at").first()
