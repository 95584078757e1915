"""The link of an invitation: it names the school, asks for a password and signs in; to others it opens nothing (S5)."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts import invitations
from schools import services, tokens
from schools.models import AccessToken, Membership, Role, User
from tests.factories import Cast, signed_in

pytestmark = pytest.mark.django_db
SECRET = {"password1": "quills-and-ink-9", "password2": "quills-and-ink-9"}
OVER = "This invitation does not work any more"


@pytest.fixture
def zoe(cast: Cast) -> Membership:
    return services.invite(school=cast.carol.school, email="zoe@riverside.example", name="Zoe Quill", role=Role.TEACHER)


def opened(client: Client, link: str) -> str:
    """The address of the form to which the link leads."""
    answer = client.get(link)
    assert answer.status_code == 302
    return answer.headers["Location"]


def is_over(client: Client, link: str) -> bool:
    """Whether the link opens nothing, read or sent."""
    seen, sent = client.get(link), client.post(link, SECRET)
    assert seen.status_code == sent.status_code
    return seen.status_code == 410 and OVER in seen.content.decode()


def has_password(member: Membership) -> bool:
    return User.objects.get(pk=member.user_id).has_usable_password()


def test_it_names_the_school_and_signs_in_at_once(cast: Cast, zoe: Membership) -> None:
    client, link = Client(), invitations.link(zoe)
    form = opened(client, link)
    assert link.rstrip("/").rsplit("/", 1)[1] not in form
    page = client.get(form).content.decode()
    assert "<h1>Riverside invites you</h1>" in page
    for words in ("Zoe Quill", "zoe@riverside.example", "Teacher", "At least 10 characters"):
        assert words in page

    home = client.post(form, SECRET, follow=True)
    assert home.request["PATH_INFO"] == reverse("chatbots:list")
    assert home.context["member"] == zoe
    assert "Welcome to Riverside." in home.content.decode()
    assert Client().login(email="zoe@riverside.example", password=SECRET["password1"])


def test_the_mail_carries_the_link(cast: Cast) -> None:
    data = {"email": "zoe@riverside.example", "name": "Zoe", "role": "teacher"}
    signed_in(cast.carol).post(reverse("schools:add-member"), data)
    (link,) = re.findall(r"http://testserver(\S+/invitation/\S+)", str(mail.outbox[0].body))
    assert opened(Client(), link)


def test_it_leads_into_the_school_that_invites(cast: Cast, zoe: Membership) -> None:
    """Not into the one that invited first."""
    second = services.invite(school=cast.chloe.school, email=zoe.user.email, name="Z. Q.", role=Role.ADMIN)
    client = Client()
    form = opened(client, invitations.link(second))
    page = client.get(form).content.decode()
    assert ("Hillcrest invites you" in page, "Riverside" in page) == (True, False)
    assert client.post(form, SECRET, follow=True).context["member"] == second


def test_it_leads_there_also_from_a_session_of_the_same_person(cast: Cast, zoe: Membership) -> None:
    """The new password ends that session, which would take the choice of the school with it."""
    client = Client()
    client.force_login(zoe.user, "django.contrib.auth.backends.ModelBackend")
    second = services.invite(school=cast.chloe.school, email=zoe.user.email, name="Z. Q.", role=Role.ADMIN)
    answer = client.post(opened(client, invitations.link(second)), SECRET, follow=True)
    assert answer.context["member"] == second
    assert client.session.get_expire_at_browser_close()


def test_what_is_wrong_is_said_and_nothing_is_saved(zoe: Membership) -> None:
    client = Client()
    form = opened(client, invitations.link(zoe))
    for wrong, words in (
        ({"password2": "a slip of the pen"}, "same password each time"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"password1": "", "password2": ""}, "Write a new password."),
        ({"password1": "zoe@riverside", "password2": "zoe@riverside"}, "too similar to the e-mail address"),
    ):
        answer = client.post(form, SECRET | wrong)
        assert (answer.status_code, words in answer.content.decode()) == (422, True), words
        assert not answer.context["user"].is_authenticated
    assert not has_password(zoe)


def test_it_works_once(zoe: Membership) -> None:
    client, link = Client(), invitations.link(zoe)
    late = Client()
    form, late_form = opened(client, link), opened(late, link)
    assert client.post(form, SECRET).status_code == 302
    assert is_over(Client(), link)
    assert is_over(late, late_form)
    assert is_over(client, form)
    assert client.get(reverse("chatbots:list")).status_code == 200


def test_a_password_from_elsewhere_ends_it(zoe: Membership) -> None:
    link = invitations.link(zoe)
    zoe.user.set_password(SECRET["password1"])
    zoe.user.save()
    assert is_over(Client(), link)


def test_it_expires(zoe: Membership, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    made = invitations._keys._now()
    monkeypatch.setattr(
        invitations._keys, "_now", lambda: made - timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT + 1)
    )
    old = invitations.link(zoe)
    monkeypatch.undo()
    assert is_over(Client(), old)
    assert not has_password(zoe)


def test_a_school_takes_it_back_by_removing_the_person(zoe: Membership) -> None:
    link = invitations.link(zoe)
    services.remove_member(membership=zoe)
    assert is_over(Client(), link)
    again = services.invite(school=zoe.school, email=zoe.user.email, name="Zoe", role=Role.TEACHER)
    assert is_over(Client(), link)
    assert opened(Client(), invitations.link(again))


def test_the_key_opens_nobody_elses_account(cast: Cast, zoe: Membership) -> None:
    other = services.invite(school=cast.carol.school, email="yan@riverside.example", name="Yan", role=Role.ADMIN)
    key = invitations.link(zoe).rstrip("/").rsplit("/", 1)[1]
    mine = Client()
    opened(mine, invitations.link(zoe))
    for member in (other, cast.alice):
        assert is_over(Client(), reverse("account_invitation", args=[member.pk, key]))
        assert is_over(mine, reverse("account_invitation", args=[member.pk, "password"]))
    for nonsense in ("password", "1-a", "%00"):
        assert is_over(Client(), reverse("account_invitation", args=[zoe.pk, nonsense]))
    assert is_over(Client(), reverse("account_invitation", args=[2**62, key]))
    assert not has_password(other)


def test_an_account_that_is_switched_off_stays_outside(zoe: Membership) -> None:
    link = invitations.link(zoe)
    User.objects.filter(pk=zoe.user_id).update(is_active=False)
    assert is_over(Client(), link)


def test_whoever_is_signed_in_as_another_signs_out_first(cast: Cast, zoe: Membership) -> None:
    bob, link = signed_in(cast.bob), invitations.link(zoe)
    for answer in (bob.get(link), bob.post(link, SECRET)):
        page = answer.content.decode()
        assert answer.status_code == 403
        assert "Riverside invites zoe@riverside.example. You are signed in as bob@riverside.example." in page
    assert not has_password(zoe)
    assert bob.get(reverse("chatbots:list")).context["member"] == cast.bob

    form = bob.post(link, {"sign_out": "yes"}, follow=True)
    assert "Riverside invites you" in form.content.decode()
    home = bob.post(form.redirect_chain[-1][0], SECRET, follow=True)
    assert home.context["member"] == zoe


def test_whoever_signed_in_meanwhile_is_not_replaced(cast: Cast, zoe: Membership) -> None:
    client = Client()
    form = opened(client, invitations.link(zoe))
    client.force_login(cast.bob.user)
    assert client.post(form, SECRET).status_code in (403, 410)
    assert not has_password(zoe)
    assert client.get(reverse("chatbots:list")).context["member"] == cast.bob


def test_a_former_members_tokens_end(cast: Cast, zoe: Membership) -> None:
    """As with every password that comes by mail."""
    tokens.make(member=zoe, name="Script")
    client = Client()
    client.post(opened(client, invitations.link(zoe)), SECRET)
    assert not AccessToken.objects.active().exists()


def test_an_invitation_goes_to_the_address_that_was_typed(cast: Cast) -> None:
    """Hillcrest's admin keeps the domain rıverside.example, with a dotless i, and was there first."""
    for admin, email in ((cast.chloe, "head@r\u0131vers\u0131de.example"), (cast.carol, "Head@riverside.example")):
        signed_in(admin).post("/schools/members/add/", {"email": email, "name": "The head", "role": "admin"})
    assert [message.to for message in mail.outbox] == [["head@r\u0131vers\u0131de.example"], ["head@riverside.example"]]


def test_a_name_has_one_line(cast: Cast) -> None:
    """It stands in mails to others, in which it must not look like a paragraph of ours."""
    form = {"email": "zoe@riverside.example", "name": "Zoe\r\n\r\nYour account is locked.", "role": "admin"}
    signed_in(cast.carol).post("/schools/members/add/", form)
    assert Membership.objects.get(user__email=form["email"]).name == "Zoe Your account is locked."
