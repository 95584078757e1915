"""Pages for machines: whether Lectern works, and whom to tell about a security hole."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from operations import health


@require_GET
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """The process is alive. Says nothing about what it depends on: a restart would not mend that."""
    return JsonResponse({"status": "ok"})


@require_GET
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Requests can be served. Otherwise 503 and the names, only the names, of what does not answer."""
    missing = health.missing()
    if missing:
        return JsonResponse({"status": "unavailable", "missing": missing}, status=503)
    return JsonResponse({"status": "ok"})


@require_GET
def security_txt(request: HttpRequest) -> HttpResponse:
    """Whom to tell about a security hole (RFC 9116). 404 where the settings name nobody."""
    if not settings.LECTERN_SECURITY_CONTACT:
        raise Http404
    expires = timezone.now() + timedelta(days=90)
    lines = f"Contact: {settings.LECTERN_SECURITY_CONTACT}\nExpires: {expires:%Y-%m-%dT%H:%M:%SZ}\n"
    headers = {"Cache-Control": "public, max-age=86400"}
    return HttpResponse(lines, content_type="text/plain; charset=utf-8", headers=headers)
