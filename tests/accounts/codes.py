"""What an authenticator app does, and signing in with it."""

from __future__ import annotations

import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt
from django.test import Client
from django.urls import reverse

from accounts.factors import compute_code
from schools.models import Membership
from tests.factories import PASSWORD

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
LOGIN, STEP, PAGE = reverse("account_login"), reverse("mfa_authenticate"), reverse("mfa_index")
AGAIN = reverse("account_reauthenticate")


def code(secret: str = SECRET, *, ago: int = 0) -> str:
    """What the app shows, or showed so many steps ago."""
    return compute_code(secret, int(time.time()) // 30 - ago)


def give_app(member: Membership) -> Any:
    return Authenticator.objects.create(
        user=member.user, type=Authenticator.Type.TOTP, data={"secret": encrypt(SECRET)}
    )


def give_codes(member: Membership) -> list[str]:
    data = {"seed": encrypt("a seed of codes"), "used_mask": 0}
    row = Authenticator.objects.create(user=member.user, type="recovery_codes", data=data)
    made: list[str] = row.wrap().get_unused_codes()
    return made


def with_password(member: Membership, address: str = "192.0.2.90", **headers: str) -> Client:
    """A browser in which the password was typed, which may be all that is asked for."""
    client = Client(REMOTE_ADDR=address, headers=headers)
    client.post(LOGIN, {"login": member.user.email, "password": PASSWORD})
    return client


def is_in(client: Client) -> bool:
    return client.get(PAGE).status_code == 200


def confirmed(member: Membership) -> Client:
    """A browser in which the person has just typed the password once more."""
    client = Client()
    client.force_login(member.user, "django.contrib.auth.backends.ModelBackend")
    assert client.post(AGAIN, {"password": PASSWORD, "next": PAGE}).status_code == 302
    return client


def list_kinds(member: Membership) -> set[str]:
    return set(Authenticator.objects.filter(user=member.user).values_list("type", flat=True))
