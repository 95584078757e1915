"""The page of the people who run the installation."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from operations import cautions, health
from operators import overview
from plugins import call_hooks
from schools.access import operator_required
from schools.http import get_page
from schools.models import School


@never_cache
@require_GET
@operator_required
def show_installation(request: HttpRequest) -> HttpResponse:
    """Services, work that waits, models, and the figures of each school."""
    page = get_page(request, School.objects.order_by("name", "pk"))
    missing = health.list_missing_services()
    context = {
        "missing": missing,
        "cautions": [*cautions.find_in_settings(), *filter(None, [cautions.find_in_request(request)])],
        "unserved": set() if "broker" in missing else health.unserved_queues(),
        "queue": overview.queue(),
        "models": overview.models(),
        "move": overview.move(),
        "page": page,
        "schools": overview.compute_figures(list(page.object_list)),
        "days": overview.DAYS,
        "version": settings.LECTERN_VERSION,
        "mails_are_files": not settings.LECTERN_IS_PUBLIC and "filebased" in settings.EMAIL_BACKEND,
        "is_offline": settings.LECTERN_OFFLINE,
    }
    for figures in call_hooks("figures"):
        context |= figures
    return render(request, "operators/index.html", context)


@never_cache
@require_GET
@operator_required
def show_move(request: HttpRequest) -> HttpResponse:
    """How far the move to another embedding model is, or which one answers now."""
    context = {"move": overview.move(), "has_ended": True, "answering": overview.models().embedding}
    return render(request, "operators/_move.html", context)
