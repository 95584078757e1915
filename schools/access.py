"""The decorators that guard every page: members only, admins only, operators only."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

from schools.models import Membership

P = ParamSpec("P")


class MemberRequest(HttpRequest):
    """A request of a signed-in person acting in one of their schools."""

    member: Membership


Check = Callable[[HttpRequest, Membership | None], HttpResponseBase | None]
_checks: list[Check] = []


def register_check(check: Check) -> None:
    """Let `check` answer instead of a page, for a member or, with None, for an operator: such as `accounts.demand`."""
    _checks.append(check)


def _check(request: HttpRequest, member: Membership | None) -> HttpResponseBase | None:
    return next(filter(None, (check(request, member) for check in _checks)), None)


def member_required(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Redirects anonymous people to sign in, and shows a page to people without a school, and to an admin who lacks
    the second factor that the school demands.
    """

    @wraps(view)
    def admitted(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return _check(request, request.member) or view(request, *args, **kwargs)

    return member_without_factor_too(admitted)


def member_without_factor_too(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Like `member_required`, also for admins who lack the second factor that the school demands."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        member = getattr(request, "member", None)
        if not member:
            return show_without_school(request)
        return view(cast(MemberRequest, request), *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponseBase]", guarded)


def show_without_school(request: HttpRequest) -> HttpResponseBase:
    """The page of people without a school. It shows their invitations."""
    invitations = Membership.objects.invited().filter(user=request.user.pk).select_related("school")
    return render(request, "accounts/no_school.html", {"invitations": invitations}, status=403)


def admin_required(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Like `member_required`, and 403 for a member who is not an admin of the school.

    For pages without a row. A page about one row first finds it by `for_member` or `for_school`, so that a row of
    another school is 404 for everybody, and then calls `must_be_admin`.
    """

    @member_required
    @wraps(view)
    def admins_only(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        must_be_admin(request.member)
        return view(request, *args, **kwargs)

    return admins_only


def operator_required(
    view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Redirects anonymous people to sign in; 403 for whoever does not run the installation. A superuser does."""

    @login_required
    @wraps(view)
    def operators_only(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise PermissionDenied("Only the operators of this installation can see this.")
        return _check(request, None) or view(request, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponseBase]", operators_only)


def member_or_operator_required(
    view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """For pages without rows of a school, which an operator without a school reads too."""
    for_members = member_required(cast("Callable[Concatenate[MemberRequest, P], HttpResponseBase]", view))

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return (view if request.user.is_superuser else for_members)(request, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponseBase]", guarded)


def must_be_admin(member: Membership) -> None:
    """Raises PermissionDenied (403) for a member who is not an admin."""
    if not member.is_admin:
        raise PermissionDenied("Only admins of your school can do this.")
