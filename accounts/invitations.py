"""Invitations: the e-mail that asks a person to join a school, and the link in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse

from schools import rate_limits
from schools.access import MemberRequest
from schools.models import Membership
from schools.services import MembershipRefused

SESSION_KEY = "invitation"
"""Key of the session: what the link of the mail had, while the person chooses how to sign in."""


class _Keys(PasswordResetTokenGenerator):
    """Keys of one membership, good until the person has a password and at most as long as those for a reset."""

    key_salt = "accounts.invitations"

    def _make_hash_value(self, user: Membership, timestamp: int) -> str:  # type: ignore[override]
        return f"{user.pk} {super()._make_hash_value(user.user, timestamp)}"


_keys = _Keys()


def send_invitation(request: MemberRequest, membership: Membership) -> bool:
    """Send the e-mail, with a link to set a password if there is none yet. False if the mail server refused it.

    An account that the operator switched off gets no e-mail. The admin is not told, since other schools may use it.
    """
    user = membership.user
    if not user.is_active:
        return True
    context = {
        "school": membership.school,
        "by": request.member.name,
        "role": membership.get_role_display(),
        "login_url": request.build_absolute_uri(reverse("account_login")),
        "password_url": "" if user.has_usable_password() else request.build_absolute_uri(link(membership)),
        "join_url": request.build_absolute_uri(reverse("schools:join", args=[membership.school_id])),
        "days": settings.PASSWORD_RESET_TIMEOUT // 86400,
    }
    return bool(get_adapter().send_mail("account/email/invitation", user.email, context))


@contextmanager
def limit_mails_to(request: MemberRequest, email: str) -> Iterator[None]:
    """Invite within this. Raises MembershipRefused for an address that was invited to the school often today."""
    key = (request.member.school_id, email.lower())
    if not rate_limits.take(rate_limits.INVITATIONS, *key).allowed:
        raise MembershipRefused(f"{email} has been invited several times today. Try again tomorrow.")
    try:
        yield
    except MembershipRefused:
        rate_limits.give_back(rate_limits.INVITATIONS, *key)
        raise


def link(membership: Membership) -> str:
    """The path of the page where the person chooses their first password. It works once."""
    key = _keys.make_token(membership)  # type: ignore[arg-type]
    return reverse("account_invitation", args=[membership.pk, key])


def find_invited(pk: int, key: str) -> Membership | None:
    """The membership that the link was made for; None if the link is used, too old, taken back or wrong."""
    people = Membership.objects.select_related("user", "school").filter(user__is_active=True)
    membership = people.filter(pk=pk).first()
    if membership is None or membership.user.has_usable_password():
        return None
    return membership if _keys.check_token(membership, key) else None  # type: ignore[arg-type]
