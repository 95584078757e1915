from django.http import HttpRequest, JsonResponse
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
