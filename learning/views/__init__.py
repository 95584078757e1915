"""Pages of study plans, and by which methods a member calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from schools.access import MemberRequest, member_required

P = ParamSpec("P")
View = Callable[Concatenate[MemberRequest, P], HttpResponseBase]
Guarded = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def page(view: View[P]) -> Guarded[P]:
    """What a member reads. It is never cached."""
    return never_cache(require_GET(member_required(view)))


def form_page(view: View[P]) -> Guarded[P]:
    return require_http_methods(["GET", "POST"])(member_required(view))


def action(view: View[P]) -> Guarded[P]:
    return require_POST(member_required(view))
