"""Signing in by e-mail and password tells strangers nothing and slows down guessing (S5)."""

import re
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from schools.audit.models import AuditEntry
from schools.models import User
from tests.factories import PASSWORD, Cast, make_token, signed_in
from tests.limits import set_limit

pytestmark = pytest.mark.django_db
LOGIN = reverse("account_login")
ELSEWHERE = "192.0.2.7"  # failures are counted by address too: they must not shut out the other tests


def complaint(email: str, password: str, address: str = ELSEWHERE) -> str:
    """What the page says to a sign-in that failed."""
    response = Client(REMOTE_ADDR=address).post(LOGIN, {"login": email, "password": password})
    assert response.status_code in (200, 429)
    (notice,) = re.findall(r'<div class="notice warn.*?<div>(.*?)</div>', response.content.decode(), re.DOTALL)
    return re.sub(r"<[^>]+>", "", notice).strip()


def test_a_wrong_password_and_an_unknown_address_read_the_same(cast: Cast) -> None:
    wrong = complaint("alice@riverside.example", "not-this-one")
    assert wrong == complaint(f"{uuid4()}@riverside.example", PASSWORD)
    assert "not correct" in wrong


def test_a_newcomer_without_a_password_cannot_sign_in(cast: Cast) -> None:
    User.objects.create_user("zoe@riverside.example", name="Zoe")
    for password in ("!", "None", " "):
        response = Client(REMOTE_ADDR=ELSEWHERE).post(LOGIN, {"login": "zoe@riverside.example", "password": password})
        assert (response.status_code, response.context["user"].is_authenticated) == (200, False)


def test_an_account_that_is_switched_off_stays_outside(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.alice.user)
    User.objects.filter(pk=cast.alice.user_id).update(is_active=False)
    assert client.get(reverse("chatbots:list")).status_code == 302
    page = client.post(LOGIN, {"login": "alice@riverside.example", "password": PASSWORD}, follow=True)
    assert not page.context["user"].is_authenticated


def test_guessing_is_slowed_down(cast: Cast) -> None:
    email = f"{uuid4()}@riverside.example"
    said = [complaint(email, "a-guess", address="192.0.2.8") for _ in range(6)]
    assert "not correct" in said[0]
    assert "Too many" in said[-1]


def account() -> str:
    """The address of somebody who was not here before, so that nothing is counted yet."""
    return User.objects.create_user(f"{uuid4()}@riverside.example", PASSWORD, name="Zoe").email


def leads_to(email: str, address: str, password: str = PASSWORD) -> str:
    """Where a sign-in leads to; nowhere when it fails."""
    answer = Client(REMOTE_ADDR=address).post(LOGIN, {"login": email, "password": password})
    return answer.headers.get("Location", "")


def test_the_published_password_opens_nothing_where_others_reach_lectern(settings: Settings) -> None:
    email, published = account(), "lectern-demo"
    user = User.objects.get(email=email)
    user.set_password(published)
    user.save()
    settings.LECTERN_IS_PUBLIC = True
    assert "not correct" in complaint(email, published, address="192.0.2.33")
    settings.LECTERN_IS_PUBLIC = False
    assert leads_to(email, "192.0.2.33", published) == "/"


def test_who_guesses_does_not_lock_the_owner_out_elsewhere() -> None:
    email = account()
    for _ in range(20):
        complaint(email, "a-guess", address="192.0.2.30")
    assert "Too many" in complaint(email, PASSWORD, address="192.0.2.30")
    assert leads_to(email, "192.0.2.31") == "/"
    said = [complaint(email, "a-guess", address="192.0.2.31") for _ in range(6)]
    assert "not correct" in said[4]
    assert "Too many" in said[5]


def test_guesses_from_many_addresses_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "WRONG_PASSWORDS_EVERYWHERE", 7)
    email, other = account(), account()
    said = [complaint(email, "a-guess", address=f"198.51.100.{n}") for n in (1, 1, 1, 2, 2, 3, 4, 5)]
    assert all("not correct" in words for words in said[:7])
    assert "Too many" in said[7]
    assert "Too many" in complaint(email, PASSWORD, address="198.51.100.6")
    assert leads_to(other, "198.51.100.6") == "/"


def test_right_passwords_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "WRONG_PASSWORDS_EVERYWHERE", 2)
    email = account()
    assert [leads_to(email, "192.0.2.40") for _ in range(8)] == ["/"] * 8


def test_whoever_reset_their_password_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "WRONG_PASSWORDS_EVERYWHERE", 5)
    email = account()
    assert leads_to(email, "192.0.2.50") == "/"
    for _ in range(6):
        complaint(email, "forgotten", address="192.0.2.50")
    client = Client(REMOTE_ADDR="192.0.2.50")
    client.post(reverse("account_reset_password"), {"email": email})
    (link,) = re.findall(r"https?://[^/]+(/\S+)", str(mail.outbox[0].body))
    form = client.get(link).headers["Location"]
    new = "a new and long password"
    assert client.post(form, {"password1": new, "password2": new}).status_code == 302
    assert leads_to(email, "192.0.2.50", new) == "/"


def test_operators_sign_in_where_guessing_is_slowed_down(cast: Cast) -> None:
    User.objects.create_superuser("operator@lectern.example", PASSWORD, name="Operator")
    data = {"username": "operator@lectern.example", "password": PASSWORD, "next": "/admin/"}
    client = Client()
    refused = client.post("/admin/login/?next=/admin/", data)
    assert refused.headers["Location"] == f"{LOGIN}?next=%2Fadmin%2F"
    assert client.get("/admin/").status_code == 302
    entered = client.post(LOGIN, {"login": data["username"], "password": PASSWORD, "next": "/admin/"})
    assert entered.headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    client.force_login(cast.carol.user)
    assert client.get("/admin/", follow=True).status_code == 403


def test_after_signing_in_one_is_where_one_wanted_to_be(cast: Cast) -> None:
    client = Client()
    wanted = reverse("school_library:list")
    sign_in = client.get(wanted, follow=True)
    assert sign_in.redirect_chain == [(f"{LOGIN}?next={wanted}", 302)]
    data = {"login": "alice@riverside.example", "password": PASSWORD}
    assert client.post(LOGIN, data | {"next": wanted}).headers["Location"] == wanted
    elsewhere = Client().post(LOGIN, data | {"next": "https://elsewhere.example/"})
    assert elsewhere.headers["Location"] == "/"


def test_an_address_changed_by_the_operator_opens_the_account_no_more(cast: Cast) -> None:
    old, new = "alice@riverside.example", "alice.new@riverside.example"
    EmailAddress.objects.create(user=cast.alice.user, email=old, primary=True, verified=True)
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    page = reverse("admin:schools_user_change", args=[cast.alice.user_id])
    saved = operator.post(page, {"email": new, "name": "Alice", "is_active": "on"})
    assert saved.status_code == 302
    for address in (old, new):
        Client(REMOTE_ADDR=ELSEWHERE).post(reverse("account_reset_password"), {"email": address})
    assert [message.to for message in mail.outbox] == [[old], [new]]
    assert [message.subject for message in mail.outbox] == [
        "[Lectern] There is no account with this address",
        "[Lectern] Choose a new password",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "email/",
        "confirm-email/",
        "confirm-email/a-key/",
        "login/code/confirm/",
    ],
)
def test_nobody_changes_the_address_of_their_account(cast: Cast, path: str) -> None:
    """Whoever could would be let in by the school that invites the address."""
    client = Client()
    client.force_login(cast.alice.user)
    wanted = {"email": "zoe@hillcrest.example", "action_add": ""}
    assert client.get(f"/accounts/{path}").status_code == 404
    assert client.post(f"/accounts/{path}", wanted).status_code == 404
    assert User.objects.get(pk=cast.alice.user_id).email == "alice@riverside.example"
    assert not EmailAddress.objects.filter(email="zoe@hillcrest.example").exists()


def test_letters_that_look_alike_are_others() -> None:
    """PostgreSQL writes ı and ſ in capitals as I and S: guesses would count for several accounts, and open one."""
    email = User.objects.create_user("missis@riverside.example", PASSWORD, name="Missis").email
    for number, lookalike in enumerate(("m\u0131ssis@riverside.example", "mi\u017fsis@riverside.example")):
        assert "not correct" in complaint(lookalike, PASSWORD, address=f"192.0.2.{60 + number}")
        User.objects.create_user(lookalike, "another-long-password", name="Somebody else")
    assert leads_to(email, "192.0.2.62") == "/"


def test_many_guesses_at_a_school_lock_nobody_out_on_their_own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "WRONG_PASSWORDS_OF_NETWORK", 3)
    email, school = account(), "192.0.2.60"
    known = Client(REMOTE_ADDR="192.0.2.61")
    assert known.post(LOGIN, {"login": email, "password": PASSWORD}).status_code == 302
    for _ in range(4):
        complaint(f"{uuid4()}@riverside.example", "a-guess", address=school)
    assert "Too many" in complaint(email, PASSWORD, address=school)
    here = Client(REMOTE_ADDR=school)
    here.cookies["lectern_device"] = known.cookies["lectern_device"].value
    assert here.post(LOGIN, {"login": email, "password": PASSWORD}).status_code == 302
    here = Client(REMOTE_ADDR=school)
    here.cookies["lectern_device"] = known.cookies["lectern_device"].value
    for _ in range(5):  # on a known device guesses at the account are counted all the same
        assert here.post(LOGIN, {"login": email, "password": "a-guess"}).status_code == 200
    assert "Too many" in here.post(LOGIN, {"login": email, "password": PASSWORD}).content.decode()


def test_an_address_changed_by_the_operator_ends_what_the_old_one_opened(cast: Cast) -> None:
    inside, token = signed_in(cast.alice), make_token(cast.alice)
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    page = reverse("admin:schools_user_change", args=[cast.alice.user_id])
    inside.get("/chatbots/")
    changed = {"email": "alice.new@riverside.example", "name": "Alice", "is_active": "on"}
    assert operator.post(page, changed).status_code == 302
    assert inside.get("/chatbots/").status_code == 302
    program = Client(headers={"Authorization": f"Bearer {token}"})
    assert program.get("/api/v1/chatbots").status_code == 401
    entry = AuditEntry.objects.get(action="account.changed", school=cast.alice.school)
    assert "email" in entry.detail["fields"]
