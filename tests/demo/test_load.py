"""The demo is loaded once, wholly, and never beside schools that are not its own."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from pytest_django import Settings

from corpus.models import Status
from demo.catalogue import OPERATOR, SCHOOLS
from demo.loader import OwnSchools, load_demo
from demo.models import DemoLoad
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership, School, User
from tests.demo.killing import PASSWORD, Killed, killed_at

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_load_that_ends_before_the_documents_are_indexed_leaves_everything_waiting() -> None:
    killed_at("0 of 16")
    waiting = [*PersonalDocument.objects.all(), *SchoolDocument.objects.all()]
    assert {document.status for document in waiting} == {Status.QUEUED}
    assert DemoLoad.objects.get().finished_at is None


def test_two_loaders_at_once_make_one_demo() -> None:
    def run(number: int) -> None:
        try:
            killed_at("0 of 16")
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))
    assert School.objects.count() == 2
    assert PersonalDocument.objects.count() + SchoolDocument.objects.count() == 16


def test_everybody_can_sign_in_and_has_their_role() -> None:
    killed_at("0 of 16")
    people = {person["email"]: person for school in SCHOOLS for person in school["people"]}
    assert {user.email for user in User.objects.all()} == {*people, OPERATOR["email"]}
    for email in (*people, OPERATOR["email"]):
        assert Client().login(username=email, password=PASSWORD), email
    for membership in Membership.objects.select_related("user"):
        assert membership.is_admin == people[membership.user.email].get("is_admin", False)
    operator = User.objects.get(email=OPERATOR["email"])
    assert operator.is_superuser
    assert not operator.memberships.exists()


def test_an_installation_with_schools_of_its_own_is_left_alone() -> None:
    School.objects.create(name="Elm Grove", slug="elm-grove")
    with pytest.raises(OwnSchools):
        load_demo(password=PASSWORD, say=print)
    output = StringIO()
    call_command("load_demo", stdout=output)
    assert "schools of its own" in output.getvalue()
    assert School.objects.count() == 1
    assert not User.objects.exists()
    assert not DemoLoad.objects.exists()


def test_a_school_that_happens_to_have_a_demo_schools_name_is_not_touched() -> None:
    School.objects.create(name=SCHOOLS[0]["name"], slug=SCHOOLS[0]["slug"])
    with pytest.raises(OwnSchools):
        load_demo(password=PASSWORD, say=print)
    assert not PersonalDocument.objects.exists()


def test_the_password_is_that_of_the_settings(settings: Settings) -> None:
    settings.LECTERN_DEMO_PASSWORD = PASSWORD
    with pytest.raises(Killed):
        call_command("load_demo", stdout=Terminal())
    assert Client().login(username="teacher@riverside.example", password=PASSWORD)


class Terminal(StringIO):
    """Ends the process as soon as something is written to it."""

    def write(self, text: str) -> int:
        raise Killed
