"""Whoever has an account is asked before they belong to another school, and is no member until then (S2, S5)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.sharing.colleagues import list_candidates
from schools import services
from schools.audit.actions import Action
from schools.models import AuditEntry, Membership, Role
from schools.named import find_named_member
from tests.factories import Cast, make_chatbot, signed_in

pytestmark = pytest.mark.django_db
LIST = reverse("chatbots:list")


@pytest.fixture
def invited(cast: Cast) -> Membership:
    """Charlie, of another school."""
    return services.invite(school=cast.carol.school, email="charlie@hillcrest.example", name="Chas", role=Role.TEACHER)


def join(member: Membership) -> str:
    return reverse("schools:join", args=[member.school_id])


def test_the_person_is_asked_and_joins(cast: Cast, invited: Membership) -> None:
    charlie = signed_in(cast.charlie)
    home = charlie.get(LIST)
    assert home.context["member"] == cast.charlie
    assert "Riverside invites you…" in home.content.decode() and join(invited) in home.content.decode()
    page = charlie.get(join(invited)).content.decode()
    for words in ("Join Riverside?", "your name there (Chas)", "audit log", "Your role there: Teacher", "Decline"):
        assert words in page
    invited.refresh_from_db()
    assert invited.invited_at is not None  # looking is not joining
    assert charlie.post(join(invited), follow=True).context["member"] == invited
    entry = AuditEntry.objects.get(action=Action.INVITATION_ACCEPTED)
    assert (entry.school_id, entry.actor_email) == (cast.carol.school_id, "charlie@hillcrest.example")
    again = charlie.get(join(invited), follow=True)
    assert "You are a member of Riverside already." in again.content.decode()


def test_the_person_declines(cast: Cast, invited: Membership) -> None:
    charlie = signed_in(cast.charlie)
    page = charlie.post(join(invited), {"decline": "yes"}, follow=True)
    assert "You have not joined Riverside." in page.content.decode()
    assert page.context["member"] == cast.charlie
    assert not Membership.objects.filter(pk=invited.pk).exists()
    entry = AuditEntry.objects.get(action=Action.INVITATION_DECLINED)
    assert entry.school_id == cast.carol.school_id
    assert charlie.post(join(invited)).status_code == 404


def test_who_has_joined_does_not_leave_by_it(cast: Cast) -> None:
    charlie = signed_in(cast.charlie)
    charlie.post(reverse("schools:join", args=[cast.charlie.school_id]), {"decline": "yes"})
    assert Membership.objects.filter(pk=cast.charlie.pk).exists()


@pytest.mark.needs("classrooms")
def test_until_then_they_are_no_member(cast: Cast, invited: Membership) -> None:
    charlie = signed_in(cast.charlie)
    assert charlie.post(reverse("schools:switch"), {"school": cast.carol.school_id}).status_code == 404
    session = charlie.session
    session["school"] = str(cast.carol.school_id)
    session.save()
    assert charlie.get(LIST).context["member"] == cast.charlie
    assert invited not in list_candidates(make_chatbot(cast.alice))
    assert find_named_member("charlie@hillcrest.example", None) == cast.charlie
    carol = signed_in(cast.carol)
    shown = carol.get(reverse("schools:members")).content.decode()
    assert "Chas" in shown and "has not joined yet" in shown
    assert "Chas" not in carol.get(reverse("classrooms:concern")).content.decode()


def test_an_admin_who_is_only_invited_leaves_no_school_without_one(cast: Cast) -> None:
    services.invite(school=cast.carol.school, email="zoe@riverside.example", name="Zoe", role=Role.ADMIN)
    with pytest.raises(services.MembershipRefused):
        services.remove_member(membership=cast.carol)


def test_an_invitation_of_others_is_not_found(cast: Cast, invited: Membership) -> None:
    for stranger in (cast.chloe,):
        client = signed_in(stranger)
        assert client.get(join(invited)).status_code == client.post(join(invited)).status_code == 404
    assert Client().post(join(invited)).headers["Location"].startswith("/accounts/login/")
    invited.refresh_from_db()
    assert invited.invited_at is not None


def test_without_any_school_the_invitation_is_on_the_page(cast: Cast, invited: Membership) -> None:
    cast.charlie.delete()
    charlie = signed_in(cast.charlie)
    page = charlie.get(LIST)
    assert page.status_code == 403 and join(invited) in page.content.decode()
    assert charlie.get(join(invited)).status_code == 200
    assert charlie.post(join(invited), follow=True).context["member"] == invited


def test_a_newcomer_reads_what_joining_means_before_the_password(cast: Cast) -> None:
    from accounts import invitations

    zoe = services.invite(school=cast.carol.school, email="zoe@riverside.example", name="Zoe", role=Role.ADMIN)
    client = Client()
    page = client.get(invitations.link(zoe), follow=True).content.decode()
    for words in ("What joining means", "You manage the library", "Save the password and join Riverside"):
        assert words in page
    zoe.refresh_from_db()
    assert zoe.invited_at is not None
