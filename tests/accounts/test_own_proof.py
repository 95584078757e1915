"""A school's provider vouches for a person in that school, and opens nothing of the account that others share."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import IdentityProvider
from schools import tokens
from schools.models import AccessToken, Membership
from schools.services import invite
from tests.accounts.codes import give_app
from tests.accounts.providers import enter, words
from tests.factories import PASSWORD, Cast, make_token
from tests.issuers import Issuer

pytestmark = pytest.mark.django_db

PAGES = (
    *("mfa_index", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes"),
    *("mfa_generate_recovery_codes", "mfa_add_webauthn"),
)


@pytest.fixture
def inside(people: Cast, provider: IdentityProvider, school_id: Issuer) -> Client:
    return enter(people.alice, provider, school_id)


@pytest.mark.parametrize("name", PAGES)
def test_pages_of_the_whole_account_ask_for_the_password(inside: Client, name: str) -> None:
    for response in (inside.get(reverse(name)), inside.post(reverse(name))):
        assert response.status_code == 403 and "Sign in with your password for this" in words(response)
    assert not Authenticator.objects.exists()


def test_rows_of_the_account_are_out_of_reach(people: Cast, inside: Client) -> None:
    elsewhere = Client()
    elsewhere.force_login(people.alice.user, "django.contrib.auth.backends.ModelBackend")
    row = UserSession.objects.get(session_key=elsewhere.session.session_key)
    key = Authenticator.objects.create(user=people.alice.user, type="webauthn", data={"name": "Key"})
    for path in (
        reverse("account_end_session", args=[row.pk]),
        reverse("account_end_other_sessions"),
        reverse("account_alerts"),
        reverse("mfa_edit_webauthn", args=[key.pk]),
        reverse("mfa_remove_webauthn", args=[key.pk]),
    ):
        assert inside.post(path, {"name": "x"}).status_code == 403, path
    people.alice.user.refresh_from_db()
    assert people.alice.user.alerts_on_sign_in and UserSession.objects.filter(pk=row.pk).exists()
    assert Authenticator.objects.get().data["name"] == "Key"


def test_the_password_opens_them(people: Cast, inside: Client) -> None:
    page = inside.get(reverse("mfa_index"))
    way = f"{reverse('account_reauthenticate')}?next={reverse('mfa_index')}"
    assert f'href="{way}"' in page.content.decode()
    assert inside.post(way, {"password": "wrong"}).status_code == 200
    assert inside.get(reverse("mfa_index")).status_code == 403
    assert inside.post(way, {"password": PASSWORD}).status_code == 302
    assert inside.get(reverse("mfa_index")).status_code == 200


def test_no_other_school_is_joined(people: Cast, inside: Client) -> None:
    there = people.charlie.school
    invite(school=there, email=people.alice.user.email, name="Alice", role="teacher")  # type: ignore[arg-type]
    for response in (inside.get(f"/schools/join/{there.pk}/"), inside.post(f"/schools/join/{there.pk}/")):
        assert response.status_code == 403
    assert Membership.objects.get(school=there, user=people.alice.user).invited_at


def test_own_data_of_a_shared_account_needs_the_password(people: Cast, inside: Client) -> None:
    path = reverse("privacy:own-data")
    assert inside.post(path).headers["Content-Type"] == "application/zip"
    Membership.objects.create(school=people.charlie.school, user=people.alice.user, created_at=timezone.now())
    assert inside.get(path).status_code == 200
    assert inside.post(path).status_code == 403


def test_an_invited_person_joins_by_connecting(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    """Somebody with an account elsewhere is told what joining means before the school has them."""
    charlie = people.charlie.user
    charlie.email = "charlie@riverside.example"
    charlie.save()
    membership = invite(school=provider.school, email=charlie.email, name="Charlie", role="teacher")  # type: ignore[arg-type]
    client = Client()
    client.force_login(charlie, "django.contrib.auth.backends.ModelBackend")
    school_id.signs_in(charlie.email)
    way = client.get(reverse("openid_connect_login", args=[provider.pk])).headers["Location"]
    page = client.get(client.get(school_id.authorise(way)).headers["Location"])
    assert "What joining means" in words(page) and f"Connect and join {provider.school}" in words(page)
    membership.refresh_from_db()
    assert membership.invited_at
    client.post(reverse("account_sso_connect"), {"connect": "yes"})
    assert Membership.objects.joined().filter(pk=membership.pk).exists()
    assert charlie.identity_set.get().school == provider.school


def test_factors_are_reset_by_nobody_who_can_prove_nothing(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    """An admin without a password or a factor of their own, whose browser somebody else may have found open."""
    give_app(people.bob)
    people.carol.user.set_unusable_password()
    people.carol.user.save()
    client = enter(people.carol, provider, school_id)
    assert client.post(reverse("schools:reset-factors", args=[people.bob.user_id])).status_code == 403
    assert Authenticator.objects.filter(user=people.bob.user).exists()


def test_an_access_token_needs_the_password(people: Cast, inside: Client) -> None:
    path, form = reverse("schools:add-token"), {"name": "Script", "scope": "write", "days": "30"}
    assert inside.get(path).status_code == 200
    asked = inside.post(path, form)
    assert asked.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert inside.post(asked.headers["Location"], {"password": "wrong"}).status_code == 200
    assert not AccessToken.objects.exists()
    made = inside.post(asked.headers["Location"], {"password": PASSWORD})
    assert "lectern_" in made.content.decode() and AccessToken.objects.get().membership == people.alice


def test_who_has_no_password_makes_no_access_token(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    by_hand = make_token(people.alice)
    people.alice.user.set_unusable_password()
    people.alice.user.save()
    client, path = enter(people.alice, provider, school_id), reverse("schools:add-token")
    for response in (client.get(path), client.post(path, {"name": "Script", "scope": "read", "days": "30"})):
        assert response.status_code == 403 and "works long after this sign-in has ended" in words(response)
    assert tokens.recognise(by_hand) and AccessToken.objects.count() == 1
