"""Helpers that the views of all apps share."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.core.files.storage import Storage
from django.db import models
from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404

from schools.models import Membership

M = TypeVar("M", bound=models.Model)


def school(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the current membership and the schools that the person can switch to."""
    member = getattr(request, "member", None)
    if not member:
        return {"member": None, "other_memberships": []}
    others = Membership.objects.filter(user=request.user.pk).exclude(pk=member.pk).select_related("school")
    return {"member": member, "other_memberships": others}


def parse_uuid(text: str | None) -> UUID | None:
    """The id in a form or URL; None if there is none. `find` answers 404 for None."""
    try:
        return UUID(text or "")
    except ValueError:
        return None


def find(rows: models.QuerySet[M], key: UUID | None) -> M:
    """The row with this id in the queryset, else 404 in the same words for every reason (S2)."""
    return get_object_or_404(rows, pk=key)


def download(storage: Storage, path: str, *, filename: str) -> FileResponse:
    """An uploaded file as a download. The browser must never show it as a page of ours."""
    response = FileResponse(
        storage.open(path, "rb"),
        as_attachment=True,
        filename=filename,
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response
