"""What can be done with schools and memberships."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest

from schools.models import Membership, Role, School, User

SESSION_KEY = "school"


def current_membership(request: HttpRequest) -> Membership | None:
    """The membership a person acts under: the school they switched to, else their first by name."""
    if not request.user.is_authenticated:
        return None
    memberships = list(Membership.objects.filter(user=request.user).select_related("school", "user"))
    chosen = request.session.get(SESSION_KEY)
    for membership in memberships:
        if str(membership.school_id) == chosen:
            return membership
    return memberships[0] if memberships else None


def switch_school(request: HttpRequest, school_id: str) -> Membership:
    """Act in another of one's schools from now on. Raises Membership.DoesNotExist when it is not one's own."""
    assert request.user.is_authenticated
    membership = Membership.objects.select_related("school").get(user=request.user, school_id=school_id)
    request.session[SESSION_KEY] = str(membership.school_id)
    return membership


@transaction.atomic
def create_school(*, name: str, slug: str) -> School:
    return School.objects.create(name=name, slug=slug)


@transaction.atomic
def add_member(*, school: School, user: User, role: Role = Role.TEACHER) -> Membership:
    """Make a person a member, or change the role of one who already is."""
    membership, _ = Membership.objects.update_or_create(school=school, user=user, defaults={"role": role})
    return membership
