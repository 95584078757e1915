"""With a new password a person's access tokens end, unless they say that they stay (S5)."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from schools import tokens
from schools.models import AccessToken, Membership, User
from tests import factories
from tests.factories import PASSWORD, Cast, make_token
from tests.running import free_port

pytestmark = pytest.mark.django_db
CHANGE = reverse("account_change_password")
NEW = "quite another password"
CHANGED = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}


@pytest.fixture
def people() -> Cast:
    return factories.cast()


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def works(secret: str) -> bool:
    return Client(headers={"Authorization": f"Bearer {secret}"}).get("/api/v1/me").status_code == 200


def test_without_a_word_all_tokens_are_revoked(people: Cast, alice: Client) -> None:
    elsewhere = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    mine, theirs = [make_token(people.alice), make_token(elsewhere)], make_token(people.bob)
    assert alice.post(CHANGE, CHANGED).status_code == 302
    assert [works(secret) for secret in mine] == [False, False]
    assert works(theirs)


def test_the_person_is_asked_and_may_keep_them(people: Cast, alice: Client) -> None:
    secret = make_token(people.alice)
    page = re.sub(r"\s+", " ", alice.get(CHANGE).content.decode())
    assert re.search(r'<input type="checkbox" name="keep_tokens"(?![^>]*checked)', page)
    assert "Programs use Lectern in your name with: Script." in page
    assert alice.post(CHANGE, CHANGED | {"keep_tokens": "on"}).status_code == 302
    assert works(secret)
    assert User.objects.get(pk=people.alice.user_id).check_password(NEW)


def test_the_name_of_a_token_is_no_markup(people: Cast, alice: Client) -> None:
    tokens.make(member=people.alice, name="<b>Script</b>")
    assert "in your name with: &lt;b&gt;Script&lt;/b&gt;." in alice.get(CHANGE).content.decode()


def test_who_has_no_active_token_is_not_asked(people: Cast, alice: Client) -> None:
    make_token(people.bob)
    make_token(people.alice, days=-1)
    tokens.make(member=people.alice, name="Revoked")
    tokens.revoke(AccessToken.objects.get(name="Revoked"))
    assert "keep_tokens" not in alice.get(CHANGE).content.decode()
    assert alice.post(CHANGE, CHANGED).status_code == 302


def test_a_change_that_is_refused_revokes_nothing(people: Cast, alice: Client) -> None:
    secret = make_token(people.alice)
    for wrong in (
        {"oldpassword": "a guess"},
        {"password2": "a slip"},
        {"password1": "short", "password2": "short"},
    ):
        assert alice.post(CHANGE, CHANGED | wrong).status_code == 200
    assert works(secret)


def test_a_password_reset_by_mail_revokes_all(people: Cast) -> None:
    client = Client(REMOTE_ADDR="192.0.2.60")
    mine, theirs = make_token(people.alice), make_token(people.bob)
    client.post(reverse("account_reset_password"), {"email": people.alice.user.email})
    (link,) = re.findall(r"https?://[^/]+(/\S+)", str(mail.outbox[0].body))
    form = client.get(link).headers["Location"]
    assert "revokes all your access tokens" in client.get(form).content.decode()
    assert client.post(form, {"password1": NEW, "password2": "a slip"}).status_code == 200
    assert works(mine)
    assert client.post(form, {"password1": NEW, "password2": NEW}).status_code == 302
    assert not works(mine)
    assert works(theirs)


def test_a_link_that_is_spent_shows_and_revokes_nothing(people: Cast) -> None:
    secret = make_token(people.alice)
    page = Client().post("/accounts/password/reset/key/1-set-password/", {"password1": NEW, "password2": NEW})
    assert "This link no longer works" in page.content.decode()
    assert works(secret)


def test_a_password_that_the_operator_sets_revokes_all(people: Cast, admin_client: Client) -> None:
    secret = make_token(people.alice)
    page = reverse("admin:auth_user_password_change", args=[people.alice.user_id])
    assert admin_client.post(page, {"password1": NEW, "password2": "a slip"}).status_code == 200
    assert works(secret)
    assert admin_client.post(page, {"password1": NEW, "password2": NEW}).status_code == 302
    assert not works(secret)


def test_with_mail_away_every_address_gets_the_same_page(people: Cast, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    pages = []
    for address in (people.alice.user.email, "nobody@elsewhere.example"):
        response = Client().post(reverse("account_reset_password"), {"email": address}, follow=True)
        assert response.status_code == 200
        pages.append(re.sub(r'"[\w-]{32,}"', "", response.content.decode()))
    assert pages[0] == pages[1] and "Mail may also be down at the moment" in pages[0]
