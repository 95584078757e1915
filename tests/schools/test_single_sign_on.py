"""Signing in by a school's provider: who is let in, where to, and who is not, with a real issuer on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings
from requests.adapters import HTTPAdapter

from schools import invitations
from schools.models import AuditEntry, Identity, IdentityProvider, Membership, User
from schools.services import invite, remove_member
from schools.single_sign_on import sessions
from schools.single_sign_on.issuer import IssuerFailed, get_json
from tests.factories import PASSWORD, Cast, make_member, make_school, signed_in
from tests.issuers import Issuer, issuer, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def loopback(settings: Settings) -> None:
    settings.LECTERN_FETCH_LOOPBACK = True
    cache.clear()  # failures are counted by address


@pytest.fixture
def school_id() -> Iterator[Issuer]:
    with issuer() as found:
        yield found


@pytest.fixture
def provider(people: Cast, school_id: Issuer) -> IdentityProvider:
    return make_provider(people.alice.school, school_id)


def login_of(provider: IdentityProvider) -> str:
    return reverse("openid_connect_login", args=[provider.pk])


def begin(client: Client, provider: IdentityProvider, query: str = "") -> str:
    response = client.get(login_of(provider) + query)
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
    assert not member.user.has_usable_password() and member.user.identities.get().subject
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
    way = f"{login_of(provider)}?invitation={membership.pk}"
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


def test_an_address_that_only_userinfo_has(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    IdentityProvider.objects.update(joins=True)
    school_id.claims = {"sub": "7", "name": "Erika"}
    school_id.userinfo = {"sub": "8", "email": "erika@riverside.example", "email_verified": True}
    assert go(Client(), provider, school_id).status_code == 502 and not Identity.objects.exists()
    school_id.userinfo["sub"] = "7"
    client = Client()
    assert go(client, provider, school_id).status_code == 302 and is_in(client)


def test_google_accounts_of_the_school_only(people: Cast, school_id: Issuer) -> None:
    from schools.single_sign_on.claims import Refused, believed
    from schools.single_sign_on.models import GOOGLE

    google = IdentityProvider(school=people.alice.school, issuer=GOOGLE, domains=["riverside.example"])
    claims = {"sub": "1", "email": "erika@riverside.example", "email_verified": True}
    assert believed(google, claims | {"hd": "riverside.example"}).subject == "1"
    for hosted in ({}, {"hd": "hillcrest.example"}, {"hd": ""}):
        with pytest.raises(Refused, match="unverified"):
            believed(google, claims | hosted)
    with pytest.raises(Refused, match="unverified"):
        believed(google, claims | {"hd": "riverside.example", "email_verified": False})


def test_microsoft_accounts_of_the_tenant_only(people: Cast) -> None:
    from schools.single_sign_on.claims import Refused, believed
    from schools.single_sign_on.models import MICROSOFT

    tenant = IdentityProvider(
        school=people.alice.school, issuer=f"{MICROSOFT}{uuid4()}/v2.0", domains=["riverside.example"]
    )
    claims = {"sub": "1", "email": "erika@riverside.example"}
    for fine in ({}, {"xms_edov": True}, {"xms_edov": "1"}, {"xms_edov": 1, "acct": 0}):
        assert believed(tenant, claims | fine).email == "erika@riverside.example"
    for wrong in ({"xms_edov": False}, {"xms_edov": "0"}, {"acct": 1}, {"idp": "https://sts.windows.net/other/"}):
        with pytest.raises(Refused, match="unverified"):
            believed(tenant, claims | wrong)


def test_an_issuer_that_is_down(people: Cast) -> None:
    gone = make_provider(people.alice.school, "http://127.0.0.1:9")
    response = Client().get(login_of(gone))
    assert response.status_code == 502 and "cannot be reached" in words(response)
    client = Client()
    client.post("/accounts/login/", {"login": people.alice.user.email, "password": PASSWORD})
    assert is_in(client)


@pytest.mark.parametrize(
    "description",
    [
        {"issuer": "https://accounts.google.com"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "http://192.0.2.7/token"},
        {"jwks_uri": None},
        {"userinfo_endpoint": "file:///etc/passwd"},
    ],
)
def test_an_issuer_that_describes_itself_wrongly(
    provider: IdentityProvider, school_id: Issuer, description: dict[str, Any]
) -> None:
    school_id.description = description
    assert Client().get(login_of(provider)).status_code == 502
    assert "/token" not in school_id.asked


def test_only_encrypted_addresses_are_called(settings: Settings, school_id: Issuer) -> None:
    from schools.single_sign_on.issuer import check_address, get_json

    check_address("https://id.example.org/realm")
    check_address(school_id.url)
    for address in ("http://id.example.org", "ftp://id.example.org", "//id.example.org", "https://a@b.example", ""):
        with pytest.raises(IssuerFailed):
            check_address(address)
    assert get_json(f"{school_id.url}/keys")["keys"]
    with pytest.raises(IssuerFailed, match="redirect"):
        get_json(f"{school_id.url}/authorize?redirect_uri=x&state=y")
    settings.LECTERN_FETCH_LOOPBACK = False
    with pytest.raises(IssuerFailed):
        get_json(f"{school_id.url}/keys")
    settings.LECTERN_OFFLINE = True
    with pytest.raises(IssuerFailed, match="LECTERN_OFFLINE"):
        check_address("https://id.example.org/realm")


def test_another_key_of_the_installation(provider: IdentityProvider, settings: Settings) -> None:
    settings.SECRET_KEY = "another key of the installation, long enough"
    assert Client().get(login_of(provider)).status_code == 502


def test_an_issuer_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schools.single_sign_on.issuer.LONGEST", 0.3)
    server = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        taken, _ = server.accept()
        with taken, suppress(OSError):
            taken.recv(65536)
            taken.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in range(100):
                taken.sendall(b" ")
                time.sleep(0.05)

    threading.Thread(target=drip, daemon=True).start()
    begun = time.monotonic()
    with server, pytest.raises(IssuerFailed, match="takes too long"):
        get_json(f"http://127.0.0.1:{server.getsockname()[1]}/keys")
    assert time.monotonic() - begun < 3


@pytest.mark.django_db(transaction=True)
def test_no_connection_of_the_database_waits_for_an_issuer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool is everybody’s: a slow issuer of one school, and a stranger who goes there often, would take it all."""
    held, send = [], HTTPAdapter.send

    def sent(*given: Any, **options: Any) -> Any:
        held.append(connection.connection is not None)
        return send(*given, **options)

    monkeypatch.setattr(HTTPAdapter, "send", sent)
    cache.clear()
    with issuer() as school_id:
        provider = make_provider(make_school("Riverside"), school_id)
        school_id.signs_in("erika@riverside.example")
        assert go(Client(), provider, school_id).status_code == 403
    assert held == [False] * 3  # the description, the tokens, the keys


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
