"""Where people are signed in, mails about new devices, and what ends a session (S5)."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts import browsers, devices, invitations
from privacy.tasks import erase_old
from schools import services
from schools.audit.actions import Action
from schools.models import AuditEntry, Membership, Role, User
from tests.accounts.codes import LOGIN, PAGE, is_in, with_password
from tests.factories import PASSWORD, Cast, make_program, signed_in
from tests.running import free_port

pytestmark = pytest.mark.django_db
LIST = reverse("chatbots:list")
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1"
NEW_DEVICE = "[Lectern] You signed in on a new device"
NEW = {"oldpassword": PASSWORD, "password1": "quite another password", "password2": "quite another password"}


def end(row: UserSession) -> str:
    return reverse("account_end_session", args=[row.pk])


def get_row(client: Client) -> UserSession:
    return UserSession.objects.get(session_key=client.session.session_key)


def shown(client: Client) -> str:
    return re.sub(r"\s+", " ", client.get(PAGE).content.decode())


def subjects() -> list[str]:
    return [str(message.subject) for message in mail.outbox]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Windows"),
        (IPHONE, "Safari on an iPhone"),
        ("Mozilla/5.0 (Macintosh) AppleWebKit Chrome/140 Safari/537 Edg/140.0", "Edge on a Mac"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit Chrome/140 Mobile Safari", "Chrome on Android"),
        ("Mozilla/5.0 (X11; CrOS x86_64) Chrome/140 Safari/537", "Chrome on a Chromebook"),
        ("curl/8.5", "An unknown browser"),
        ("Something (X11; Linux x86_64)", "A browser on Linux"),
        ("", "An unknown browser"),
    ],
)
def test_devices_in_plain_words(agent: str, words: str) -> None:
    assert devices.describe_device(agent) == words


def test_the_page_lists_them(cast: Cast) -> None:
    here = with_password(cast.alice, "192.0.2.101", **{"User-Agent": FIREFOX})
    with_password(cast.alice, "192.0.2.102", **{"User-Agent": IPHONE})
    with_password(cast.bob, "192.0.2.103")
    page = shown(here)
    for words in ('Firefox on Windows <span class="badge good">This one', "from 192.0.2.101", "Safari on an iPhone"):
        assert words in page
    assert "192.0.2.103" not in page
    assert page.count("Sign out<span") == 1  # none beside one's own
    assert str(here.session.session_key) not in page


def test_one_is_ended(cast: Cast) -> None:
    here, there = with_password(cast.alice), with_password(cast.alice, **{"User-Agent": IPHONE})
    assert is_in(there)
    answer = here.post(end(get_row(there)), follow=True)
    assert "Safari on an iPhone is signed out." in answer.content.decode()
    assert not is_in(there) and is_in(here)
    entry = AuditEntry.objects.filter(action=Action.SESSION_ENDED).get()
    assert entry.detail == {"ended": "Safari on an iPhone", "of": "192.0.2.90"}


def test_all_others_are_ended(cast: Cast) -> None:
    here, there, elsewhere = (with_password(cast.alice) for _ in range(3))
    bob = with_password(cast.bob)
    assert (
        "2 browsers are signed out." in here.post(reverse("account_end_other_sessions"), follow=True).content.decode()
    )
    assert [is_in(one) for one in (here, there, elsewhere, bob)] == [True, False, False, True]


def test_nobody_ends_those_of_others(cast: Cast) -> None:
    alice = with_password(cast.alice)
    row = get_row(alice)
    for stranger in (cast.bob, cast.carol, cast.chloe):
        assert signed_in(stranger).post(end(row)).status_code == 404
    assert Client().post(end(row)).headers["Location"].startswith(LOGIN)
    assert signed_in(cast.alice).get(end(row)).status_code == 405
    assert is_in(alice)


def test_a_changed_password_ends_the_others(cast: Cast) -> None:
    here, there = with_password(cast.alice), with_password(cast.alice)
    assert here.post(reverse("account_change_password"), NEW).status_code == 302
    assert is_in(here) and not is_in(there)
    (row,) = UserSession.objects.filter(user=cast.alice.user)
    assert row.session_key == here.session.session_key
    assert subjects()[-1] == "[Lectern] Your password was changed"


def test_a_reset_password_ends_all(cast: Cast) -> None:
    there = with_password(cast.alice)
    client = Client(REMOTE_ADDR="192.0.2.104")
    client.post(reverse("account_reset_password"), {"email": cast.alice.user.email})
    (link,) = re.findall(r"https?://[^/]+(/\S+)", str(mail.outbox[0].body))
    new = "a new and long password"
    client.post(client.get(link).headers["Location"], {"password1": new, "password2": new})
    assert not is_in(there)
    assert not UserSession.objects.filter(user=cast.alice.user).exists()
    assert subjects()[-1] == "[Lectern] A new password was chosen"


def test_a_password_of_the_operator_ends_all(cast: Cast, admin_client: Client) -> None:
    there = with_password(cast.alice)
    page = reverse("admin:auth_user_password_change", args=[cast.alice.user_id])
    new = "quite another password"
    assert admin_client.post(page, {"password1": new, "password2": new}).status_code == 302
    assert not is_in(there) and not UserSession.objects.filter(user=cast.alice.user).exists()


def test_signing_out_takes_it_away(cast: Cast) -> None:
    client = with_password(cast.alice)
    client.post(reverse("account_logout"))
    assert not UserSession.objects.filter(user=cast.alice.user).exists()


def test_what_is_over_is_not_listed(cast: Cast) -> None:
    here, there = with_password(cast.alice), with_password(cast.alice, **{"User-Agent": IPHONE})
    Session.objects.filter(pk=there.session.session_key).update(expire_date=timezone.now() - timedelta(days=1))
    assert "iPhone" not in shown(here)


def test_what_is_over_is_erased_at_night(cast: Cast) -> None:
    here, there = with_password(cast.alice), with_password(cast.bob)
    Session.objects.filter(pk=there.session.session_key).update(expire_date=timezone.now() - timedelta(days=1))
    assert erase_old()["sessions.Session"] == 1
    assert [row.user_id for row in UserSession.objects.all()] == [cast.alice.user_id]
    assert is_in(here)


def test_the_last_time_is_written_every_few_minutes_only(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    client = with_password(cast.alice)
    long_ago = timezone.now() - timedelta(days=1)
    UserSession.objects.update(last_seen_at=long_ago)
    with CaptureQueriesContext(connection) as queries:
        client.get(LIST)
        client.get(LIST, REMOTE_ADDR="192.0.2.105")
    assert not [query for query in queries if "usersession" in query["sql"]]
    monkeypatch.setattr(browsers, "_next", {})  # five minutes later, or another process
    client.get(LIST, REMOTE_ADDR="192.0.2.105")
    row = get_row(client)
    assert row.last_seen_at > long_ago and row.ip == "192.0.2.105"


@pytest.mark.needs("classrooms")
def test_programs_and_the_anonymous_write_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsers, "_next", {})
    with CaptureQueriesContext(connection) as queries:
        make_program(cast.alice).get("/api/v1/me")
        Client().get("/c/")
        Client().get(LOGIN)
    assert not [query for query in queries if "usersession" in query["sql"]]


def test_a_session_that_ends_meanwhile_does_no_harm(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    client = with_password(cast.alice)
    monkeypatch.setattr(browsers, "_next", {})
    Session.objects.filter(pk=client.session.session_key).delete()
    assert client.get(LIST).status_code == 302


def test_a_new_device_is_told_by_mail(cast: Cast) -> None:
    User.objects.filter(pk=cast.alice.user_id).update(last_login=timezone.now())
    first = with_password(cast.alice, "192.0.2.106", **{"User-Agent": FIREFOX})
    (message,) = mail.outbox
    assert (message.subject, message.to) == (NEW_DEVICE, ["alice@riverside.example"])
    for words in ("Firefox on Windows", "192.0.2.106", "change your password at once", PAGE):
        assert words in str(message.body)
    first.post(reverse("account_logout"))
    first.post(LOGIN, {"login": cast.alice.user.email, "password": PASSWORD})
    assert len(mail.outbox) == 1  # it is known now
    first.post(reverse("account_logout"))
    User.objects.filter(pk=cast.bob.user_id).update(last_login=timezone.now())
    first.post(LOGIN, {"login": cast.bob.user.email, "password": PASSWORD})
    assert [message.to for message in mail.outbox] == [["alice@riverside.example"], ["bob@riverside.example"]]
    first.post(reverse("account_logout"))
    for member in (cast.alice, cast.bob):  # a computer of several people is known to each of them
        first.post(LOGIN, {"login": member.user.email, "password": PASSWORD})
        first.post(reverse("account_logout"))
    assert len(mail.outbox) == 2


def test_a_cookie_that_somebody_wrote_is_no_known_device(cast: Cast) -> None:
    User.objects.filter(pk=cast.alice.user_id).update(last_login=timezone.now())
    known = with_password(cast.alice)
    forged = Client(REMOTE_ADDR="192.0.2.90")
    forged.cookies[devices.COOKIE] = known.cookies[devices.COOKIE].value[:-2] + "xx"
    forged.post(LOGIN, {"login": cast.alice.user.email, "password": PASSWORD})
    assert subjects() == [NEW_DEVICE] * 2
    cookie = known.cookies[devices.COOKIE]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"
    assert str(cast.alice.user_id) not in cookie.value


def test_the_first_sign_in_of_all_is_not_told(cast: Cast) -> None:
    User.objects.filter(pk=cast.alice.user_id).update(last_login=None)
    with_password(cast.alice)
    assert not mail.outbox


def test_who_was_just_invited_is_known_on_that_device(cast: Cast) -> None:
    zoe = services.invite(school=cast.carol.school, email="zoe@riverside.example", name="Zoe", role=Role.TEACHER)
    client, secret = Client(REMOTE_ADDR="192.0.2.107"), "quills-and-ink-9"
    client.post(client.get(invitations.link(zoe)).headers["Location"], {"password1": secret, "password2": secret})
    assert get_row(client).user_id == zoe.user_id
    client.post(reverse("account_logout"))
    mail.outbox.clear()
    client.post(LOGIN, {"login": "zoe@riverside.example", "password": secret})
    assert is_in(client) and not mail.outbox


def test_the_mails_are_switched_off_and_on(cast: Cast) -> None:
    User.objects.filter(pk=cast.alice.user_id).update(last_login=timezone.now())
    client = signed_in(cast.alice)
    assert re.search(r'name="alerts"[^>]*checked', shown(client))
    client.post(reverse("account_alerts"), {})
    assert not re.search(r'name="alerts"[^>]*checked', shown(client))
    with_password(cast.alice)
    assert not mail.outbox
    client.post(reverse("account_alerts"), {"alerts": "on"})
    with_password(cast.alice)
    assert subjects() == [NEW_DEVICE]


def test_a_mail_server_that_is_away_stops_no_sign_in(cast: Cast, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    User.objects.filter(pk=cast.alice.user_id).update(last_login=timezone.now())
    client = with_password(cast.alice)
    assert is_in(client)
    assert client.post(reverse("account_change_password"), NEW).status_code == 302


def test_a_membership_of_no_school_has_the_page_too() -> None:
    client = Client()
    client.force_login(User.objects.create_user("nobody@nowhere.example", PASSWORD, name="Nobody"))
    assert is_in(client) and not Membership.objects.filter(user__email="nobody@nowhere.example").exists()
