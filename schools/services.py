"""Services: who belongs to a school."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.db import transaction

from schools.models import Membership, Role, School, User


class MembershipRefused(Exception):
    """A change of memberships is not allowed. The message tells the admin why."""


@transaction.atomic
def invite(*, school: School, email: str, name: str, role: Role) -> Membership:
    """Make the person with this e-mail address a member; without an account they get one, with no password yet.

    Raises MembershipRefused when they are a member already. The caller sends the e-mail.
    """
    # Also where two schools invite the same newcomer at once.
    newcomer = {"email": email.strip().lower(), "name": name, "password": make_password(None)}
    user, _ = User.objects.get_or_create(email__iexact=email.strip(), defaults=newcomer)
    membership, is_new = Membership.objects.get_or_create(
        school=school, user=user, defaults={"role": role, "known_as": name}
    )
    if not is_new:
        raise MembershipRefused(f"{membership.user.email} is a member of your school already.")
    return membership


@transaction.atomic
def change_role(*, membership: Membership, role: Role) -> None:
    """Raises MembershipRefused when the school would be left without an admin."""
    if role != Role.ADMIN:
        _keep_an_admin_besides(membership)
    Membership.objects.filter(pk=membership.pk).update(role=role)


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """End a membership. What the person made in the school stays, and they cannot reach it any more.

    Raises MembershipRefused when the school would be left without an admin.
    """
    _keep_an_admin_besides(membership)
    membership.delete()


def _keep_an_admin_besides(membership: Membership) -> None:
    # Two admins who step down at once wait for each other here; the second then sees that they are the last.
    School.objects.select_for_update(no_key=True).get(pk=membership.school_id)
    admins = Membership.objects.filter(school=membership.school_id, role=Role.ADMIN, user__is_active=True).values_list(
        "pk", flat=True
    )
    if list(admins) == [membership.pk]:
        raise MembershipRefused(
            f"{membership.name} is the only admin of your school. Make somebody else an admin first."
        )
