"""Services: who belongs to a school."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, Role, School, User


class MembershipRefused(Exception):
    """A change of memberships is not allowed. The message tells the admin why."""


@transaction.atomic
def invite(*, school: School, email: str, name: str, role: Role) -> Membership:
    """Invite the person with this e-mail address; without an account they get one, with no password yet.

    They are a member when they have joined. Raises MembershipRefused when they are one already, or are invited. The
    caller sends the e-mail.
    """
    user = User.objects.with_address(email).first()
    if user is None:  # also where two schools invite the same newcomer at once
        newcomer = {"name": name, "password": make_password(None)}
        user, _ = User.objects.get_or_create(email=email.strip().lower(), defaults=newcomer)
    membership, is_new = Membership.objects.get_or_create(
        school=school, user=user, defaults={"role": role, "known_as": name, "invited_at": timezone.now()}
    )
    if not is_new:
        state = "invited to" if membership.invited_at else "a member of"
        raise MembershipRefused(f"{membership.user.email} is {state} your school already.")
    record(Action.INVITATION_SENT, school=school, subject=user, label=membership.name, detail={"role": role})
    return membership


@transaction.atomic
def join(membership: Membership) -> None:
    """The person accepts the invitation: they are a member from now on."""
    if Membership.objects.filter(pk=membership.pk).invited().update(invited_at=None):
        person = membership.user
        label = membership.name
        record(Action.INVITATION_ACCEPTED, school=membership.school_id, actor=person, subject=person, label=label)
    membership.invited_at = None


@transaction.atomic
def decline(membership: Membership) -> None:
    """The person does not want to join. Nothing is done if they have joined meanwhile."""
    rows = Membership.objects.select_for_update().filter(pk=membership.pk).invited()
    if rows.exists():
        person = membership.user
        label = membership.name
        record(Action.INVITATION_DECLINED, school=membership.school_id, actor=person, subject=person, label=label)
        membership.delete()


def may_be_sent_again(membership: Membership) -> bool:
    """Whether the invitation is open and was not sent a moment ago."""
    return membership.invited_at is not None and membership.invited_at < timezone.now() - timedelta(minutes=1)


@transaction.atomic
def note_sent(membership: Membership) -> None:
    """The invitation was sent again. One that was followed meanwhile stays closed."""
    Membership.objects.filter(pk=membership.pk).invited().update(invited_at=timezone.now())
    _record(Action.INVITATION_SENT, membership, role=membership.role)


@transaction.atomic
def withdraw_invitation(*, membership: Membership) -> None:
    """Take back the invitation of a person who has not joined. The link in the e-mail then opens nothing.

    Raises MembershipRefused when they have joined meanwhile.
    """
    if not Membership.objects.select_for_update().filter(pk=membership.pk).invited().exists():
        raise MembershipRefused(f"{membership.name} has followed the invitation meanwhile, and is a member now.")
    _remove(membership, Action.INVITATION_WITHDRAWN)


@transaction.atomic
def change_role(*, membership: Membership, role: Role) -> None:
    """Raises MembershipRefused when the school would be left without an admin."""
    if role != Role.ADMIN:
        _keep_an_admin_besides(membership)
    before = Membership.objects.select_for_update(no_key=True).get(pk=membership.pk).role
    if before != role:
        Membership.objects.filter(pk=membership.pk).update(role=role)
        _record(Action.ROLE_CHANGED, membership, **{"from": before, "to": role})


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """End a membership. What the person made in the school stays, and they cannot reach it any more.

    Raises MembershipRefused when the school would be left without an admin.
    """
    _remove(membership, Action.MEMBER_REMOVED)


def _remove(membership: Membership, action: Action) -> None:
    _keep_an_admin_besides(membership)
    _record(action, membership, role=membership.role)
    membership.delete()


def _record(action: Action, membership: Membership, **detail: str) -> None:
    record(action, school=membership.school_id, subject=membership.user, label=membership.name, detail=detail)


def _keep_an_admin_besides(membership: Membership) -> None:
    # Two admins who step down at once wait for each other here; the second then sees that they are the last.
    School.objects.select_for_update(no_key=True).get(pk=membership.school_id)
    admins = Membership.objects.joined().filter(school=membership.school_id, role=Role.ADMIN, user__is_active=True)
    if list(admins.values_list("pk", flat=True)) == [membership.pk]:
        raise MembershipRefused(
            f"{membership.name} is the only admin of your school. Make somebody else an admin first."
        )
