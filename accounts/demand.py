"""Who must have a second factor: admins of a school that demands it, and operators where a setting does."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

from accounts import factors
from accounts.devices import can_have_passkeys
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, School

OF_OPERATORS = "This installation asks everybody who runs it for a second factor."


class DemandRefused(Exception):
    """It cannot be demanded. The message tells the admin why."""


def explain_to_member(member: Membership) -> str:
    """Why this member gets nowhere in the school until they have a second factor; empty if they do.

    Only admins of a school that demands it cost a query.
    """
    if not member.is_admin or not member.school.demands_second_factor or factors.has_factor(member.user):
        return ""
    return f"{member.school} asks all its admins for a second factor, and you have none yet."


def explain_to_operator(user: Any) -> str:
    """Why an operator gets nowhere until they have a second factor; empty if they do."""
    is_operator = user.is_staff or user.is_superuser
    if not settings.LECTERN_OPERATORS_SECOND_FACTOR or not is_operator or factors.has_factor(user):
        return ""
    return OF_OPERATORS


@transaction.atomic
def switch(member: Membership, *, demanded: bool) -> None:
    """Demand a second factor of the school’s admins, or no longer. Raises DemandRefused for an admin without one."""
    if demanded and not factors.has_factor(member.user):
        raise DemandRefused("You have no second factor yourself yet. Set one up first.")
    if (
        School.objects.filter(pk=member.school_id)
        .exclude(demands_second_factor=demanded)
        .update(demands_second_factor=demanded)
    ):
        told = "demanded" if demanded else "no longer demanded"
        record(Action.SETTINGS_CHANGED, school=member.school_id, detail={"second factor of admins": told})


def check(request: HttpRequest, member: Membership | None) -> HttpResponseBase | None:
    """Answer instead of a page of members or, without a member, of operators."""
    reason = explain_to_member(member) if member else explain_to_operator(request.user)
    return show_demand(request, reason) if reason else None


def show_demand(request: HttpRequest, reason: str) -> HttpResponseBase:
    """What somebody sees instead of the page that they asked for."""
    context = {"reason": reason, "can_have_passkeys": can_have_passkeys(request)}
    return render(request, "mfa/demanded.html", context, status=403)


def guard_admin_sign_in(sign_in: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap Django admin’s sign-in page, to which whoever may not enter it is sent."""

    @wraps(sign_in)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        reason = explain_to_operator(request.user) if request.user.is_authenticated else ""
        return show_demand(request, reason) if reason else sign_in(request, *args, **kwargs)

    return guarded


def guard_admin_permission(has_permission: Callable[[HttpRequest], bool]) -> Callable[[HttpRequest], bool]:
    """Wrap Django admin’s question whether somebody may enter it."""

    @wraps(has_permission)
    def asked(request: HttpRequest) -> bool:
        return has_permission(request) and not explain_to_operator(request.user)

    return asked
