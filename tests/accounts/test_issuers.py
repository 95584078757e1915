"""What is believed of an issuer: Google, Microsoft, one that is down, slow or wrong."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from pytest_django import Settings
from requests.adapters import HTTPAdapter

from accounts.models import Identity, IdentityProvider
from accounts.single_sign_on.issuer import IssuerFailed, get_json
from tests.accounts.providers import get_login_url, go, is_in, words
from tests.factories import PASSWORD, Cast, make_school
from tests.issuers import Issuer, issuer, make_provider

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loopback")]


def test_an_address_that_only_userinfo_has(people: Cast, provider: IdentityProvider, school_id: Issuer) -> None:
    IdentityProvider.objects.update(joins=True)
    school_id.claims = {"sub": "7", "name": "Erika"}
    school_id.userinfo = {"sub": "8", "email": "erika@riverside.example", "email_verified": True}
    assert go(Client(), provider, school_id).status_code == 502 and not Identity.objects.exists()
    school_id.userinfo["sub"] = "7"
    client = Client()
    assert go(client, provider, school_id).status_code == 302 and is_in(client)


def test_google_accounts_of_the_school_only(people: Cast, school_id: Issuer) -> None:
    from accounts.models import GOOGLE
    from accounts.single_sign_on.claims import read_person
    from accounts.single_sign_on.vouchers import Refused

    google = IdentityProvider(school=people.alice.school, issuer=GOOGLE, domains=["riverside.example"])
    claims = {"sub": "1", "email": "erika@riverside.example", "email_verified": True}
    assert read_person(google, claims | {"hd": "riverside.example"}).subject == "1"
    for hosted in ({}, {"hd": "hillcrest.example"}, {"hd": ""}):
        with pytest.raises(Refused, match="unverified"):
            read_person(google, claims | hosted)
    with pytest.raises(Refused, match="unverified"):
        read_person(google, claims | {"hd": "riverside.example", "email_verified": False})


def test_microsoft_accounts_of_the_tenant_only(people: Cast) -> None:
    from accounts.models import MICROSOFT
    from accounts.single_sign_on.claims import read_person
    from accounts.single_sign_on.vouchers import Refused

    tenant = IdentityProvider(
        school=people.alice.school, issuer=f"{MICROSOFT}{uuid4()}/v2.0", domains=["riverside.example"]
    )
    claims = {"sub": "1", "email": "erika@riverside.example"}
    for fine in ({}, {"xms_edov": True}, {"xms_edov": "1"}, {"xms_edov": 1, "acct": 0}):
        assert read_person(tenant, claims | fine).email == "erika@riverside.example"
    for wrong in ({"xms_edov": False}, {"xms_edov": "0"}, {"acct": 1}, {"idp": "https://sts.windows.net/other/"}):
        with pytest.raises(Refused, match="unverified"):
            read_person(tenant, claims | wrong)


def test_an_issuer_that_is_down(people: Cast) -> None:
    gone = make_provider(people.alice.school, "http://127.0.0.1:9")
    response = Client().get(get_login_url(gone))
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
    assert Client().get(get_login_url(provider)).status_code == 502
    assert "/token" not in school_id.asked


def test_only_encrypted_addresses_are_called(settings: Settings, school_id: Issuer) -> None:
    from accounts.single_sign_on.issuer import check_address, get_json

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
    assert Client().get(get_login_url(provider)).status_code == 502


def test_an_issuer_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.single_sign_on.issuer.MAX_SECONDS", 0.3)
    server = socket.create_server(("127.0.0.1", 0))
    sent: list[int] = []

    def drip() -> None:
        taken, _ = server.accept()
        with taken, suppress(OSError):
            taken.recv(65536)
            taken.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for number in range(1000):
                taken.sendall(b" ")
                sent.append(number)
                time.sleep(0.05)

    threading.Thread(target=drip, daemon=True).start()
    with server, pytest.raises(IssuerFailed, match="takes too long"):
        get_json(f"http://127.0.0.1:{server.getsockname()[1]}/keys")
    assert 0 < len(sent) < 500


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
