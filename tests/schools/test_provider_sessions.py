"""Sessions that began at a school’s provider: what they open, and what ends them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from schools.models import Identity, IdentityProvider, Membership
from schools.single_sign_on import sessions
from tests.factories import PASSWORD, Cast, make_member
from tests.issuers import Issuer
from tests.schools.providers import begin, enter, is_in, login_of, words

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
    assert Client().get(login_of(provider)).status_code == 404
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
    assert sessions.LONGEST == 12 * 3600
    session["single_sign_on"] |= {"until": 1}
    session.save()
    assert not is_in(client)
    ends(lambda: provider.delete())


def enter_again(people: Cast, provider: IdentityProvider, school_id: Issuer) -> Client:
    Identity.objects.all().delete()
    return enter(people.alice, provider, school_id)
