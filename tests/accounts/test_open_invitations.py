"""Invitations that nobody has followed yet: admins see them, send them again, and take them back."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts import invitations
from schools import services
from schools.http import SESSION_KEY
from schools.models import Membership, Role
from tests.factories import Cast, signed_in
from tests.running import free_port

pytestmark = pytest.mark.django_db

MEMBERS, OPEN = reverse("schools:members"), reverse("schools:members") + "?invited=1"
SECRET = {"password1": "quills-and-ink-9", "password2": "quills-and-ink-9"}


@pytest.fixture
def carol(cast: Cast) -> Client:
    return signed_in(cast.carol)


@pytest.fixture
def zoe(cast: Cast) -> Membership:
    """Invited an hour ago."""
    found = services.invite(school=cast.carol.school, email="zoe@riverside.example", name="Zoe", role=Role.TEACHER)
    Membership.objects.filter(pk=found.pk).update(invited_at=timezone.now() - timedelta(hours=1))
    return found


def text(client: Client, url: str) -> str:
    return re.sub(r"\s+", " ", client.get(url).content.decode())


def again(member: Membership) -> str:
    return reverse("schools:invite-again", args=[member.user_id])


def withdrawal(member: Membership) -> str:
    return reverse("schools:withdraw-invitation", args=[member.user_id])


def test_the_list_shows_them_until_they_come_in(carol: Client, zoe: Membership) -> None:
    everybody = text(carol, MEMBERS)
    assert "1 open invitation</a>" in everybody
    assert "Invited</span>" in everybody
    listed = text(carol, OPEN)
    assert listed.count('class="row"') == 1
    assert "has not joined yet" in listed
    assert "too old" not in listed
    assert again(zoe) in listed
    assert withdrawal(zoe) in listed

    newcomer = Client()
    form = newcomer.get(invitations.link(zoe)).headers["Location"]
    newcomer.post(form, SECRET, follow=True)
    assert "open invitation</a>" not in text(carol, MEMBERS)
    assert "No open invitations" in text(carol, OPEN)


def test_it_is_sent_again(carol: Client, zoe: Membership) -> None:
    Membership.objects.filter(pk=zoe.pk).update(invited_at=timezone.now() - timedelta(days=30))
    assert "The link in the e-mail is too old by now." in text(carol, OPEN)
    response = carol.post(again(zoe), {"invited": "1"}, follow=True)
    assert response.redirect_chain[-1][0] == OPEN
    assert "The invitation was sent once more to zoe@riverside.example." in response.content.decode()
    (message,) = mail.outbox
    link = re.findall(r"http://testserver(\S+/invitation/\S+)", str(message.body))[0]
    assert Client().get(link).status_code == 302
    assert "too old by now" not in text(carol, OPEN)

    page = carol.post(again(zoe), follow=True).content.decode()
    assert "was sent a moment ago. Nothing was sent now." in page
    assert len(mail.outbox) == 1


def test_an_account_of_elsewhere_looks_the_same(cast: Cast, carol: Client, zoe: Membership) -> None:
    """Whether the person has an account, and signs in elsewhere, is not told."""
    services.invite(school=cast.carol.school, email="charlie@hillcrest.example", name="Zoe", role=Role.TEACHER)
    charlie = Membership.objects.get(school=cast.carol.school, user=cast.charlie.user)
    Membership.objects.invited().update(invited_at=timezone.now() - timedelta(hours=1))
    browser = signed_in(cast.charlie)
    browser.get(reverse("chatbots:list"))  # in his own school
    rows = re.findall(r'<li class="row">.*?</li> </ul>', text(carol, OPEN))
    assert len(rows) == 2
    assert len({row.replace("charlie@hillcrest", "zoe@riverside") for row in rows}) == 1
    first, second = (carol.post(again(one), follow=True).content.decode() for one in (charlie, zoe))
    assert "sent once more to charlie@hillcrest.example" in first
    assert "sent once more to zoe@riverside.example" in second
    assert "invitation/" not in str(mail.outbox[0].body)

    session = browser.session
    session[SESSION_KEY] = str(cast.carol.school_id)
    session.save()
    assert browser.get(reverse("chatbots:list")).context["member"] == cast.charlie  # not without being asked
    browser.post(reverse("schools:join", args=[cast.carol.school_id]))
    charlie.refresh_from_db()
    assert charlie.invited_at is None


def test_it_is_withdrawn(carol: Client, zoe: Membership) -> None:
    link = invitations.link(zoe)
    assert "Withdraw the invitation of Zoe?" in text(carol, withdrawal(zoe))
    page = carol.post(withdrawal(zoe), follow=True).content.decode()
    assert "The invitation of Zoe is withdrawn." in page
    assert not Membership.objects.filter(pk=zoe.pk).exists()
    assert Client().get(link).status_code == 410
    assert carol.post(withdrawal(zoe)).status_code == 404


def test_who_has_come_in_is_no_invitation_any_more(cast: Cast, carol: Client) -> None:
    assert "has followed the invitation already" in carol.get(withdrawal(cast.bob), follow=True).content.decode()
    assert "meanwhile, and is a member now" in carol.post(withdrawal(cast.bob), follow=True).content.decode()
    assert "has followed the invitation already" in carol.post(again(cast.bob), follow=True).content.decode()
    assert Membership.objects.filter(pk=cast.bob.pk).exists()
    assert not mail.outbox


def test_a_mail_server_that_does_not_answer_is_said(carol: Client, zoe: Membership, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    page = carol.post(again(zoe), follow=True).content.decode()
    assert "could not be sent. Try again later." in page
    assert services.may_be_sent_again(Membership.objects.get(pk=zoe.pk))


def test_only_admins_of_the_school_may(cast: Cast, zoe: Membership) -> None:
    for address in (again(zoe), withdrawal(zoe)):
        assert signed_in(cast.bob).post(address).status_code == 403
        assert signed_in(cast.chloe).post(address).status_code == 404
        assert Client().post(address).headers["Location"].startswith("/accounts/login/")
    assert signed_in(cast.carol).get(again(zoe)).status_code == 405
    assert signed_in(cast.bob).get(OPEN).status_code == 403
    assert "zoe@" not in text(signed_in(cast.chloe), OPEN)
    assert Membership.objects.filter(pk=zoe.pk).exists()
    assert not mail.outbox


def test_nobody_gets_one_invitation_after_the_other(cast: Cast, carol: Client) -> None:
    form = {"email": f"{uuid4()}@elsewhere.example", "name": "Zoe", "role": "teacher"}
    for _ in range(5):
        assert carol.post(reverse("schools:add-member"), form).status_code == 302
        services.withdraw_invitation(membership=Membership.objects.get(user__email=form["email"]))
    refused = carol.post(reverse("schools:add-member"), form)
    assert refused.status_code == 422 and "Try again tomorrow" in refused.content.decode()
    assert 'value="Zoe"' in refused.content.decode() and len(mail.outbox) == 5
    other = signed_in(cast.chloe).post(reverse("schools:add-member"), form)
    assert other.status_code == 302  # what one school did tells another nothing
