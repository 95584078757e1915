"""A school that demands a second factor of its admins, and operators of whom a setting demands it (S5)."""

from __future__ import annotations

import pytest
from allauth.usersessions.models import UserSession
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from schools import services
from schools.audit.actions import Action
from schools.models import AccessToken, AuditEntry, Membership, Role, School, User
from tests.accounts.codes import LOGIN, PAGE, code, confirmed, give_app, give_codes, is_in, list_kinds, with_password
from tests.factories import Cast, make_member, make_program, make_token, signed_in

pytestmark = pytest.mark.django_db
SCHOOL = reverse("schools:signing-in")
LIST = reverse("chatbots:list")
REASON = "Riverside asks all its admins for a second factor, and you have none yet."
JSON = "application/json"


def demand(cast: Cast) -> None:
    School.objects.filter(pk=cast.carol.school_id).update(demands_second_factor=True)


def reset(member: Membership) -> str:
    return reverse("schools:reset-factors", args=[member.user_id])


def test_an_admin_switches_it_on_and_off(cast: Cast) -> None:
    carol = signed_in(cast.carol)
    page = carol.get(SCHOOL).content.decode()
    assert "Without a second factor so far: Carol (you)." in page
    refused = carol.post(SCHOOL, {"demanded": "on"})
    assert refused.status_code == 422 and "Set one up first." in refused.content.decode()
    assert not School.objects.get(pk=cast.carol.school_id).demands_second_factor
    give_app(cast.carol)
    for posted, told in (({"demanded": "on"}, "demanded"), ({}, "no longer demanded")):
        assert carol.post(SCHOOL, posted).status_code == 302
        assert School.objects.get(pk=cast.carol.school_id).demands_second_factor == bool(posted)
        entry = AuditEntry.objects.filter(action=Action.SETTINGS_CHANGED).first()
        assert entry and entry.detail == {"second factor of admins": told}
    assert "You have a second factor." in carol.get(SCHOOL).content.decode()


def test_only_admins_may(cast: Cast) -> None:
    assert signed_in(cast.alice).get(SCHOOL).status_code == 403
    give_app(cast.alice)
    assert signed_in(cast.alice).post(SCHOOL, {"demanded": "on"}).status_code == 403
    give_app(cast.chloe)
    assert signed_in(cast.chloe).post(SCHOOL, {"demanded": "on"}).status_code == 302
    assert not School.objects.get(pk=cast.carol.school_id).demands_second_factor


def test_an_admin_without_one_reaches_only_the_page_that_sets_one_up(cast: Cast) -> None:
    carol = signed_in(cast.carol)
    assert carol.get(LIST).status_code == 200
    demand(cast)
    for url in (LIST, SCHOOL, reverse("schools:members"), reverse("schools:tokens"), "/my-data/", "/api/v1/docs/"):
        answer = carol.get(url)
        assert (answer.status_code, REASON in answer.content.decode()) == (403, True), url
    answer = carol.post(reverse("schools:add-member"), {"email": "x@y.example", "name": "X", "role": "teacher"})
    assert answer.status_code == 403 and not User.objects.filter(email="x@y.example").exists()
    page = carol.get(PAGE).content.decode()
    assert REASON in page and reverse("mfa_activate_totp") in page
    assert carol.get(reverse("account_change_password")).status_code == 200
    give_app(cast.carol)
    assert carol.get(LIST).status_code == 200
    assert carol.post(reverse("account_logout")).status_code == 302


def test_recovery_codes_alone_are_no_factor(cast: Cast) -> None:
    demand(cast)
    give_codes(cast.carol)
    assert signed_in(cast.carol).get(LIST).status_code == 403


def test_they_can_go_to_another_school(cast: Cast) -> None:
    demand(cast)
    Membership.objects.create(school=cast.chloe.school, user=cast.carol.user, role=Role.ADMIN)
    carol = signed_in(cast.carol)
    page = carol.get(LIST).content.decode()
    assert REASON in page and "Hillcrest" in page
    assert carol.post(reverse("schools:switch"), {"school": cast.chloe.school_id}).status_code == 302
    assert carol.get(LIST).status_code == 200
    assert carol.post(reverse("schools:switch"), {"school": cast.carol.school_id}).status_code == 302
    assert carol.get(LIST).status_code == 403


def test_programs_of_such_an_admin_are_refused_with_the_reason(cast: Cast) -> None:
    program, session = make_program(cast.carol), signed_in(cast.carol)
    elsewhere = Membership.objects.create(school=cast.chloe.school, user=cast.carol.user, role=Role.ADMIN)
    other = make_program(elsewhere)
    demand(cast)
    for client in (program, session):
        answer = client.get("/api/v1/me")
        assert answer.status_code == 403 and REASON in answer.json()["detail"]
        assert client.post("/api/v1/chatbots", {"name": "X"}, content_type=JSON).status_code == 403
    assert other.get("/api/v1/me").status_code == 200
    give_app(cast.carol)
    assert program.get("/api/v1/me").status_code == 200


def test_teachers_notice_nothing(cast: Cast) -> None:
    demand(cast)
    assert signed_in(cast.alice).get(LIST).status_code == 200
    assert make_program(cast.alice).get("/api/v1/me").status_code == 200


def test_who_becomes_an_admin_needs_one(cast: Cast) -> None:
    demand(cast)
    bob = signed_in(cast.bob)
    Membership.objects.filter(pk=cast.bob.pk).update(role=Role.ADMIN)
    assert bob.get(LIST).status_code == 403


def test_an_admin_resets_what_a_member_has_lost(cast: Cast) -> None:
    give_app(cast.alice)
    give_codes(cast.alice)
    lost, secret = signed_in(cast.alice), make_token(cast.alice)
    carol = confirmed(cast.carol)
    assert "Make sure that it is they who ask you" in carol.get(reset(cast.alice)).content.decode()
    assert carol.post(reset(cast.alice)).status_code == 302
    assert not list_kinds(cast.alice) and not UserSession.objects.filter(user=cast.alice.user).exists()
    assert lost.get(LIST).status_code == 302
    assert AccessToken.objects.get(prefix=secret[:12]).revoked_at
    assert is_in(with_password(cast.alice))
    entry = AuditEntry.objects.filter(action=Action.FACTORS_RESET).get()
    assert (entry.actor_name, entry.subject_label) == ("Carol", "alice@riverside.example")


def test_the_person_is_told_by_mail(cast: Cast, django_capture_on_commit_callbacks: object) -> None:
    carol = confirmed(cast.carol)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        carol.post(reset(cast.alice))
    (message,) = mail.outbox
    assert message.to == ["alice@riverside.example"]
    assert "Carol, admin of Riverside has taken all second factors" in str(message.body)


def test_a_reset_asks_who_the_admin_is(cast: Cast) -> None:
    give_app(cast.alice)
    stale = signed_in(cast.carol)
    assert stale.post(reset(cast.alice)).headers["Location"].startswith(reverse("account_reauthenticate"))
    assert list_kinds(cast.alice) == {"totp"}


def test_who_may_not_be_reset(cast: Cast) -> None:
    """Oneself, who belongs to another school too, operators, and who has not joined."""
    carol = confirmed(cast.carol)
    Membership.objects.create(school=cast.chloe.school, user=cast.alice.user)
    User.objects.filter(pk=cast.bob.user_id).update(is_staff=True)
    zoe = make_member(cast.carol.school, "zoe")
    Membership.objects.filter(pk=zoe.pk).update(invited_at="2026-01-01T00:00Z")
    for member, words in (
        (cast.carol, "These are your own."),
        (cast.alice, "Only the operator"),
        (cast.bob, "Only the operator"),
        (zoe, "has not joined your school yet"),
    ):
        give_app(member)
        assert words in carol.get(reset(member)).content.decode()
        answer = carol.post(reset(member))
        assert (answer.status_code, words in answer.content.decode()) == (422, True)
        assert list_kinds(member) == {"totp"}
    for who, status in ((cast.bob, 403), (cast.chloe, 404)):
        dora = make_member(cast.carol.school, f"dora{status}")
        assert confirmed(who).post(reset(dora)).status_code == status
    assert Client().post(reset(cast.bob)).headers["Location"].startswith(LOGIN)


def test_an_invitation_of_another_school_hinders_no_reset(cast: Cast) -> None:
    give_app(cast.alice)
    services.invite(school=cast.chloe.school, email=cast.alice.user.email, name="A", role=Role.TEACHER)
    assert confirmed(cast.carol).post(reset(cast.alice)).status_code == 302
    assert not list_kinds(cast.alice)


def test_the_operator_resets_in_django_admin(cast: Cast, django_capture_on_commit_callbacks: object) -> None:
    Membership.objects.create(school=cast.chloe.school, user=cast.alice.user)
    give_app(cast.alice)
    operator = User.objects.create_superuser("operator@lectern.example", name="Operator")
    client = Client()
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    chosen = {"action": "reset_factors", "_selected_action": [str(cast.alice.user_id), str(operator.pk)]}
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert client.post(reverse("admin:schools_user_changelist"), chosen).status_code == 302
    assert not list_kinds(cast.alice)
    assert [message.to for message in mail.outbox] == [["alice@riverside.example"]]
    assert client.get("/admin/").status_code == 200  # the own session is not ended


def test_django_admin_shows_no_secret(cast: Cast) -> None:
    stored = give_app(cast.alice)
    operator = User.objects.create_superuser("operator@lectern.example", name="Operator")
    client = Client()
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("admin:mfa_authenticator_change", args=[stored.pk]))
    assert page.status_code == 200 and stored.data["secret"] not in page.content.decode()
    session = client.get(reverse("admin:usersessions_usersession_changelist")).content.decode()
    assert str(client.session.session_key) not in session


def test_operators_may_be_asked_for_one_too(cast: Cast, settings: Settings) -> None:
    operator = User.objects.create_superuser("operator@lectern.example", name="Operator")
    client = Client()
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    pages = ("/admin/", reverse("admin:schools_user_changelist"), reverse("operators:index"))
    assert [client.get(url).status_code for url in pages] == [200, 200, 200]
    settings.LECTERN_OPERATORS_SECOND_FACTOR = True
    for url in pages:
        answer = client.get(url, follow=True)
        assert (answer.status_code, "asks everybody who runs it" in answer.content.decode()) == (403, True), url
    assert client.get(PAGE).status_code == 200
    member = Membership(user=operator)
    give_app(member)
    assert [client.get(url).status_code for url in pages] == [200, 200, 200]
    assert signed_in(cast.alice).get(LIST).status_code == 200


def test_a_session_with_the_password_alone_does_not_meet_the_demand(cast: Cast) -> None:
    """Somebody who knows the password is in already when the owner sets up an app."""
    stolen, owner = with_password(cast.carol), confirmed(cast.carol)
    assert stolen.get("/schools/members/").status_code == 200
    add = reverse("mfa_activate_totp")
    secret = owner.get(add).context["form"].secret
    assert owner.post(add, {"code": code(secret)}).status_code == 302
    assert owner.post(reverse("schools:signing-in"), {"demanded": "on"}).status_code == 302
    assert stolen.get("/schools/members/").status_code == 302
    assert owner.get("/schools/members/").status_code == 200


def test_operators_without_django_admin_are_asked_for_one_too(settings: Settings) -> None:
    settings.LECTERN_OPERATORS_SECOND_FACTOR = True
    operator = User.objects.create(email="operator@lectern.example", name="Operator", is_superuser=True)
    client = Client()
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    assert client.get("/installation/").status_code == 403
