"""Sessions that began at a school’s provider: what they open, and what ends them."""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Identity, IdentityProvider
from accounts.single_sign_on import sessions
from schools.models import Membership
from tests.accounts.providers import begin, enter, get_login_url, is_in, words
from tests.factories import PASSWORD, Cast, make_member, signed_in
from tests.issuers import CLIENT_ID, Issuer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loopback")]


def test_such_a_session_enters_one_school_only(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    there = make_member(people.charlie.school, "alice")
    there.delete()
    Membership.objects.create(school=people.charlie.school, user=people.alice.user, created_at=timezone.now())
    client = enter(people.alice, provider, school_id)
    page = client.get(reverse("chatbots:list"))
    assert page.context["member"] == people.alice and "Hillcrest" not in page.content.decode()
    response = client.post(reverse("schools:switch"), {"school": people.charlie.school_id})
    assert response.status_code == 403 and "sign out, and sign in with your e-mail address and password" in words(
        response
    )
    session = client.session
    session["school"] = str(people.charlie.school_id)  # whatever stands there
    session.save()
    assert client.get(reverse("chatbots:list")).context["member"] == people.alice
    client.post("/accounts/logout/")
    client.post("/accounts/login/", {"login": people.alice.user.email, "password": PASSWORD})
    assert client.post(reverse("schools:switch"), {"school": people.charlie.school_id}).status_code == 302
    assert client.get(reverse("chatbots:list")).context["member"].school == people.charlie.school


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_on": False}])
def test_a_provider_that_is_switched_off(
    people: Cast, provider: IdentityProvider, school_id: Issuer, change: dict[str, bool]
) -> None:
    client = enter(people.alice, provider, school_id)
    fresh = Client()
    back = school_id.authorise(begin(fresh, provider))
    IdentityProvider.objects.update(**change)
    assert not is_in(client) and not client.session.get("single_sign_on")
    assert fresh.get(back).status_code == 404 and not is_in(fresh)
    assert Client().get(get_login_url(provider)).status_code == 404
    assert Client().get("/accounts/sso/riverside/").status_code == 404


def test_what_else_ends_such_a_session(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    def ends(change: Any) -> None:
        Identity.objects.all().delete()
        client = enter(people.alice, provider, school_id)
        change()
        assert not is_in(client)

    ends(lambda: Identity.objects.all().delete())
    ends(lambda: IdentityProvider.objects.update(issuer="https://other.example"))
    IdentityProvider.objects.update(issuer=school_id.url)
    client = enter_again(people, provider, school_id)
    session = client.session
    assert sessions.MAX_SECONDS == 12 * 3600
    session["single_sign_on"] |= {"until": 1}
    session.save()
    assert not is_in(client)
    ends(lambda: provider.delete())


def test_such_a_session_never_names_another_school(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    client = enter(people.alice, provider, school_id)
    session = client.session
    assert session["only_school"] == str(provider.school_id)
    session["only_school"] = str(people.charlie.school_id)
    session.save()
    assert not is_in(client) and "single_sign_on" not in client.session


def enter_again(people: Cast, provider: IdentityProvider, school_id: Issuer) -> Client:
    Identity.objects.all().delete()
    return enter(people.alice, provider, school_id)


def test_signing_out_offers_to_end_the_session_there(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    school_id.description["end_session_endpoint"] = f"{school_id.url}/end?realm=1"
    client = enter(people.alice, provider, school_id)
    page = client.post("/accounts/logout/")
    assert not is_in(client) and "still signed in at SchoolID" in words(page)
    address = html.unescape(page.content.decode().partition('class="button" href="')[2].partition('"')[0])
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{school_id.url}/end" and query["realm"] == "1"
    assert query["client_id"] == CLIENT_ID
    assert query["post_logout_redirect_uri"] == "http://testserver/accounts/login/"
    claims = jwt.decode(query["id_token_hint"], options={"verify_signature": False})
    assert claims["email"] == people.alice.user.email
    assert client.get("/accounts/logout/").status_code == 302


@pytest.mark.parametrize("address", [None, "", "http://192.0.2.7/end", "javascript:alert(1)"])
def test_where_the_provider_names_no_page_for_it_it_is_said(
    people: Cast, provider: IdentityProvider, school_id: Issuer, address: str | None
) -> None:
    school_id.description["end_session_endpoint"] = address
    client = enter(people.alice, provider, school_id)
    page = words(client.post("/accounts/logout/"))
    assert "Open SchoolID for that, and sign out there." in page and 'class="button" href' not in page
    assert not is_in(client)


def test_signing_out_works_while_the_provider_is_away(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    client = enter(people.alice, provider, school_id)
    cache.clear()
    school_id.description["issuer"] = "https://another.example"
    assert "still signed in at SchoolID" in words(client.post("/accounts/logout/")) and not is_in(client)


def test_whoever_proved_the_account_is_asked_nothing_more(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    client = enter(people.alice, provider, school_id)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert "id_token_hint" not in client.session
    for one in (client, signed_in(people.bob)):
        assert one.post("/accounts/logout/").status_code == 302 and not is_in(one)
