"""The operator deletes a school, or a person, with all they have; nothing of anybody else is touched (S2, S4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import Model
from django.db.models.signals import pre_delete
from django.test import Client
from django.urls import reverse

from knowledge.models import PersonalDocument, PersonalVersion
from school_library.models import SchoolVersion
from schools import deletion
from schools.models import Membership, School, User
from tests.factories import finish_answers, make_chatbot, make_message, make_token, personal_document, school_document
from tests.guards.test_tenant_columns import school_owned
from tests.guards.world import World
from tests.learning.plans import make_plan

pytestmark = pytest.mark.django_db

Committed = Callable[..., Any]


@pytest.fixture
def both(world: World) -> World:
    """The other school has something of each kind too, and Alice teaches there as well."""
    people = world.people
    there = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    for member in (people.charlie, there):
        own, library = personal_document(member), school_document(people.chloe, text=f"# Rules\n\n{member.pk}\n")
        make_message(member, make_chatbot(member, personal=[own], school=[library]), "How strong is it?")
        make_plan(member, "Acids", "Bases")
        make_token(member)
    finish_answers()
    assert world.teacher_identity.provider.links.exists()
    return world


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    return client


def list_rows(school: School) -> dict[str, list[Any]]:
    """All rows of a school, with all their values."""
    found = {model._meta.label: model._base_manager.filter(school=school).order_by("pk") for model in school_owned()}
    return {label: list(rows.values()) for label, rows in found.items() if rows}


def list_files(school: School) -> list[str]:
    versions = (model.objects.filter(school=school) for model in (PersonalVersion, SchoolVersion))
    return [path for rows in versions for path in rows.values_list("file", flat=True)]


def page(row: Model, name: str = "delete") -> str:
    return reverse(f"admin:schools_{row._meta.model_name}_{name}", args=[row.pk])


def test_the_operator_sees_how_much_it_is(both: World, operator: Client) -> None:
    school = both.people.alice.school
    seen = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", operator.get(page(school)).content.decode())).lower()
    for words in (
        "personal documents: 2",
        "school documents: 2",
        "chatbots: 4",
        "collaborators: 2",
        "conversations: ",
        "messages: ",
    ):
        assert words in seen, words
    assert "the accounts of its members stay" in seen
    assert re.search(r"stored files \([\d.]+\W(?:bytes|kb)\): 4\b", seen)
    assert School.objects.filter(pk=school.pk).exists()
    extent = deletion.measure_extent([school])
    assert (len(extent.files), extent.size) == (4, sum(map(default_storage.size, list_files(school))))


def test_a_school_goes_with_all_it_has_and_no_other(
    both: World, operator: Client, django_capture_on_commit_callbacks: Committed
) -> None:
    school, other = both.people.alice.school, both.people.charlie.school
    gone, kept, before = list_files(school), list_files(other), list_rows(other)
    assert (len(gone), len(kept)) == (4, 4)
    assert len(list_rows(school)) > 15
    with django_capture_on_commit_callbacks(execute=True):
        assert operator.post(page(school), {"post": "yes"}).status_code == 302
    connection.check_constraints()
    assert not School.objects.filter(pk=school.pk).exists()
    assert list_rows(school) == {}
    assert list_rows(other) == before
    assert [path for path in gone if default_storage.exists(path)] == []
    assert [path for path in kept if not default_storage.exists(path)] == []
    assert not default_storage.exists(str(school.pk))
    assert User.objects.filter(pk=both.people.bob.user_id).exists()  # accounts stay


def test_a_person_goes_with_all_they_have_in_every_school(
    both: World, operator: Client, django_capture_on_commit_callbacks: Committed
) -> None:
    alice, people = both.people.alice.user, both.people
    own = list(PersonalVersion.objects.filter(document__owner=alice).values_list("file", flat=True))
    library = list(SchoolVersion.objects.values_list("file", flat=True))
    assert (len(own), len(library)) == (3, 4)
    assert f'"{page(alice)}"' in operator.get(page(alice, "change")).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert operator.post(page(alice), {"post": "yes"}).status_code == 302
    connection.check_constraints()
    assert not User.objects.filter(pk=alice.pk).exists()
    assert [path for path in own if default_storage.exists(path)] == []
    assert [path for path in library if not default_storage.exists(path)] == []
    assert set(PersonalDocument.objects.values_list("owner", flat=True)) == {people.charlie.user_id}
    for model in school_owned():
        for field in model._meta.concrete_fields:
            if field.related_model is User:
                assert not model._base_manager.filter(**{field.name: alice.pk}).exists(), (model, field)


def test_several_are_deleted_from_the_list(
    both: World, operator: Client, django_capture_on_commit_callbacks: Committed
) -> None:
    schools = list(School.objects.all())
    files = [path for school in schools for path in list_files(school)]
    data = {"action": "delete_selected", "_selected_action": [school.pk for school in schools]}
    listed = operator.post(reverse("admin:schools_school_changelist"), data).content.decode()
    assert "Hillcrest" in listed
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(reverse("admin:schools_school_changelist"), data | {"post": "yes"})
    connection.check_constraints()
    assert not School.objects.exists()
    assert [path for path in files if default_storage.exists(path)] == []


def test_a_file_that_another_row_names_stays(
    both: World, operator: Client, django_capture_on_commit_callbacks: Committed
) -> None:
    school, other = both.people.alice.school, both.people.charlie.school
    shared = list_files(school)[0]
    PersonalVersion.objects.filter(school=other, document__owner=both.people.charlie.user).update(file=shared)
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(page(school), {"post": "yes"})
    assert default_storage.exists(shared)


def test_nobody_else_may(both: World, operator: Client) -> None:
    staff = User.objects.create_user("staff@lectern.example", "x", name="Staff", is_staff=True)
    for user in (staff, both.people.carol.user, both.people.chloe.user):
        client = Client()
        client.force_login(user)
        for row in (both.people.alice.school, both.people.bob.user):
            for answer in (client.get(page(row)), client.post(page(row), {"post": "yes"})):
                assert answer.status_code in (302, 403)
    assert School.objects.count() == 2
    assert User.objects.filter(pk=both.people.bob.user_id).exists()


def test_operators_do_not_delete_themselves(operator: Client) -> None:
    oneself = User.objects.get(email="operator@lectern.example")
    assert operator.post(page(oneself), {"post": "yes"}).status_code == 403
    data = {"action": "delete_selected", "_selected_action": [oneself.pk], "post": "yes"}
    refused = operator.post(reverse("admin:schools_user_changelist"), data)
    assert "the account with which you are signed in" in refused.content.decode()
    assert User.objects.filter(pk=oneself.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_what_is_written_meanwhile_stops_it(both: World, operator: Client) -> None:
    """A row that points to a deleted one is found when the transaction commits: then all of it is undone."""
    alice, school, plan = both.people.alice.user, both.people.alice.school, both.plan

    def write(**_: Any) -> None:
        plan.concepts.create(school_id=plan.school_id, name="Late", position=99)

    before, files = list_rows(school), list_files(school)
    pre_delete.connect(write, sender=User)
    try:
        answer = operator.post(page(alice), {"post": "yes"}, follow=True)
    finally:
        pre_delete.disconnect(write, sender=User)
    said = [str(message) for message in answer.context["messages"]]
    assert said == ["Nothing was deleted: something that belongs to it was being written. Please try again."]
    assert list_rows(school) == before
    assert [path for path in files if not default_storage.exists(path)] == []
