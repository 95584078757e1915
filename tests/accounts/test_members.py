"""Admins keep the list of members: who belongs, who joins, in which role, and who leaves (S1, S3)."""

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import IdentityProvider
from chatbots.models import Chatbot
from knowledge.models import PersonalDocument
from schools import services
from schools.models import Membership, Role, School, User
from tests.accounts.codes import give_app
from tests.factories import (
    PASSWORD,
    Cast,
    make_chatbot,
    make_member,
    personal_document,
    school_document,
    signed_in,
)
from tests.running import free_port

pytestmark = pytest.mark.django_db
MEMBERS, ADD = reverse("schools:members"), reverse("schools:add-member")
NEW = {"email": "Zoe@Riverside.example", "name": "Zoe Quill", "role": "teacher"}


@pytest.fixture
def carol(cast: Cast) -> Client:
    return signed_in(cast.carol)


def text(client: Client, url: str) -> str:
    return re.sub(r"\s+", " ", client.get(url).content.decode())


def get_role_url(member: Membership) -> str:
    return reverse("schools:change-role", args=[member.user_id])


def get_removal_url(member: Membership) -> str:
    return reverse("schools:remove-member", args=[member.user_id])


def test_the_list_says_who_they_are(cast: Cast, carol: Client) -> None:
    page = text(carol, MEMBERS)
    for name in ("Alice", "Bob", "Carol"):
        assert name in page
        assert f"{name.lower()}@riverside.example" in page
    assert page.count(f"{timezone.now():%Y}</time></li>") == 3
    assert "School admin</span>" in page
    assert "Charlie" not in page
    assert "hillcrest" not in page


def test_a_sign_in_for_another_school_is_not_told(cast: Cast, carol: Client) -> None:
    before = text(carol, MEMBERS)
    Membership.objects.create(school=cast.charlie.school, user=cast.bob.user)
    assert Client().login(email="bob@riverside.example", password=PASSWORD)
    token = re.compile(r'value="\w{64}"|: "\w{64}"')
    assert token.sub("", text(carol, MEMBERS)) == token.sub("", before)
    assert "sign-in" not in before


def test_versions_name_their_uploader_as_this_school_does(cast: Cast) -> None:
    document = school_document(cast.carol)
    page = reverse("school_library:detail", args=[document.pk])
    Membership.objects.filter(pk=cast.carol.pk).update(known_as="Caroline Reed")
    User.objects.filter(pk=cast.carol.user_id).update(name="Nickname Elsewhere")
    other = make_member(cast.carol.school, "Olga", Role.ADMIN)
    seen = text(signed_in(other), page)
    assert ("Caroline Reed" in seen, "Nickname Elsewhere" in seen) == (True, False)

    Membership.objects.create(school=cast.charlie.school, user=cast.carol.user, known_as="Of Hillcrest")
    Membership.objects.filter(pk=cast.carol.pk).delete()
    seen = text(signed_in(other), page)
    assert "a former member" in seen
    for name in ("Caroline Reed", "Nickname Elsewhere", "Of Hillcrest"):
        assert name not in seen


def test_only_admins_find_and_open_it(cast: Cast, carol: Client) -> None:
    home = reverse("chatbots:list")
    assert MEMBERS in text(carol, home)
    assert MEMBERS not in text(signed_in(cast.alice), home)
    for url in (MEMBERS, ADD, get_role_url(cast.bob), get_removal_url(cast.bob)):
        assert signed_in(cast.alice).get(url).status_code == 403
    assert signed_in(cast.alice).post(get_role_url(cast.alice), {"role": "admin"}).status_code == 403
    assert not Membership.objects.get(pk=cast.alice.pk).is_admin


def test_a_long_list_is_searched_and_turned(cast: Cast, carol: Client) -> None:
    for number in range(50):
        make_member(cast.carol.school, f"person{number:02}")
    assert text(carol, MEMBERS).count('class="row"') == 50
    assert text(carol, f"{MEMBERS}?page=2").count('class="row"') == 3
    found = text(carol, f"{MEMBERS}?words=PERSON+07%40river")
    assert (found.count('class="row"'), "Person07" in found, "1 found" in found) == (1, True, True)
    assert "Nobody found" in text(carol, f"{MEMBERS}?words=charlie")
    assert carol.get(f"{MEMBERS}?words=%00").status_code == 200


def test_a_newcomer_chooses_a_password_by_the_link_and_comes_in(cast: Cast, carol: Client) -> None:
    page = carol.post(ADD, NEW, follow=True).content.decode()
    assert "An e-mail to zoe@riverside.example says how to join." in page
    zoe = User.objects.get(email="zoe@riverside.example")
    assert (zoe.name, zoe.has_usable_password()) == ("Zoe Quill", False)
    assert zoe.memberships.get().role == Role.TEACHER

    (message,) = mail.outbox
    assert message.to == ["zoe@riverside.example"]
    assert message.subject == "[Lectern] Riverside invites you to Lectern"
    link = re.findall(r"http://testserver(\S+/invitation/\S+)", str(message.body))[0]
    browser = Client()
    form = browser.get(link, follow=True)
    secret = {"password1": "quills-and-ink-9", "password2": "quills-and-ink-9"}
    home = browser.post(form.redirect_chain[-1][0], secret, follow=True)
    assert home.context["member"].school == cast.carol.school
    assert "This invitation does not work any more" in Client().get(link, follow=True).content.decode()


def test_a_newcomer_whose_link_is_lost_asks_for_another(cast: Cast, carol: Client) -> None:
    carol.post(ADD, NEW)
    Client().post(reverse("account_reset_password"), {"email": "zoe@riverside.example"})
    assert mail.outbox[1].subject == "[Lectern] Choose a new password"


def test_an_account_of_elsewhere_is_invited_and_nobody_is_told(cast: Cast, carol: Client) -> None:
    """The page after adding a stranger's account is, word for word, the page after adding a newcomer."""
    User.objects.filter(pk=cast.charlie.user_id).update(last_login=timezone.now() - timedelta(minutes=5))
    known = {"email": "CHARLIE@hillcrest.example", "name": "Charles Brown", "role": "teacher"}
    unknown = {"email": "doriane@hillcrest.example", "name": "Doriane Black", "role": "teacher"}
    pages = []
    for person in (known, unknown):
        carol.post(ADD, person, follow=True)
        page = text(carol, f"{MEMBERS}?words={person['email']}")
        assert person["name"] in page
        pages.append(normalised(page, person))
        Membership.objects.filter(school=cast.carol.school, user__email=person["email"].lower()).delete()
    assert pages[0] == pages[1]
    assert not re.findall(r"Charlie\b", pages[0])

    carol.post(ADD, known)
    charlie = signed_in(cast.charlie)
    assert charlie.post(reverse("schools:switch"), {"school": cast.carol.school_id}).status_code == 404
    joined = charlie.post(reverse("schools:join", args=[cast.carol.school_id]), follow=True)
    assert joined.context["member"].school == cast.carol.school
    assert cast.charlie.user.check_password(PASSWORD)
    assert "password that you have already" in str(mail.outbox[0].body)
    assert "/invitation/" not in str(mail.outbox[0].body)
    assert len(mail.outbox) == 3


def normalised(page: str, person: dict[str, str]) -> str:
    """Without what differs for any two people: their name, address and ids."""
    for words in (person["email"], person["email"].lower(), person["name"]):
        page = page.replace(words, "…")
    return re.sub(r'[0-9a-f-]{36}|value="\w{64}"|: "\w{64}"|datetime="[^"]+"|\d\d:\d\d</time>', "…", page)


def test_the_answer_to_adding_is_the_same_words(cast: Cast, carol: Client) -> None:
    cast.charlie.user.is_active = False
    cast.charlie.user.save()
    people = ["zoe@riverside.example", "chloe@hillcrest.example", "charlie@hillcrest.example"]
    said = []
    for email in people:
        page = carol.post(ADD, {"email": email, "name": "Kim", "role": "teacher"}, follow=True)
        said.append([str(message).replace(email, "…") for message in page.context["messages"]])
    assert said == [["Kim is invited. An e-mail to … says how to join."]] * 3
    assert [message.to for message in mail.outbox] == [[people[0]], [people[1]]]  # none to a closed account


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"email": "ALICE@riverside.example"}, "alice@riverside.example is a member of your school already."),
        ({"email": "alice"}, "This is not an e-mail address."),
        ({"email": ""}, "Write the e-mail address"),
        ({"name": " "}, "Write the person’s name."),
        ({"role": "operator"}, "Choose one of these roles."),
        ({"name": "x" * 121}, "at most 120 characters"),
    ],
)
def test_what_cannot_be_added_is_said_and_kept(cast: Cast, carol: Client, change: dict[str, str], words: str) -> None:
    response = carol.post(ADD, NEW | change)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert Membership.objects.for_school(cast.carol.school).count() == 3
    assert User.objects.count() == 5
    assert not mail.outbox


def test_a_mail_server_that_does_not_answer_is_said(carol: Client, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    page = carol.post(ADD, NEW, follow=True).content.decode()
    assert "the e-mail to zoe@riverside.example could not be sent" in page
    assert Membership.objects.filter(user__email="zoe@riverside.example").exists()


def test_joining_a_school_does_not_move_a_person_there(cast: Cast) -> None:
    client = signed_in(cast.charlie)
    school = School.objects.create(name="Aardvark", slug="aardvark")
    services.invite(school=school, email=cast.charlie.user.email, name="C", role=Role.TEACHER)
    assert client.get(reverse("chatbots:list")).context["member"].school == cast.charlie.school


def test_a_role_changes_with_the_next_request(cast: Cast, carol: Client) -> None:
    alice = signed_in(cast.alice)
    assert "checked" in text(carol, get_role_url(cast.alice))
    page = carol.post(get_role_url(cast.alice), {"role": "admin"}, follow=True)
    assert "Alice: School admin from now on." in page.content.decode()
    assert alice.get(MEMBERS).status_code == 200
    page = alice.post(get_role_url(cast.carol), {"role": "teacher"}, follow=True)
    assert "Carol: Teacher from now on." in page.content.decode()
    assert carol.get(MEMBERS).status_code == 403


def test_an_admin_who_steps_down_is_led_to_a_page_they_may_see(cast: Cast, carol: Client) -> None:
    Membership.objects.filter(pk=cast.alice.pk).update(role=Role.ADMIN)
    page = carol.post(get_role_url(cast.carol), {"role": "teacher"}, follow=True)
    assert page.status_code == 200
    assert page.request["PATH_INFO"] == reverse("chatbots:list")


@pytest.mark.parametrize("role", ["", "operator"])
def test_an_unknown_role_is_not_taken(cast: Cast, carol: Client, role: str) -> None:
    assert carol.post(get_role_url(cast.alice), {"role": role}).status_code == 422
    assert Membership.objects.get(pk=cast.alice.pk).role == Role.TEACHER


def test_a_school_keeps_an_admin(cast: Cast, carol: Client) -> None:
    """Another admin whose account is switched off is none."""
    Membership.objects.filter(pk=cast.bob.pk).update(role=Role.ADMIN)
    User.objects.filter(pk=cast.bob.user_id).update(is_active=False)
    for url, data in ((get_role_url(cast.carol), {"role": "teacher"}), (get_removal_url(cast.carol), {})):
        response = carol.post(url, data)
        assert response.status_code == 422
        assert "Carol is the only admin of your school." in response.content.decode()
    assert Membership.objects.get(pk=cast.carol.pk).is_admin
    assert carol.post(get_role_url(cast.carol), {"role": "admin"}).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_of_two_admins_who_leave_at_once_one_stays(cast: Cast) -> None:
    for attempt in range(5):
        other = make_member(cast.carol.school, f"dora{attempt}", Role.ADMIN)
        carol = Membership.objects.get(user=cast.carol.user)
        refused = together(
            partial(services.remove_member, membership=carol),
            partial(services.change_role, membership=other, role=Role.TEACHER),
        )
        assert refused == 1
        Membership.objects.filter(school=cast.carol.school, role=Role.ADMIN).delete()
        Membership.objects.filter(user=cast.carol.user).delete()
        Membership.objects.create(school=cast.carol.school, user=cast.carol.user, role=Role.ADMIN)


def together(*acts: Callable[[], object]) -> int:
    """Run these at the same moment and say how many were refused."""
    refusals, gate = [], threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> None:
        gate.wait()
        try:
            act()
        except services.MembershipRefused as reason:
            refusals.append(reason)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return len(refusals)


@pytest.mark.django_db(transaction=True)
def test_two_schools_invite_the_same_newcomer_at_once(cast: Cast) -> None:
    refused = together(
        *[
            partial(services.invite, school=school, email="z@e.example", name="Z", role=Role.TEACHER)
            for school in (cast.carol.school, cast.chloe.school)
        ]
    )
    assert refused == 0
    assert User.objects.get(email="z@e.example").memberships.count() == 2


def test_removing_says_beforehand_what_happens(cast: Cast, carol: Client) -> None:
    page = text(carol, get_removal_url(cast.bob))
    assert "Remove Bob from Riverside?" in page
    assert "are kept, but nobody can open them" in page
    assert "They lose access at once" in page
    assert "class" not in re.sub(r'class="[^"]*"', "", page[page.index('<div id="ask">') : page.index("</main>")])
    assert "This is you" not in page
    assert "This is you" in text(carol, get_removal_url(cast.carol))
    assert Membership.objects.filter(pk=cast.bob.pk).exists()


def test_removing_says_who_can_come_back(cast: Cast, carol: Client, settings: Settings) -> None:
    assert "Have that account closed first" not in text(carol, get_removal_url(cast.bob))
    provider = IdentityProvider.objects.create(
        school=cast.bob.school, name="Google", issuer="https://id.example", client_id="1", domains=["r.example"]
    )
    assert "Have that account closed first" not in text(carol, get_removal_url(cast.bob))
    IdentityProvider.objects.filter(pk=provider.pk).update(joins=True)
    assert "Whoever has an account at Google joins Riverside alone" in text(carol, get_removal_url(cast.bob))


def test_a_reset_is_offered_for_who_has_a_factor(cast: Cast, carol: Client) -> None:
    assert "Lost phone" not in text(carol, MEMBERS)
    give_app(cast.bob)
    assert "of Bob: reset how they sign in" in text(carol, MEMBERS)
    assert text(carol, MEMBERS).count("Lost phone") == 1


def test_who_is_removed_loses_everything_with_the_next_request(cast: Cast, carol: Client) -> None:
    document = personal_document(cast.alice)
    chatbot = make_chatbot(cast.alice, personal=[document])
    alice = signed_in(cast.alice)
    own = [
        reverse("chatbots:new-chat", args=[chatbot.pk]),
        reverse("knowledge:file", args=[document.pk]),
        reverse("school_library:list"),
    ]
    assert [alice.get(url).status_code for url in own] == [200, 200, 200]
    page = carol.post(get_removal_url(cast.alice), follow=True)
    assert "Alice is no longer a member of Riverside." in page.content.decode()
    for url in own:
        response = alice.get(url)
        assert (response.status_code, "You do not belong to a school" in response.content.decode()) == (
            403,
            True,
        )
    ask = alice.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": "How strong?"})
    assert (ask.status_code, chatbot.chats.count()) == (403, 0)
    assert [carol.get(url).status_code for url in own] == [404, 404, 200]
    assert Chatbot.objects.filter(pk=chatbot.pk).exists()
    assert PersonalDocument.objects.filter(pk=document.pk).exists()

    carol.post(ADD, {"email": "alice@riverside.example", "name": "Alice", "role": "teacher"})
    assert [alice.get(url).status_code for url in own] == [403, 403, 403]
    alice.post(reverse("schools:join", args=[cast.carol.school_id]))
    assert [alice.get(url).status_code for url in own] == [200, 200, 200]


def test_who_is_removed_goes_on_in_their_other_school(cast: Cast, carol: Client) -> None:
    Membership.objects.create(school=cast.charlie.school, user=cast.alice.user)
    alice = signed_in(cast.alice)
    alice.post(reverse("schools:switch"), {"school": cast.alice.school_id})
    carol.post(get_removal_url(cast.alice))
    page = alice.get(reverse("chatbots:list"))
    assert page.context["member"].school == cast.charlie.school
    again = alice.post(reverse("schools:switch"), {"school": cast.alice.school_id})
    assert again.status_code == 404


def test_an_admin_removes_themselves(cast: Cast, carol: Client) -> None:
    Membership.objects.filter(pk=cast.alice.pk).update(role=Role.ADMIN)
    assert carol.post(get_removal_url(cast.carol)).headers["Location"] == reverse("home")
    assert carol.get(MEMBERS).status_code == 403


def test_removing_twice_finds_nobody(cast: Cast, carol: Client) -> None:
    carol.post(get_removal_url(cast.bob))
    assert carol.post(get_removal_url(cast.bob)).status_code == 404


def test_people_of_other_schools_do_not_exist(cast: Cast, carol: Client) -> None:
    for url in (get_role_url(cast.charlie), get_removal_url(cast.charlie)):
        for client in (carol, signed_in(cast.alice)):
            assert client.get(url).status_code == 404
            assert client.post(url, {"role": "admin"}).status_code == 404
    assert Membership.objects.get(pk=cast.charlie.pk).role == Role.TEACHER


def test_a_person_of_two_schools_has_a_role_in_each(cast: Cast, carol: Client) -> None:
    """Carol rules in her school only, though the person is the same."""
    there = Membership.objects.create(school=cast.charlie.school, user=cast.alice.user)
    carol.post(get_role_url(cast.alice), {"role": "admin"})
    there.refresh_from_db()
    assert there.role == Role.TEACHER
    carol.post(get_removal_url(cast.alice))
    assert Membership.objects.filter(pk=there.pk).exists()
