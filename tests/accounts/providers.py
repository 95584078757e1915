"""Browsers that sign in by a school’s provider, and what they are told."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from accounts.models import Identity, IdentityProvider
from schools.models import AuditEntry, Membership
from tests.issuers import Issuer


def get_login_url(provider: IdentityProvider) -> str:
    return reverse("openid_connect_login", args=[provider.pk])


def begin(client: Client, provider: IdentityProvider, query: str = "") -> str:
    response = client.get(get_login_url(provider) + query)
    assert response.status_code == 302, response.content.decode()
    return str(response.headers["Location"])


def go(client: Client, provider: IdentityProvider, school_id: Issuer, query: str = "") -> Any:
    """From our page to the issuer and back."""
    return client.get(school_id.authorise(begin(client, provider, query)))


def is_in(client: Client) -> bool:
    return client.get(reverse("chatbots:list")).status_code == 200


def connected(person: Membership, provider: IdentityProvider) -> Identity:
    email = person.user.email
    return Identity.objects.create(
        school=provider.school,
        user=person.user,
        provider=provider,
        issuer=provider.issuer,
        subject=f"sub of {email}",
        email=email,
    )


def enter(person: Membership, provider: IdentityProvider, school_id: Issuer) -> Client:
    """A browser in which a person with a connected identity has signed in by it."""
    connected(person, provider)
    school_id.signs_in(person.user.email)
    client = Client()
    assert go(client, provider, school_id).status_code == 302
    assert is_in(client)
    return client


def refusals() -> list[str]:
    return [entry.detail["reason"] for entry in AuditEntry.objects.filter(action="account.sso_refused")]


def words(response: Any) -> str:
    return " ".join(response.content.decode().split())
