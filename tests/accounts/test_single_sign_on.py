"""Signing in by a school's provider: who is let in, where to, and who is not, with a real issuer on loopback."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts import invitations
from accounts.models import Identity, IdentityProvider
from schools.models import AuditEntry, Membership, User
from schools.services import invite, remove_member
from tests.accounts.providers import begin, connected, enter, get_login_url, go, is_in, refusals, words
from tests.factories import PASSWORD, Cast, signed_in
from tests.issuers import Issuer, issuer, make_provider
from tests.limits import set_limit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loopback")]


def test_the_browser_is_sent_with_state_nonce_and_pkce(provider: IdentityProvider) -> None:
    address = urlsplit(begin(Client(), provider, "?scope=admin&auth_params=prompt%3Dnone&process=connect"))
    asked = {name: value for name, (value,) in parse_qs(address.query).items()}
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.issuer}/authorize"
    assert asked["redirect_uri"] == f"http://testserver/accounts/sso/{provider.pk}/callback/"
    assert set(asked["scope"].split()) == {"openid", "email", "profile"} and "prompt" not in asked
    assert asked["code_challenge_method"] == "S256" and len(asked["state"]) >= 16 and len(asked["nonce"]) >= 24


def test_a_connected_person_comes_in(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    connected(people.alice, provider)
    school_id.signs_in("renamed@riverside.example", subject=f"sub of {people.alice.user.email}")
    client = Client()
    response = go(client, provider, school_id, "?next=/documents/")
    assert response.status_code == 302 and response.headers["Location"] == "/documents/"
    assert client.get("/documents/").context["member"] == people.alice  # by the subject, whatever the address
    entry = AuditEntry.objects.get(action="account.signed_in")
    assert entry.school_id == people.alice.school_id and entry.detail == {"by": "SchoolID"}
    assert client.session.get_expire_at_browser_close()


def test_nobody_is_led_elsewhere_afterwards(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    connected(people.alice, provider)
    school_id.signs_in(people.alice.user.email)
    assert go(Client(), provider, school_id, "?next=https://evil.example/").headers["Location"] == "/"


def test_nor_to_another_host_that_is_served(
    people: Cast, provider: IdentityProvider, school_id: Issuer, settings: Settings
) -> None:
    """Such as the web space of pupils in a domain whose hosts are all allowed."""
    settings.ALLOWED_HOSTS = ["testserver", ".school.example"]
    connected(people.alice, provider)
    school_id.signs_in(people.alice.user.email)
    assert go(Client(), provider, school_id, "?next=https://pupils.school.example/").headers["Location"] == "/"


def test_somebody_unknown_is_told_to_be_invited(provider: IdentityProvider, school_id: Issuer) -> None:
    school_id.signs_in("erika@riverside.example")
    client = Client()
    response = go(client, provider, school_id)
    assert response.status_code == 403 and "Ask an admin of your school to invite you" in words(response)
    assert not User.objects.filter(email="erika@riverside.example").exists() and not Identity.objects.exists()
    assert not is_in(client) and refusals() == ["not-invited"]


def test_somebody_unknown_joins_where_the_school_lets_them(provider: IdentityProvider, school_id: Issuer) -> None:
    IdentityProvider.objects.update(joins=True)
    school_id.signs_in("Erika@Riverside.example")
    client = Client()
    assert go(client, provider, school_id).status_code == 302 and is_in(client)
    member = Membership.objects.get(user__email="erika@riverside.example")
    assert (member.school_id, member.role, member.name) == (provider.school_id, "teacher", "Erika Muster")
    assert not member.user.has_usable_password() and member.user.identity_set.get().subject
    again = Client()
    assert go(again, provider, school_id).status_code == 302 and is_in(again)
    assert User.objects.filter(email__iexact="erika@riverside.example").count() == 1
    assert AuditEntry.objects.filter(action="sso.joined", school=provider.school).count() == 1


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email": "erika@hillcrest.example"}, "other-domain"),
        ({"email": "erika@sub.riverside.example"}, "other-domain"),
        ({"email": "erika@riverside.example.evil.example"}, "other-domain"),
        ({"email": "erika@evil.example@riverside.example"}, "no-address"),
        ({"email": "riverside.example"}, "no-address"),
        ({"email": ""}, "no-address"),
        ({"email_verified": False}, "unverified"),
        ({"email_verified": None}, "unverified"),
        ({"email_verified": "false"}, "unverified"),
        ({"sub": "x" * 256}, "no-subject"),
    ],
)
def test_an_address_that_is_not_vouched_for(
    provider: IdentityProvider, school_id: Issuer, claims: dict[str, Any], reason: str
) -> None:
    IdentityProvider.objects.update(joins=True)
    school_id.signs_in("erika@riverside.example")
    school_id.claims |= claims
    assert go(Client(), provider, school_id).status_code == 403
    assert refusals() == [reason] and not Identity.objects.exists()


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://accounts.google.com"},
        {"iss": None},
        {"aud": "another application"},
        {"aud": None},
        {"aud": ["lectern-test", "another"], "azp": "another"},
        {"aud": ["lectern-test", "another"]},
        {"azp": "another"},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"iat": None},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"sub": None},
    ],
)
def test_a_token_that_is_not_ours(
    people: Cast, provider: IdentityProvider, school_id: Issuer, claims: dict[str, Any]
) -> None:
    connected(people.alice, provider)
    school_id.signs_in(people.alice.user.email)
    school_id.claims |= claims
    client = Client()
    response = go(client, provider, school_id)
    assert response.status_code == 502 and "sign in with it" in words(response)
    assert not is_in(client) and refusals() == ["failed"]


@pytest.mark.parametrize(("key", "algorithm"), [("bad", "RS256"), ("good", "none"), ("good", "HS256")])
def test_a_token_that_is_signed_wrongly(
    people: Cast, provider: IdentityProvider, school_id: Issuer, key: str, algorithm: str
) -> None:
    connected(people.alice, provider)
    school_id.signs_in(people.alice.user.email)
    school_id.key, school_id.algorithm = key, algorithm
    client = Client()
    assert go(client, provider, school_id).status_code == 502 and not is_in(client)


def test_a_state_counts_once_and_in_its_own_browser(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    connected(people.alice, provider)
    school_id.signs_in(people.alice.user.email)
    client = Client()
    back = school_id.authorise(begin(client, provider))
    other = Client()
    assert other.get(back).status_code == 400 and not is_in(other)  # somebody is made to open another’s address
    assert client.get(back.partition("&state")[0]).status_code == 400 and not is_in(client)
    assert client.get(back).status_code == 302 and is_in(client)
    assert client.get(back).status_code == 400  # replayed


def test_a_state_of_one_provider_is_none_of_another(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    second = make_provider(people.charlie.school, school_id)
    client = Client()
    connected(people.charlie, second)
    school_id.signs_in(people.charlie.user.email)
    back = school_id.authorise(begin(client, provider))
    assert client.get(back.replace(str(provider.pk), str(second.pk))).status_code == 400 and not is_in(client)


def test_who_comes_back_without_having_been_sent_hides_nothing_of_others(
    people: Cast, provider: IdentityProvider, school_id: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "SSO_FAILURES", 2)
    second = make_provider(people.charlie.school, school_id)
    for row, address in ((provider, "192.0.2.7"),) * 4 + ((provider, "192.0.2.8"), (second, "192.0.2.7")):
        assert Client(REMOTE_ADDR=address).get(reverse("openid_connect_callback", args=[row.pk])).status_code == 400
    assert refusals() == ["failed"] * 4


def test_breaking_off_at_the_issuer(provider: IdentityProvider, school_id: Issuer) -> None:
    school_id.cancels = True
    response = go(Client(), provider, school_id)
    assert response.status_code == 400 and "broken off" in words(response)


def test_an_account_is_not_connected_without_its_owner(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    """The owner signs in with the password and is asked, in the same browser."""
    school_id.signs_in(people.alice.user.email)
    client = Client()
    response = go(client, provider, school_id)
    connect = reverse("account_sso_connect")
    assert response.headers["Location"] == f"/accounts/login/?next={connect}"
    assert not is_in(client) and not Identity.objects.exists()
    page = client.get(response.headers["Location"])
    assert "Sign in to it once with its password" in words(page)
    wrong = {"login": people.alice.user.email, "password": "not the password", "next": connect}
    assert client.post("/accounts/login/", wrong).status_code == 200
    assert client.get(connect).status_code == 302 and not Identity.objects.exists()
    back = client.post("/accounts/login/", wrong | {"password": PASSWORD})
    assert back.headers["Location"] == connect
    assert "Connect SchoolID with your account?" in words(client.get(connect)) and not Identity.objects.exists()
    assert client.post(connect, {"connect": "yes"}).status_code == 302
    identity = Identity.objects.get()
    assert (identity.user, identity.subject) == (people.alice.user, f"sub of {people.alice.user.email}")
    assert AuditEntry.objects.get(action="account.identity_connected").actor_id == people.alice.user_id
    fresh = Client()
    assert go(fresh, provider, school_id).status_code == 302 and is_in(fresh)


def test_saying_no_connects_nothing(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    client = signed_in(people.alice)
    school_id.signs_in(people.alice.user.email)
    assert go(client, provider, school_id).headers["Location"] == reverse("account_sso_connect")
    client.post(reverse("account_sso_connect"), {"leave": "yes"})
    client.post(reverse("account_sso_connect"), {"connect": "yes"})
    assert not Identity.objects.exists() and is_in(client)


def test_another_persons_password_connects_nothing(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    school_id.signs_in(people.alice.user.email)
    client = signed_in(people.bob)
    go(client, provider, school_id)
    assert not is_in(client)
    form = {"login": people.bob.user.email, "password": PASSWORD}
    client.post("/accounts/login/", form)
    client.post(reverse("account_sso_connect"), {"connect": "yes"})
    assert not Identity.objects.exists()


def test_an_offer_to_connect_does_not_last(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    client = signed_in(people.alice)
    school_id.signs_in(people.alice.user.email)
    go(client, provider, school_id)
    session = client.session
    session["identity_to_connect"] |= {"until": 1}
    session.save()
    client.post(reverse("account_sso_connect"), {"connect": "yes"})
    assert not Identity.objects.exists()


def test_a_member_of_another_school_joins_by_their_own_proof_only(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    """Chloe has an account; Riverside's provider claims her address, which the operator has allowed it to."""
    provider.domains, provider.joins = ["hillcrest.example"], True
    provider.save()
    school_id.signs_in(people.chloe.user.email)
    stranger = Client()
    go(stranger, provider, school_id)
    assert not is_in(stranger) and not Identity.objects.exists()
    assert Membership.objects.filter(user=people.chloe.user).count() == 1
    client = signed_in(people.chloe)
    go(client, provider, school_id)
    client.post(reverse("account_sso_connect"), {"connect": "yes"})
    assert Membership.objects.get(user=people.chloe.user, school=provider.school).role == "teacher"


def test_a_provider_cannot_claim_people_of_another_school(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    """Hillcrest's provider speaks of Alice, of Riverside: neither her address nor her identity there helps."""
    connected(people.alice, provider)
    with issuer() as evil:
        theirs = make_provider(people.charlie.school, evil, joins=True)
        evil.signs_in(people.alice.user.email)
        client = Client()
        assert go(client, theirs, evil).status_code == 403 and not is_in(client)
        assert refusals() == ["other-domain"]
        theirs.domains = ["riverside.example"]
        theirs.save()
        go(client, theirs, evil)  # the same subject at another issuer is somebody else
        assert not is_in(client) and Identity.objects.count() == 1


def test_an_invited_person_comes_in_by_the_link(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    membership = invite(school=provider.school, email="nina@riverside.example", name="Nina", role="teacher")  # type: ignore[arg-type]
    school_id.signs_in("nina@riverside.example")
    without = Client()
    response = go(without, provider, school_id)
    assert response.status_code == 403 and "Open the link in the e-mail" in words(response)
    client = Client()
    link = client.get(invitations.link(membership)).headers["Location"]
    page = client.get(link).content.decode()
    way = f"{get_login_url(provider)}?invitation={membership.pk}"
    assert f'href="{way}"' in page and "Join with SchoolID" in page
    guess = Client()
    assert go(guess, provider, school_id, f"?invitation={membership.pk}").status_code == 403  # has no key
    school_id.signs_in("other@riverside.example")
    assert go(client, provider, school_id, f"?invitation={membership.pk}").status_code == 403
    school_id.signs_in("nina@riverside.example")
    assert go(client, provider, school_id, f"?invitation={membership.pk}").status_code == 302 and is_in(client)
    membership.refresh_from_db()
    assert membership.invited_at is None and Identity.objects.get().user_id == membership.user_id
    assert Client().get(link).status_code == 410


def test_the_invitation_of_another_school_is_no_proof(
    people: Cast, provider: IdentityProvider, school_id: Issuer
) -> None:
    membership = invite(school=people.chloe.school, email="nina@riverside.example", name="Nina", role="teacher")  # type: ignore[arg-type]
    client = Client()
    page = client.get(invitations.link(membership), follow=True)
    assert "Continue with" not in page.content.decode()
    school_id.signs_in("nina@riverside.example")
    assert go(client, provider, school_id, f"?invitation={membership.pk}").status_code == 403
    assert not Identity.objects.exists()


def test_the_password_ends_a_half_begun_sign_in(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    """Somebody who stops at a second step, and signs in with the password instead, has an ordinary session."""
    client = Client()
    session = client.session
    session["single_sign_on"] = {"identity": str(connected(people.alice, provider).pk), "until": 1}
    session.save()
    client.cookies["sessionid"] = session.session_key or ""
    client.post("/accounts/login/", {"login": people.alice.user.email, "password": PASSWORD})
    assert is_in(client) and "single_sign_on" not in client.session


def test_operators_are_never_signed_in(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    client = enter(people.alice, provider, school_id)
    User.objects.filter(pk=people.alice.user_id).update(is_staff=True)
    assert not is_in(client)  # has become one meanwhile
    fresh = Client()
    response = go(fresh, provider, school_id)
    assert response.status_code == 403 and "Operators of this installation sign in with their password" in words(
        response
    )
    assert not is_in(fresh)
    Identity.objects.all().delete()
    assert go(Client(), provider, school_id).status_code == 403
    proved = signed_in(people.alice)
    assert go(proved, provider, school_id).status_code == 403 and not Identity.objects.exists()
    assert refusals() == ["operator"] * 3


def test_who_was_removed_stays_out(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    IdentityProvider.objects.update(joins=False)
    client = enter(people.alice, provider, school_id)
    remove_member(membership=people.alice)
    assert not is_in(client) and not Identity.objects.exists()
    assert go(Client(), provider, school_id).status_code == 403


def test_an_inactive_account_stays_out(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    client = enter(people.alice, provider, school_id)
    User.objects.filter(pk=people.alice.user_id).update(is_active=False)
    assert not is_in(client)
    assert go(Client(), provider, school_id).status_code == 403 and refusals() == ["inactive"]


def test_strangers_do_not_fill_the_audit_log(provider: IdentityProvider) -> None:
    back = reverse("openid_connect_callback", args=[provider.pk])
    assert {Client(REMOTE_ADDR="198.51.100.66").get(back).status_code for _ in range(30)} == {400}
    assert refusals() == ["failed"] * 10
    Client(REMOTE_ADDR="198.51.100.67").get(back)
    assert refusals() == ["failed"] * 11


@pytest.mark.parametrize("number", ["\u00b2", "x", "-1", "9" * 30])
def test_an_invitation_whose_number_is_none(provider: IdentityProvider, school_id: Issuer, number: str) -> None:
    client = Client()
    session = client.session
    session["invitation"] = "a key"
    session.save()
    client.cookies["sessionid"] = str(session.session_key)
    school_id.signs_in("erika@riverside.example")
    assert go(client, provider, school_id, f"?invitation={number}").status_code == 403
