"""The pages of two sites of the demo. They stand for pages on the web, which the demo cannot count on."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from demo.catalogue import web_page


@require_GET
def serve_web_page(request: HttpRequest, name: str) -> HttpResponse:
    """A page for everybody, while the demo is on."""
    file = web_page(name)
    if not settings.LECTERN_DEMO or not file.exists():
        raise Http404
    return HttpResponse(file.read_bytes(), content_type="text/html; charset=utf-8")
