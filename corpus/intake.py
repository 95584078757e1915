"""Several files at once: each is taken in or refused for itself, and the person is told about each."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.core.files.base import File
from django.db.models import F
from django.http import HttpRequest

from corpus.models import Document
from corpus.uploads import UploadRefused, clean_filename

logger = logging.getLogger(__name__)

NAMED = 3
"""So many new documents are told one by one; more are told in one sentence."""


def take_in(
    request: HttpRequest, files: Iterable[File[bytes]], upload: Callable[[File[bytes]], tuple[Document, bool]]
) -> None:
    """Upload every file and leave a message about each outcome; a refused one does not hold up the others."""
    new: list[Document] = []
    for file in files:
        try:
            document, is_new = upload(file)
        except UploadRefused as reason:
            messages.error(request, f"Not taken: {reason}")
            continue
        if is_new:
            new.append(document)
        else:
            _say_twin(request, file, document)
    _say_new(request, new)


def _say_twin(request: HttpRequest, file: File[bytes], document: Document) -> None:
    messages.info(
        request,
        f"“{clean_filename(file.name)}” is already here, letter for letter, as “{document.title}”. "
        "Nothing was added. For a changed file choose “Replace” there.",
    )


def _say_new(request: HttpRequest, documents: list[Document]) -> None:
    if len(documents) > NAMED:
        messages.success(request, f"{len(documents)} documents were taken in and are being read.")
    for document in documents:
        if len(documents) <= NAMED:
            messages.success(request, f"“{document.title}” was taken in and is being read.")
        namesake = _namesake(document)
        if namesake:
            messages.warning(
                request,
                f"“{namesake.title}” holds a file of the same name as the new “{document.title}”. If it is a newer "
                "version of that one, delete the new document and choose “Replace” there.",
            )


def _namesake(document: Document) -> Document | None:
    """Another document of the same place whose newest file has the same name."""
    here: dict[str, Any] = {"school": document.school_id}
    if hasattr(document, "owner_id"):
        here["owner"] = document.owner_id
    same_name = {"versions__filename": document.newest.filename, "versions__number": F("version")}
    return type(document)._default_manager.filter(**here, **same_name).exclude(pk=document.pk).first()
