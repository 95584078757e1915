"""Teachers who come from a platform: connected by their own proof, signed in afterwards, and who is not."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Identity
from accounts.single_sign_on import sessions
from classrooms.models import ClassLink
from lti.models import Platform, ResourceLink, TeacherIdentity
from schools.models import AccessToken, AuditEntry, Membership, User
from schools.services import remove_member
from tests.accounts.codes import code, give_app
from tests.factories import PASSWORD, Cast, make_member, proved_again, signed_in
from tests.issuers import make_provider
from tests.lti.simulator import TEACHER, Simulator, go, words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def alice_comes(sim: Simulator, link: ResourceLink) -> None:
    """To the activity that opens her class."""
    sim.opens("11", TEACHER, link=link.pk)


def is_in(client: Client) -> bool:
    return client.get(reverse("chatbots:list")).status_code == 200


def follow(client: Client, response: Any) -> Any:
    """Whereto a launch leads in the end."""
    while response.status_code in (302, 303):
        response = client.get(response.headers["Location"])
    return response


def give_proof(client: Client, person: Membership, response: Any) -> Any:
    """Sign in with the password on the page to which one was sent."""
    where = response.headers["Location"]
    assert where.startswith("/accounts/login/?next=/lti/launches/")
    form = {"login": person.user.email, "password": PASSWORD, "next": where.partition("next=")[2]}
    return client.post("/accounts/login/", form)


def refusals() -> list[str]:
    return [entry.detail["reason"] for entry in AuditEntry.objects.filter(action="lti.refused").order_by("pk")]


def get_desk_url(link: ClassLink) -> str:
    return reverse("classrooms:desk", args=[link.pk])


def test_the_first_time_one_proves_ones_account(people: Cast, sim: Simulator, class_link: ClassLink) -> None:
    client = Client()
    response = go(client, sim)
    assert not is_in(client) and not TeacherIdentity.objects.exists()
    assert "You come from Moodle" in words(client.get(response.headers["Location"]))
    asked = give_proof(client, people.alice, response).headers["Location"]
    page = words(client.get(asked))
    assert "Connect Moodle with your account?" in page and "Erika Muster" in page
    assert not TeacherIdentity.objects.exists()
    done = client.post(asked, {"connect": "yes"})
    assert follow(client, done).request["PATH_INFO"] == get_desk_url(class_link)
    identity = TeacherIdentity.objects.get()
    assert (identity.user, identity.subject) == (people.alice.user, "11")
    assert "single_sign_on" not in client.session  # she gave her password
    entry = AuditEntry.objects.get(action="account.identity_connected")
    assert entry.actor_id == people.alice.user_id and entry.detail == {"provider": "Moodle"}


def test_later_she_comes_in_at_once(
    people: Cast, sim: Simulator, connected: TeacherIdentity, class_link: ClassLink
) -> None:
    client = Client()
    assert follow(client, go(client, sim)).request["PATH_INFO"] == get_desk_url(class_link)
    assert client.session["single_sign_on"]["kind"] == "lti.TeacherIdentity"
    entry = AuditEntry.objects.get(action="account.signed_in")
    assert entry.school_id == people.alice.school_id and entry.detail == {"by": "Moodle"}
    assert client.session.get_expire_at_browser_close()
    before = connected.last_used_at
    again = follow(client, go(client, sim))  # once more, in the same session
    assert again.request["PATH_INFO"] == get_desk_url(class_link)
    connected.refresh_from_db()
    assert connected.last_used_at > before
    assert AuditEntry.objects.filter(action="account.signed_in").count() == 1


def test_such_a_session_acts_in_one_school(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    client = Client()
    go(client, sim)
    refused = client.post(reverse("schools:switch"), {"school": people.charlie.school_id})
    assert refused.status_code == 403 and "Moodle, which speaks for Riverside only" in words(refused)
    assert client.get(reverse("mfa_index")).status_code == 403
    assert client.get(reverse("chatbots:list")).context["other_memberships"].count() == 0
    assert sessions.MAX_SECONDS == 12 * 3600


def test_an_ordinary_session_of_the_same_person_stays_one(
    people: Cast, sim: Simulator, connected: TeacherIdentity
) -> None:
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    client = signed_in(people.alice)
    client.post(reverse("schools:switch"), {"school": people.charlie.school_id})
    key = client.session.session_key
    assert follow(client, go(client, sim)).status_code == 200
    assert client.session.session_key == key and "single_sign_on" not in client.session
    assert client.get(reverse("chatbots:list")).context["member"] == people.alice  # in the school of the platform


def test_the_session_of_somebody_else_ends(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    client = signed_in(people.bob)
    go(client, sim)
    assert client.get(reverse("chatbots:list")).context["member"] == people.alice


def test_a_session_by_a_provider_is_replaced(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    """It may be of another school, for which the platform does not speak."""
    provider = make_provider(people.charlie.school, "https://id.example")
    known = {"issuer": provider.issuer, "subject": "1", "email": "alice@hillcrest.example"}
    identity = Identity.objects.create(school=provider.school, user=people.alice.user, provider=provider, **known)
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    client = signed_in(people.alice)
    session = client.session
    session["single_sign_on"] = {"kind": "accounts.Identity", "identity": str(identity.pk), "until": 9_999_999_999}
    session["only_school"] = str(provider.school_id)
    session.save()
    assert client.get(reverse("chatbots:list")).context["member"].school == people.charlie.school
    go(client, sim)
    assert client.session["single_sign_on"]["identity"] == str(connected.pk)
    assert client.get(reverse("chatbots:list")).context["member"] == people.alice


def test_saying_no_connects_nothing(people: Cast, sim: Simulator) -> None:
    client = signed_in(people.alice)
    asked = go(client, sim).headers["Location"]
    client.post(asked, {"leave": "yes"})
    client.post(asked, {"connect": "yes"})
    assert not TeacherIdentity.objects.exists() and is_in(client)


def test_a_browser_that_was_left_open_connects_nothing(people: Cast, sim: Simulator, class_link: ClassLink) -> None:
    """A colleague at it could otherwise come in as her for good, from their own account of the platform."""
    client = signed_in(people.alice)
    asked = go(client, sim).headers["Location"]
    step = client.post(asked, {"connect": "yes"})
    assert step.headers["Location"].startswith("/accounts/reauthenticate/") and not TeacherIdentity.objects.exists()
    done = client.post(step.headers["Location"], {"password": PASSWORD})
    assert follow(client, done).request["PATH_INFO"] == get_desk_url(class_link)
    assert TeacherIdentity.objects.get().user == people.alice.user


def test_a_session_by_a_provider_proves_nothing(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    client = Client()
    go(client, sim)
    sim.opens("12", TEACHER)
    assert go(client, sim).headers["Location"].startswith("/accounts/login/") and not is_in(client)


def test_an_offer_to_connect_does_not_last(people: Cast, sim: Simulator) -> None:
    client = signed_in(people.alice)
    asked = go(client, sim).headers["Location"]
    session = client.session
    for one in session["lti_launches"].values():
        one["until"] = 1
    session.save()
    client.post(asked, {"connect": "yes"})
    assert not TeacherIdentity.objects.exists()
    assert Client().get(asked).headers["Location"].startswith("/accounts/login/")
    assert signed_in(people.bob).get(asked).status_code == 302  # it is of another session


@pytest.mark.parametrize("who", ["charlie", "invited", "operator", "superuser"])
def test_who_is_not_connected(people: Cast, sim: Simulator, who: str) -> None:
    """A teacher of another school, somebody who has not joined yet, and operators."""
    person = people.charlie if who == "charlie" else make_member(people.alice.school, who)
    if who == "invited":
        Membership.objects.filter(pk=person.pk).update(invited_at="2026-01-01T00:00Z")
    if who in ("operator", "superuser"):
        User.objects.filter(pk=person.user_id).update(**{"is_staff" if who == "operator" else "is_superuser": True})
    client = signed_in(person)
    asked = go(client, sim).headers["Location"]
    assert client.get(asked).status_code == 403
    asked = go(client, sim).headers["Location"]
    assert client.post(asked, {"connect": "yes"}).status_code == 403
    assert not TeacherIdentity.objects.exists()
    assert refusals() == ["operator" if "oper" in who or "super" in who else "not-member"] * 2


def test_somebody_elses_connection_is_not_taken(people: Cast, sim: Simulator) -> None:
    """Two people at one browser, or two who share one account of the platform."""
    client = proved_again(people.bob)
    asked = go(client, sim).headers["Location"]
    TeacherIdentity.objects.create(
        school=people.alice.school, provider=Platform.objects.get(), user=people.alice.user, subject="11"
    )
    assert client.post(asked, {"connect": "yes"}).status_code == 403 and refusals() == ["connected"]
    assert TeacherIdentity.objects.get().user == people.alice.user


def test_operators_are_never_signed_in(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    client = Client()
    go(client, sim)
    assert is_in(client)
    User.objects.filter(pk=people.alice.user_id).update(is_staff=True)
    assert not is_in(client)
    assert go(Client(), sim).status_code == 403
    own = signed_in(people.alice)
    assert go(own, sim).status_code == 403 and is_in(own)
    assert refusals() == ["operator"] * 2


def test_an_inactive_account_stays_out(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    User.objects.filter(pk=people.alice.user_id).update(is_active=False)
    assert go(Client(), sim).status_code == 403 and refusals() == ["inactive"]


def test_a_removed_member_stays_out(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    client = Client()
    go(client, sim)
    remove_member(membership=people.alice)
    assert not is_in(client) and not TeacherIdentity.objects.exists()
    assert go(Client(), sim).headers["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_on": False}])
def test_switching_the_platform_off_ends_sessions(
    people: Cast, sim: Simulator, platform: Platform, connected: TeacherIdentity, change: dict[str, bool]
) -> None:
    client = Client()
    go(client, sim)
    assert is_in(client)
    Platform.objects.update(**change)
    assert not is_in(client)


def test_switching_learning_platforms_off_ends_sessions(
    people: Cast, sim: Simulator, connected: TeacherIdentity, settings: Settings
) -> None:
    client = Client()
    go(client, sim)
    assert is_in(client)
    settings.LECTERN_PLUGINS_OFF = ["lti"]
    assert not is_in(client)


def test_disconnecting_ends_such_sessions(people: Cast, sim: Simulator, connected: TeacherIdentity) -> None:
    client, own = Client(), signed_in(people.alice)
    go(client, sim)
    listed = own.get(reverse("lti:connections"), headers={"HX-Request": "true"})
    assert "Moodle" in words(listed) and "<html" not in words(listed)
    page = reverse("lti:disconnect", args=[connected.pk])
    assert "Disconnect Moodle?" in words(own.get(page)) and TeacherIdentity.objects.exists()
    assert own.post(page).status_code == 302 and not TeacherIdentity.objects.exists()
    assert is_in(own) and not is_in(client)
    entry = AuditEntry.objects.get(action="account.identity_disconnected")
    assert entry.detail == {"provider": "Moodle"}


def test_the_second_factor_that_the_school_demands(people: Cast, sim: Simulator, platform: Platform) -> None:
    """As with single sign-on: the platform vouches for the person, and not for a second factor."""
    school = people.alice.school
    school.demands_second_factor = True
    school.save()
    TeacherIdentity.objects.create(school=school, provider=platform, user=people.carol.user, subject="11")
    client = Client()
    response = client.get(go(client, sim).headers["Location"])
    assert response.status_code == 403 and "second factor" in words(response)


def test_ones_own_second_factor_is_asked_for(
    people: Cast, sim: Simulator, connected: TeacherIdentity, class_link: ClassLink
) -> None:
    give_app(people.alice)
    client = Client()
    step = go(client, sim).headers["Location"]
    assert step.startswith("/accounts/second-step/") and not is_in(client)
    done = client.post(step, {"code": code()})
    assert follow(client, done).request["PATH_INFO"] == get_desk_url(class_link)
    assert client.session["single_sign_on"]["identity"] == str(connected.pk)


def test_a_class_of_a_colleague(people: Cast, sim: Simulator, platform: Platform, class_link: ClassLink) -> None:
    TeacherIdentity.objects.create(school=platform.school, provider=platform, user=people.bob.user, subject="11")
    client = Client()
    response = follow(client, go(client, sim))
    assert response.status_code == 200 and "a colleague’s class" in words(response)
    assert class_link.name not in words(response) and class_link.code not in words(response)


def test_a_launch_is_not_taken_over_by_whoever_signs_in_next(
    people: Cast, sim: Simulator, connected: TeacherIdentity
) -> None:
    sim.opens("11", TEACHER, resource="new")
    client = Client()
    where = go(client, sim).headers["Location"]
    session = client.session["lti_launches"]
    other = signed_in(people.bob)
    theirs = other.session
    theirs["lti_launches"] = session
    theirs.save()
    assert other.get(where).headers["Location"] == "/"
    assert other.get(f"{where}choose/").headers["Location"] == "/"
    assert client.get(where).headers["Location"] == f"{where}choose/"


def test_what_she_signs_out_of_and_what_outlasts_her_session(sim: Simulator, connected: TeacherIdentity) -> None:
    client = Client()
    assert go(client, sim).status_code == 302
    form = {"name": "Script", "scope": "write", "days": "30"}
    asked = client.post(reverse("schools:add-token"), form)
    assert asked.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert not AccessToken.objects.exists()
    page = words(client.post(reverse("account_logout")))
    assert "You are still signed in at Moodle" in page and "sign out there" in page
    assert client.get(reverse("schools:tokens")).status_code == 302
