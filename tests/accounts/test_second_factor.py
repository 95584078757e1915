"""An authenticator app, recovery codes and passkeys as a second step: what opens an account, and what does not (S5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts import invitations
from accounts.factors import spend
from schools import services
from schools.audit.actions import Action
from schools.models import AuditEntry, Membership, Role, User
from tests.accounts.codes import (
    AGAIN,
    LOGIN,
    PAGE,
    SECRET,
    STEP,
    code,
    confirmed,
    give_app,
    give_codes,
    is_in,
    list_kinds,
    with_password,
)
from tests.accounts.keys import Key
from tests.factories import PASSWORD, Cast, make_member, make_school, signed_in

pytestmark = pytest.mark.django_db
ADD_APP, REMOVE_APP = reverse("mfa_activate_totp"), reverse("mfa_deactivate_totp")
CODES, NEW_CODES = reverse("mfa_view_recovery_codes"), reverse("mfa_generate_recovery_codes")
ADD_PASSKEY = reverse("mfa_add_webauthn")
NOT_RIGHT = "This code is not right, or it was used already."
Commits = Callable[..., object]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Codes are counted by account, and the accounts of all tests have the same names but not the same keys."""
    cache.clear()


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


def test_the_app_is_set_up_and_then_asked_for(cast: Cast, django_capture_on_commit_callbacks: Commits) -> None:
    client = confirmed(cast.alice)
    page = client.get(ADD_APP).content.decode()
    (secret,) = re.findall(r'<input id="secret" type="text" value="([A-Z2-7]+)"', page)
    assert "<svg" in page and "otpauth" not in page
    wrong = client.post(ADD_APP, {"code": "000000" if code(secret) != "000000" else "000001"})
    assert NOT_RIGHT in wrong.content.decode() and not list_kinds(cast.alice)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        done = client.post(ADD_APP, {"code": code(secret)})
    assert done.headers["Location"] == CODES
    assert list_kinds(cast.alice) == {"totp", "recovery_codes"}
    assert {Action.FACTOR_ADDED, Action.RECOVERY_CODES_MADE} <= set(actions())
    assert [(message.to, message.subject) for message in mail.outbox] == [
        (["alice@riverside.example"], "[Lectern] An authenticator app was added")
    ]
    again = with_password(cast.alice)
    assert not is_in(again)
    assert "Second step" in again.get(STEP).content.decode()
    assert again.post(STEP, {"code": code(secret)}).headers["Location"] == "/"
    assert is_in(again)


def test_its_secret_is_not_in_the_database(cast: Cast) -> None:
    stored = give_app(cast.alice).data["secret"]
    assert SECRET not in stored and stored != give_app(cast.bob).data["secret"]
    assert SECRET not in str(Authenticator.objects.filter(user=cast.alice.user).values_list("data", flat=True))


def test_with_another_key_of_the_installation_no_code_opens(cast: Cast, settings: Settings) -> None:
    give_app(cast.alice)
    opened = with_password(cast.alice)
    before = settings.SECRET_KEY
    settings.SECRET_KEY_FALLBACKS = [before]
    settings.SECRET_KEY = "another key of the installation, forty-two"
    assert opened.post(STEP, {"code": code()}).headers["Location"] == "/"
    settings.SECRET_KEY_FALLBACKS = []
    changed = with_password(cast.alice)
    for tried in (code(ago=-1), "", code("")):
        assert "Location" not in changed.post(STEP, {"code": tried}).headers
    assert not is_in(changed)


@pytest.mark.parametrize("tried", ["", "123", "abcdef", "0" * 400, "\0"])
def test_what_is_no_code_opens_nothing(cast: Cast, tried: str) -> None:
    give_app(cast.alice)
    client = with_password(cast.alice)
    assert client.post(STEP, {"code": tried}).status_code == 200
    assert not is_in(client)


def test_a_code_opens_once_while_it_is_right(cast: Cast) -> None:
    """Also when the cache has forgotten it, and never an older one after a newer."""
    give_app(cast.alice)
    now, earlier = code(), code(ago=1)
    assert with_password(cast.alice).post(STEP, {"code": now}).headers["Location"] == "/"
    cache.clear()
    second = with_password(cast.alice)
    for used in (now, earlier):
        assert NOT_RIGHT in second.post(STEP, {"code": used}).content.decode()
    assert not is_in(second)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_send_the_same_code_at_once_one_gets_in() -> None:
    stored, shown = give_app(make_member(make_school("Riverside"), "alice")), code()

    def send(_: int) -> bool:
        try:
            return spend(stored, shown)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(send, range(4))) == [False, False, False, True]


def test_a_code_of_another_person_opens_nothing(cast: Cast) -> None:
    give_app(cast.alice)
    codes = give_codes(cast.bob)
    Authenticator.objects.create(user=cast.bob.user, type="totp", data=Authenticator.objects.get(type="totp").data)
    client = with_password(cast.alice)
    assert NOT_RIGHT in client.post(STEP, {"code": codes[0]}).content.decode()
    assert not is_in(client)


def test_guessing_is_limited_by_account_wherever_it_comes_from(cast: Cast) -> None:
    give_app(cast.alice)
    give_app(cast.bob)
    said = []
    for number in range(6):
        client = with_password(cast.alice, address=f"198.51.100.{number}")
        said.append(client.post(STEP, {"code": "000000"}).content.decode())
    assert NOT_RIGHT in said[4] and "Too many" in said[5]
    assert "Location" not in with_password(cast.alice, "198.51.100.60").post(STEP, {"code": code()}).headers
    neighbour = with_password(cast.bob, address="198.51.100.1")
    assert neighbour.post(STEP, {"code": code()}).headers["Location"] == "/"
    entry = AuditEntry.objects.filter(action=Action.SIGN_IN_FAILED).first()
    assert entry and entry.detail == {"wrong": "code"} and entry.subject_label == cast.alice.user.email


def test_the_second_step_is_nobodys_without_the_password(cast: Cast) -> None:
    give_app(cast.alice)
    client = Client()
    assert client.get(STEP).headers["Location"] == LOGIN
    assert client.post(STEP, {"code": code()}).headers["Location"] == LOGIN
    assert client.get("/chatbots/").status_code == 302


def test_a_recovery_code_opens_once(cast: Cast) -> None:
    give_app(cast.alice)
    codes = give_codes(cast.alice)
    assert with_password(cast.alice).post(STEP, {"code": codes[0]}).headers["Location"] == "/"
    second = with_password(cast.alice)
    assert NOT_RIGHT in second.post(STEP, {"code": codes[0]}).content.decode()
    assert second.post(STEP, {"code": codes[1]}).headers["Location"] == "/"
    assert "8 of your codes are not used yet" in second.get(PAGE).content.decode()


def test_recovery_codes_are_shown_once(cast: Cast) -> None:
    give_app(cast.alice)
    codes = give_codes(cast.alice)
    client = confirmed(cast.alice)
    first, second = (client.get(CODES).content.decode() for _ in range(2))
    assert all(one in first for one in codes) and 'data-save="recovery-codes"' in first
    assert not any(one in second for one in codes) and "cannot be shown again" in second


def test_new_recovery_codes_end_the_old_ones(cast: Cast, django_capture_on_commit_callbacks: Commits) -> None:
    give_app(cast.alice)
    old = give_codes(cast.alice)
    client = confirmed(cast.alice)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        assert client.post(NEW_CODES).headers["Location"] == CODES
    shown = client.get(CODES).content.decode()
    assert not any(one in shown for one in old)
    assert "Location" not in with_password(cast.alice).post(STEP, {"code": old[0]}).headers
    assert Action.RECOVERY_CODES_MADE in actions()
    assert mail.outbox[0].subject == "[Lectern] New recovery codes were made"


def test_the_app_is_removed_and_its_codes_go_too(cast: Cast) -> None:
    give_app(cast.alice)
    give_codes(cast.alice)
    client = confirmed(cast.alice)
    assert "Remove the authenticator app?" in client.get(REMOVE_APP).content.decode()
    assert client.post(REMOVE_APP).headers["Location"] == PAGE
    assert not list_kinds(cast.alice)
    assert mail.outbox[0].subject == "[Lectern] The authenticator app was removed"
    assert Action.FACTOR_REMOVED in actions()
    assert is_in(with_password(cast.alice))


@pytest.mark.parametrize("url", [ADD_APP, REMOVE_APP, CODES, NEW_CODES, ADD_PASSKEY])
def test_a_change_asks_who_it_is_once_more(cast: Cast, url: str) -> None:
    if url != ADD_APP:
        give_app(cast.alice)
        give_codes(cast.alice)
    before = list_kinds(cast.alice)
    stale = Client()
    stale.force_login(cast.alice.user, "django.contrib.auth.backends.ModelBackend")
    for answer in (stale.get(url), stale.get(url) if url == CODES else stale.post(url, {"code": code()})):
        assert answer.headers["Location"].startswith(AGAIN)
    refused = stale.post(AGAIN, {"password": "a guess", "next": PAGE})
    assert refused.status_code == 200 and list_kinds(cast.alice) == before
    for anonymous in (Client().get(url), Client().get(url) if url == CODES else Client().post(url)):
        assert anonymous.headers["Location"].startswith(LOGIN)


def test_a_code_says_who_it_is_too(cast: Cast) -> None:
    give_app(cast.alice)
    client = Client()
    client.force_login(cast.alice.user, "django.contrib.auth.backends.ModelBackend")
    asked = reverse("mfa_reauthenticate")
    assert "Location" not in client.post(asked, {"code": "000000", "next": REMOVE_APP}).headers
    right = code()
    assert client.post(asked, {"code": right, "next": REMOVE_APP}).headers["Location"] == REMOVE_APP
    assert client.get(REMOVE_APP).status_code == 200


def test_passkeys_of_others_are_not_found(cast: Cast) -> None:
    made = Authenticator.objects.create(user=cast.bob.user, type="webauthn", data={"name": "Key", "credential": {}})
    client = confirmed(cast.alice)
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        for key in (made.pk, made.pk + 1):
            url = reverse(name, args=[key])
            assert client.get(url).status_code == client.post(url, {"name": "Mine"}).status_code == 404
    made.refresh_from_db()
    assert made.data["name"] == "Key"


@pytest.mark.parametrize("sent", ["", "{}", "nonsense", '{"id": "x", "response": {"userHandle": "x"}}', "[]", "1"])
def test_what_is_no_passkey_signs_nobody_in(cast: Cast, sent: str) -> None:
    client = Client(REMOTE_ADDR="192.0.2.91")
    asked = client.get(reverse("mfa_login_webauthn"), headers={"Accept": "application/json"})
    assert asked.json()["request_options"]["publicKey"]["userVerification"] == "required"
    answer = client.post(reverse("mfa_login_webauthn"), {"credential": sent})
    assert answer.status_code == 302 and answer.headers["Location"] == LOGIN
    assert not is_in(client)
    known = confirmed(cast.alice)
    assert known.get(ADD_PASSKEY).status_code == 200
    added = known.post(ADD_PASSKEY, {"name": "Key", "credential": sent})
    assert added.status_code == 200 and not list_kinds(cast.alice)
    give_app(cast.alice)
    second = with_password(cast.alice)
    assert second.get(STEP).status_code == second.post(STEP, {"credential": sent}).status_code == 200
    assert not is_in(second)


def test_a_whole_school_signs_in_with_passkeys_from_one_address(cast: Cast) -> None:
    sent = (reverse("mfa_login_webauthn"), {"credential": "{}"})
    assert [Client(REMOTE_ADDR="192.0.2.92").post(*sent).status_code for _ in range(30)] == [302] * 30


def test_whoever_finds_an_open_browser_cannot_guess_the_password(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.alice.user, "django.contrib.auth.backends.ModelBackend")
    said = [client.post(AGAIN, {"password": "a guess", "next": PAGE}).status_code for _ in range(11)]
    assert said == [200] * 10 + [429]
    assert client.post(AGAIN, {"password": PASSWORD, "next": PAGE}).status_code == 429


def test_an_invitation_does_not_open_an_account_with_a_factor(cast: Cast) -> None:
    """Whoever reads the mail of an account whose password was taken away has no second factor by that."""
    User.objects.filter(pk=cast.charlie.user_id).update(password=make_password(None))
    give_app(cast.charlie)
    invited = services.invite(school=cast.carol.school, email=cast.charlie.user.email, name="C", role=Role.TEACHER)
    client, secret = Client(), "quills-and-ink-9"
    form = client.get(invitations.link(invited)).headers["Location"]
    answer = client.post(form, {"password1": secret, "password2": secret})
    assert answer.headers["Location"].startswith(LOGIN)
    assert not is_in(client) and Membership.objects.invited().filter(pk=invited.pk).exists()


def test_a_password_reset_leaves_the_second_step(cast: Cast) -> None:
    give_app(cast.alice)
    client = Client(REMOTE_ADDR="192.0.2.93")
    client.post(reverse("account_reset_password"), {"email": cast.alice.user.email})
    (link,) = re.findall(r"https?://[^/]+(/\S+)", str(mail.outbox[0].body))
    new = "a new and long password"
    client.post(client.get(link).headers["Location"], {"password1": new, "password2": new})
    client.post(LOGIN, {"login": cast.alice.user.email, "password": new})
    assert not is_in(client)
    assert client.get(STEP).status_code == 200


def test_passkeys_are_offered_where_browsers_have_them(cast: Cast) -> None:
    offered = "Sign in with a passkey"
    assert offered not in Client().get(LOGIN).content.decode()  # http://testserver
    assert offered in Client().get(LOGIN, secure=True).content.decode()
    assert offered in Client().get(LOGIN, headers={"host": "localhost:8000"}).content.decode()


def test_the_page_says_what_there_is_and_what_to_do_next(cast: Cast) -> None:
    empty = signed_in(cast.alice).get(PAGE).content.decode()
    assert "Set up an app" in empty and "Recovery codes" not in empty
    assert "Browsers offer passkeys only where" in empty  # http://testserver
    secure = signed_in(cast.alice).get(PAGE, secure=True, headers={"host": "localhost"}).content.decode()
    assert "Add a passkey" in secure
    for address in ("127.0.0.1:8000", "[::1]:8000"):
        assert "Add a passkey" not in signed_in(cast.alice).get(PAGE, headers={"host": address}).content.decode()
    assert 'href="/accounts/signing-in/"' in signed_in(cast.bob).get("/chatbots/").content.decode()
    assert Client().get(PAGE).headers["Location"].startswith(LOGIN)
    assert PASSWORD not in empty


def test_a_found_key_without_a_pin_is_no_password(cast: Cast) -> None:
    """The second step of one’s own account gives a challenge that asks for no PIN; the sign-up page ends the step."""
    found, own = Key(cast.alice), Key(cast.bob)
    client = with_password(cast.bob)
    options = client.get(STEP).context["js_data"]["request_options"]["publicKey"]
    assert options["userVerification"] == "preferred" and client.get("/accounts/signup/").status_code == 200
    client.post(reverse("mfa_login_webauthn"), {"credential": found.sign(options["challenge"])})
    assert not is_in(client)
    client = with_password(cast.bob)
    options = client.get(STEP).context["js_data"]["request_options"]["publicKey"]
    client.post(STEP, {"credential": own.sign(options["challenge"])})
    assert is_in(client)  # as the second step it is enough


def test_the_page_opens_when_the_key_of_the_installation_has_changed(cast: Cast, settings: Settings) -> None:
    give_app(cast.alice)
    give_codes(cast.alice)
    settings.SECRET_KEY = "another key, of which nobody has the former one"
    client = Client()
    client.force_login(cast.alice.user, "django.contrib.auth.backends.ModelBackend")
    assert is_in(client)


def test_a_spent_code_forgives_no_guesses(cast: Cast) -> None:
    give_app(cast.alice)
    spent = code()
    assert with_password(cast.alice).post(STEP, {"code": spent}).headers["Location"] == "/"
    client = with_password(cast.alice, address="198.51.100.21")
    for _ in range(4):
        client.post(STEP, {"code": "000000"})
    cache.delete(f"allauth.mfa.totp.used?user={cast.alice.user_id}&code={spent}")  # as half a minute later
    client.post(STEP, {"code": spent})
    said = [client.post(STEP, {"code": "000000"}).content.decode() for _ in range(2)]
    assert NOT_RIGHT in said[0] and "Too many" in said[1]
