"""The frame of every page: navigation, the school one acts in, signing in and out, and what stands in the way."""

import re
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core import mail
from django.template.loader import get_template
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from schools.models import Membership, Role, User
from tests import factories
from tests.factories import PASSWORD, Cast
from tests.template_files import find_templates

pytestmark = pytest.mark.django_db
HOME = reverse("knowledge:list")


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_header_names_school_person_and_where_one_is(cast: Cast) -> None:
    page = signed_in(cast.alice.user).get(HOME).content.decode()
    assert "Riverside" in page
    assert "alice@riverside.example" in page
    current = re.findall(r'<a href="([^"]+)"\s+aria-current="page">', page)
    assert current == [reverse("knowledge:list")]
    for name in ("chatbots:list", "school_library:list", "account_change_password"):
        assert f'href="{reverse(name)}"' in page
    assert f'action="{reverse("account_logout")}"' in page


def test_only_operators_are_led_to_django_admin(cast: Cast) -> None:
    assert reverse("admin:index") not in signed_in(cast.alice.user).get(HOME).content.decode()
    cast.alice.user.is_staff = True
    cast.alice.user.save()
    assert reverse("admin:index") in signed_in(cast.alice.user).get(HOME).content.decode()


OF_SCHOOL = {
    "schools:members": "Members",
    "chatbots:school-usage": "Usage",
    "chatbots:question-log": "Question log",
    "chatbots:school-gaps": "Unanswered topics",
    "classrooms:school": "Classes",
    "references:topics": "Approved pages",
    "references:index": "Sources",
    "schools:signing-in": "Signing in",
    "audit:list": "Audit log",
}


def pages_of_school(page: str) -> dict[str, str]:
    """What the second navigation of this page leads to, by address."""
    found = re.search(r'<nav class="pages-of-school".*?</nav>', page, re.DOTALL)
    return dict(re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', found[0])) if found else {}


@pytest.mark.needs("classrooms", "references")
def test_admins_reach_all_of_their_school_from_every_page_of_it(cast: Cast) -> None:
    admin = signed_in(cast.carol.user)
    for name in (*OF_SCHOOL, "schools:add-member", "references:add-topic", "references:archives"):
        page = admin.get(reverse(name)).content.decode()
        assert pages_of_school(page) == {reverse(one): words for one, words in OF_SCHOOL.items()}, name
        current = re.findall(r'<a href="([^"]+)"\s+aria-current="\w+">', page)
        assert current[0] == reverse("schools:members"), name
        if name in OF_SCHOOL:
            assert current[1:] == [reverse(name)]


@pytest.mark.needs("classrooms", "references")
def test_others_are_not_led_there(cast: Cast) -> None:
    teacher, admin = signed_in(cast.alice.user), signed_in(cast.carol.user)
    for name in OF_SCHOOL:
        assert teacher.get(reverse(name)).status_code == 403
    for client, url in (
        (teacher, reverse("references:archives")),
        (teacher, HOME),
        (admin, HOME),
        (admin, reverse("schools:tokens")),
        (admin, reverse("chatbots:list")),
        (admin, "/nowhere/"),
        (Client(), reverse("account_login")),
    ):
        assert pages_of_school(client.get(url).content.decode()) == {}, url
    assert reverse("schools:members") not in teacher.get(HOME).content.decode()


def test_people_and_figures_have_a_page_each(cast: Cast) -> None:
    admin = signed_in(cast.carol.user)
    people, figures = (admin.get(reverse(name)).content.decode() for name in list(OF_SCHOOL)[:2])
    assert ("alice@riverside.example" in people, 'id="school-usage"' in people) == (True, False)
    assert ("alice@riverside.example" in figures, 'id="school-usage"' in figures) == (False, True)
    part = admin.get(reverse("chatbots:school-usage"), {"days": "7"}, headers={"HX-Request": "true"}).content.decode()
    assert ("The last 7 days" in part, "<html" in part) == (True, False)


def test_a_person_of_one_school_is_offered_no_switch(cast: Cast) -> None:
    assert reverse("schools:switch") not in signed_in(cast.alice.user).get(HOME).content.decode()


def test_a_person_of_two_schools_switches_and_sees_the_other(cast: Cast) -> None:
    Membership.objects.create(school=cast.charlie.school, user=cast.alice.user)
    client = signed_in(cast.alice.user)
    first = client.get(HOME)
    assert f'action="{reverse("schools:switch")}"' in first.content.decode()
    now, other = first.context["member"], next(iter(first.context["other_memberships"]))
    assert {now.school.name, other.school.name} == {"Riverside", "Hillcrest"}
    client.post(reverse("schools:switch"), {"school": other.school_id})
    second = client.get(HOME)
    assert second.context["member"].school == other.school
    assert f"You are now in {other.school.name}." in second.content.decode()


def test_a_person_without_a_school_is_told_what_to_do(cast: Cast) -> None:
    user = User.objects.create_user("new@riverside.example", "secret-and-long", name="New")
    response = signed_in(user).get(HOME)
    assert response.status_code == 403
    assert "ask its admin" in response.content.decode()
    assert reverse("account_logout") in response.content.decode()


@pytest.mark.parametrize("member", [None, "alice"])
def test_what_is_not_there_is_said_plainly(cast: Cast, member: str | None) -> None:
    client = signed_in(cast.alice.user) if member else Client()
    response = client.get("/nothing/of/the/kind/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_a_refusal_says_who_may(cast: Cast) -> None:
    response = signed_in(cast.alice.user).get(reverse("school_library:upload"))
    assert response.status_code == 403
    assert "Only admins of your school can" in response.content.decode()


def test_the_page_for_faults_needs_nothing_but_itself() -> None:
    page = get_template("500.html").render({})
    assert "Something went wrong on our side" in page
    assert "{" not in page


def test_a_stale_form_is_explained(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.alice.user)
    response = client.post(reverse("knowledge:upload"), {})
    assert response.status_code == 403
    assert "Please try again" in response.content.decode()


def test_a_form_opened_for_one_school_is_refused_in_the_other(cast: Cast) -> None:
    Membership.objects.filter(pk=cast.alice.pk).update(role=Role.ADMIN)
    hillcrest = Membership.objects.create(school=cast.charlie.school, user=cast.alice.user, role=Role.ADMIN)
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.alice.user)

    def token() -> str:
        (found,) = set(re.findall(r'"X-CSRFToken": "(\w+)"', client.get(HOME).content.decode()))
        return str(found)

    old, add = token(), reverse("schools:add-member")
    client.post(reverse("schools:switch"), {"school": hillcrest.school_id, "csrfmiddlewaretoken": old})
    assert client.get(HOME).context["member"] == hillcrest
    person = {"email": "zoe@riverside.example", "name": "Zoe", "role": "teacher"}
    refused = client.post(add, person | {"csrfmiddlewaretoken": old})
    assert refused.status_code == 403
    assert "switched schools in another tab. Nothing was saved." in refused.content.decode()
    assert not User.objects.filter(email=person["email"]).exists()
    assert client.post(add, person | {"csrfmiddlewaretoken": token()}).status_code == 302


def test_far_too_many_files_are_explained(cast: Cast, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 1
    files = [factories.make_file("# 1", "1.md"), factories.make_file("# 2", "2.md")]
    response = signed_in(cast.alice.user).post(reverse("knowledge:upload"), {"files": files})
    assert response.status_code == 400
    assert "too many files at once" in response.content.decode()


def test_the_sign_in_page_speaks_our_words() -> None:
    page = Client().get(reverse("account_login")).content.decode()
    assert "chatbots that answer only from sources their school trusts, and show where every answer comes from" in page
    assert re.findall(r"<label[^>]*>([^<]+)</label>", page) == ["E-mail address", "Password"]
    assert "<span>Keep me signed in on this device</span>" in page
    assert f'<a href="{reverse("account_reset_password")}">Forgot your password?</a>' in page
    assert "placeholder" not in page


def test_signing_in_and_out(cast: Cast) -> None:
    client = Client()
    assert client.get(HOME).headers["Location"] == f"{reverse('account_login')}?next={HOME}"
    wrong = client.post(reverse("account_login"), {"login": "alice@riverside.example", "password": "wrong"})
    assert 'class="notice warn' in wrong.content.decode()
    data = {"login": "ALICE@riverside.example", "password": PASSWORD, "next": HOME}
    assert client.post(reverse("account_login"), data).headers["Location"] == HOME
    assert "Sign out?" in client.get(reverse("account_logout")).content.decode()
    assert client.get(HOME).status_code == 200
    client.post(reverse("account_logout"))
    assert client.get(HOME).status_code == 302


def test_nobody_signs_up_on_their_own() -> None:
    data = {"email": "stranger@example.org", "password1": "long-and-secret-1"}
    assert "Accounts are created for you" in Client().get(reverse("account_signup")).content.decode()
    Client().post(reverse("account_signup"), data)
    assert not User.objects.filter(email="stranger@example.org").exists()


def test_a_forgotten_password_is_chosen_anew_by_the_link_in_a_mail(cast: Cast, settings: Settings) -> None:
    client = Client()
    client.post(reverse("account_reset_password"), {"email": "alice@riverside.example"})
    (message,) = mail.outbox
    assert message.subject == "[Lectern] Choose a new password"
    (link,) = re.findall(r"http://testserver(\S+)", str(message.body).split("Lectern at")[0])
    form = client.get(link, follow=True)
    assert "Choose a new password" in form.content.decode()
    data = {"password1": "another-long-secret", "password2": "another-long-secret"}
    done = client.post(form.redirect_chain[-1][0], data, follow=True)
    assert "Your new password is saved" in done.content.decode()
    assert client.login(email="alice@riverside.example", password="another-long-secret")
    again = Client().get(link, follow=True)
    assert "This link no longer works" in again.content.decode()


def test_a_mail_to_an_unknown_address_does_not_tell_the_page(cast: Cast) -> None:
    known = Client().post(reverse("account_reset_password"), {"email": "alice@riverside.example"}, follow=True)
    unknown = Client().post(reverse("account_reset_password"), {"email": "nobody@example.org"}, follow=True)
    strip = re.compile(r'csrfmiddlewaretoken" value="\w+"|X-CSRFToken": "\w+"')
    assert strip.sub("", known.content.decode()) == strip.sub("", unknown.content.decode())
    assert mail.outbox[1].subject == "[Lectern] There is no account with this address"


@pytest.mark.parametrize(
    "name",
    [
        "account_login",
        "account_signup",
        "account_reset_password",
        "account_reset_password_done",
        "account_inactive",
    ],
)
def test_account_pages_stand_in_our_frame(name: str) -> None:
    page = Client().get(reverse(name)).content.decode()
    assert 'class="skip"' in page
    assert "css/tokens.css" in page


def test_changing_the_password_keeps_one_signed_in(cast: Cast) -> None:
    client = signed_in(cast.alice.user)
    new = {"oldpassword": PASSWORD, "password1": "another-long-secret", "password2": "another-long-secret"}
    client.post(reverse("account_change_password"), new)
    assert client.get(HOME).status_code == 200
    assert Client().login(email="alice@riverside.example", password="another-long-secret")


def test_pages_keep_to_the_content_security_policy(cast: Cast) -> None:
    """No inline style, script or handler: the browser would refuse them."""
    factories.personal_document(cast.alice)
    factories.school_document(cast.carol)
    for url in ("knowledge:list", "school_library:list", "school_library:upload", "account_change_password"):
        response: Any = signed_in(cast.carol.user).get(reverse(url))
        page = response.content.decode()
        assert not re.findall(r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=", page)
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]


def test_everything_a_page_links_from_static_is_there(cast: Cast) -> None:
    page = signed_in(cast.alice.user).get(HOME).content.decode()
    paths = re.findall(r'(?:href|src)="/static/([^"]+)"', page)
    assert len(paths) > 6
    assert [path for path in paths if not finders.find(path)] == []


def test_every_icon_that_is_used_is_drawn(settings: Settings) -> None:
    drawn = set(re.findall(r'id="i-(\w+)"', get_template("_icons.html").render({})))
    templates = find_templates()
    used = {name for path in templates for name in re.findall(r'_icon\.html" with name="(\w+)"', path.read_text())}
    assert used
    assert used - drawn == set()


def test_no_comment_of_a_template_is_shown() -> None:
    """One in `{# #}` must end on its line; otherwise it stands on the page."""
    for template in find_templates():
        for number, line in enumerate(template.read_text().splitlines(), start=1):
            assert line.count("{#") == line.count("#}"), f"{template}:{number}"


def test_whoever_has_several_schools_is_told_of_them_where_nothing_is(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.alice.user)
    assert "Switch to" not in client.get("/nowhere/").content.decode()
    Membership.objects.create(school=cast.charlie.school, user=cast.alice.user)
    text = client.get("/nowhere/").content.decode()
    assert "If this belongs to another of your schools" in text
    assert "Switch to Hillcrest" in text
