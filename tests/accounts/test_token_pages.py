"""People make access tokens on a page of their own, see each secret once, and revoke them (S5)."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from schools import tokens
from schools.models import AccessToken
from tests.factories import Cast, make_token, signed_in
from tests.limits import set_limit

pytestmark = pytest.mark.django_db
TOKENS, ADD = reverse("schools:tokens"), reverse("schools:add-token")
NEW = {"name": "Timetable script", "scope": "write", "days": "30"}


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def text(client: Client, url: str) -> str:
    return re.sub(r"\s+", " ", client.get(url).content.decode())


def test_the_menu_leads_to_a_page_that_says_what_they_are_for(alice: Client) -> None:
    assert TOKENS in text(alice, reverse("chatbots:list"))
    page = text(alice, TOKENS)
    assert "No tokens yet" in page
    assert "You need one if a script" in page
    assert 'aria-current="page">Members' not in page


def test_a_secret_is_shown_once_and_opens_the_api(alice: Client) -> None:
    made = alice.post(ADD, NEW)
    (secret,) = re.findall(r'value="(lectern_\w+)"', made.content.decode())
    assert "It is shown only once" in made.content.decode()
    assert "no-store" in made["Cache-Control"]
    assert Client(headers={"Authorization": f"Bearer {secret}"}).get("/api/v1/me").json()["scope"] == "write"
    page = text(alice, TOKENS)
    assert secret not in page
    for words in ("Timetable script", f"{secret[:12]}…", "reads and writes", "expires", "last used"):
        assert words in page


def test_one_that_never_expires_says_so(alice: Client) -> None:
    alice.post(ADD, NEW | {"days": "0", "scope": "read"})
    page = text(alice, TOKENS)
    for words in ("does not expire", "never used", "reads only"):
        assert words in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": " "}, "Write what will use it."),
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"scope": "all"}, "Choose one of these."),
        ({"days": "3"}, "Choose one of these."),
        ({"days": ""}, "Choose when it expires."),
    ],
)
def test_what_cannot_be_made_is_said_and_kept(alice: Client, change: dict[str, str], words: str) -> None:
    response = alice.post(ADD, NEW | change)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not AccessToken.objects.exists()


def test_too_many_are_refused_in_words(people: Cast, alice: Client) -> None:
    for _ in range(tokens.MAX_TOKENS):
        make_token(people.alice)
    response = alice.post(ADD, NEW)
    assert response.status_code == 422
    assert "Revoke one you do not use first." in response.content.decode()


def test_nobody_makes_them_without_end(people: Cast, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "NEW_TOKENS", 1)
    assert alice.post(ADD, NEW).status_code == 200
    AccessToken.objects.all().delete()
    refused = alice.post(ADD, NEW)
    assert refused.status_code == 422 and "Wait an hour" in refused.content.decode()
    assert signed_in(people.bob).post(ADD, NEW).status_code == 200


def test_revoking_is_asked_for_first_and_final(people: Cast, alice: Client) -> None:
    secret = make_token(people.alice)
    token = AccessToken.objects.get()
    url = reverse("schools:revoke-token", args=[token.pk])
    assert "Revoke “Script”?" in text(alice, url)
    assert "no longer works" in alice.post(url, follow=True).content.decode()
    assert tokens.recognise(secret) is None
    assert alice.get(url).status_code == 404
    assert "No tokens yet" in text(alice, TOKENS)


def test_the_operator_sees_no_digest(people: Cast, admin_client: Client) -> None:
    make_token(people.alice)
    token = AccessToken.objects.get()
    for url in (
        reverse("admin:schools_accesstoken_changelist"),
        reverse("admin:schools_accesstoken_change", args=[token.pk]),
    ):
        page = admin_client.get(url).content.decode()
        assert token.prefix in page
        assert token.digest not in page
        assert "_save" not in page
