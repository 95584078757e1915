"""Pages about archives: the list, the built-in reader, and the pictures in it."""

from __future__ import annotations

from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from references.kinds import WIKIPEDIA_OFFLINE
from references.models import Archive, ArchiveState
from references.offline.opened import OpenArchive, find_problem, open_archive
from references.offline.reading import render_article
from references.offline.zim import INSTALL, ZimError, is_installed
from schools.access import MemberRequest, member_required
from schools.http import FileUnreachable, find

_PICTURES = frozenset(
    ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "image/avif", "image/bmp")
)


@require_GET
@member_required
def archives(request: MemberRequest) -> HttpResponseBase:
    """The archives of the installation, for every member, and whether this server can read them."""
    installed, rows = is_installed(), Archive.objects.all()
    context = {
        "archives": [(row, find_problem(row) if installed and row.state == ArchiveState.READY else "") for row in rows],
        "is_allowed": WIKIPEDIA_OFFLINE.is_allowed_for(request.member.school),
        "is_installed": installed,
        "install": INSTALL,
        "kind": WIKIPEDIA_OFFLINE.value,
    }
    return render(request, "references/archives.html", context)


@require_GET
@member_required
def read(request: MemberRequest, pk: UUID, path: str) -> HttpResponseBase:
    """An article, or a redirect to it on the Kiwix server. 404 unless the school allows offline Wikipedia."""
    row = _find(request, pk)
    if settings.LECTERN_KIWIX_URL:
        return redirect(kiwix_address(row, path, request.GET.get("section", "")))
    archive = _opened(row)
    is_same_edition = request.GET.get("edition", archive.revision) == archive.revision
    try:
        found = archive.file.page(path)
        if found is None:
            raise Http404("There is no such article.")
        article = render_article(
            found.html,
            found.path,
            page=lambda target: _page_address(archive, target),
            picture=lambda target: reverse("references:picture", args=[pk, target]),
            section=request.GET.get("section"),
            is_same_edition=is_same_edition,
        )
    except ZimError:
        raise _unreadable(row) from None
    context = {"archive": row, "title": found.title, "article": article, "kind": WIKIPEDIA_OFFLINE.value}
    return render(request, "references/read.html", context | {"is_same_edition": is_same_edition})


@require_GET
@member_required
def main_page(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The page that an archive begins with."""
    row = _find(request, pk)
    try:
        path = _opened(row).file.main_page()
    except ZimError:
        raise _unreadable(row) from None
    if path is None or "\n" in path:
        raise Http404("This archive has no first page.")
    return redirect("references:read", pk, path)


@require_GET
@member_required
def picture(request: MemberRequest, pk: UUID, path: str) -> HttpResponseBase:
    """A picture of an archive, and nothing else of it. The browser must never show it as a page of ours."""
    row = _find(request, pk)
    try:
        found = _opened(row).file.media(path, 20_000_000)
    except ZimError:
        raise _unreadable(row) from None
    if found is None or found[0] not in _PICTURES:
        raise Http404("There is no such picture.")
    response = HttpResponse(found[1], content_type=found[0])
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["Cache-Control"] = "private, max-age=86400"
    return response


def kiwix_address(row: Archive, path: str, section: str = "") -> str:
    """An article on the Kiwix server, which names a book after its file; at the heading with this id, if any."""
    book = row.path.rpartition("/")[2].removesuffix(".zim").replace(" ", "_").replace("+", "plus")
    return f"{settings.LECTERN_KIWIX_URL.rstrip('/')}/{quote(book)}/{quote(path)}" + (
        f"#{quote(section)}" if section else ""
    )


def _find(request: MemberRequest, pk: UUID) -> Archive:
    """The archive, if it is ready and the member's school allows it, else 404."""
    if not WIKIPEDIA_OFFLINE.is_allowed_for(request.member.school):
        raise Http404("Your school does not allow offline Wikipedia.")
    return find(Archive.objects.filter(state=ArchiveState.READY), pk)


def _opened(row: Archive) -> OpenArchive:
    try:
        return open_archive(row)
    except ZimError:
        raise _unreadable(row) from None


def _unreadable(row: Archive) -> FileUnreachable:
    return FileUnreachable(f"This server cannot read “{row}” just now. Please try again later.")


def _page_address(archive: OpenArchive, path: str) -> str | None:
    """The reader's page of an article; None if the archive does not have it."""
    target = archive.file.find_path(path)
    return reverse("references:read", args=[archive.id, target]) if target and "\n" not in target else None
