"""Health checks and security.txt."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from operations import health


@csrf_exempt  # so that another method is 405
@require_GET
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the process lives. It checks no other service: a restart would not help there."""
    return JsonResponse({"status": "ok"})


@csrf_exempt  # so that another method is 405
@require_GET
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when requests can be served, else 503, each with the names of what is missing: no broker stops a request."""
    missing = health.list_missing_services()
    if "database" not in missing and not health.is_migrated():
        missing.append("migrations")
    if not missing:
        return JsonResponse({"status": "ok"})
    if missing == ["broker"]:
        return JsonResponse({"status": "degraded", "missing": missing})
    return JsonResponse({"status": "unavailable", "missing": missing}, status=503)


@csrf_exempt  # so that another method is 405
@require_GET
def security_txt(request: HttpRequest) -> HttpResponse:
    """The contact for security reports (RFC 9116); 404 where the settings name none."""
    if not settings.LECTERN_SECURITY_CONTACT:
        raise Http404
    expires = timezone.now() + timedelta(days=90)
    lines = f"Contact: {settings.LECTERN_SECURITY_CONTACT}\nExpires: {expires:%Y-%m-%dT%H:%M:%SZ}\n"
    headers = {"Cache-Control": "public, max-age=86400"}
    return HttpResponse(lines, content_type="text/plain; charset=utf-8", headers=headers)
