"""Platforms: registered by operators in Django admin, switched by the school, and never with their secrets."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from lti.models import GradePassback, Platform, PupilIdentity, ResourceLink, TeacherIdentity
from privacy.exporting import is_exported
from schools.models import AuditEntry, School, User
from tests.factories import Cast, signed_in
from tests.lti.simulator import Simulator, go, make_platform, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    return client


def typed(school: School, url: str, **changes: Any) -> dict[str, Any]:
    return {
        "school": school.pk,
        "name": "Moodle",
        "issuer": url,
        "client_id": "abc",
        "deployment_ids": " 3 \n4\n3\n",
        "authorization_endpoint": f"{url}/authorize",
        "token_endpoint": f"{url}/token",
        "keys_url": f"{url}/keys",
        "token_audience": "",
        "is_active": "on",
        **changes,
    }


ADD = "/admin/lti/platform/add/"


def change(platform: Platform) -> str:
    return reverse("admin:lti_platform_change", args=[platform.pk])


def actions() -> list[str]:
    return list(AuditEntry.objects.filter(action__startswith="lti.").order_by("pk").values_list("action", flat=True))


def test_an_operator_registers_a_platform(people: Cast, sim: Simulator, operator: Client) -> None:
    school = people.alice.school
    said = words(operator.post(ADD, typed(school, sim.url), follow=True))
    assert "its keys can be read" in said
    platform = Platform.objects.get()
    assert (platform.school, platform.deployment_ids, platform.is_on) == (school, ["3", "4"], True)
    page = words(operator.get(change(platform)))
    for name in ("login", "launch", "launch-to-choose", "keys"):
        assert f"http://testserver{reverse(f'lti:{name}', args=[platform.pk])}" in page
    assert platform.key not in page and "PRIVATE KEY" not in page
    changes = {"name": "New", "client_id": "other", "keys_url": f"{sim.url}/none"}
    sent = typed(people.charlie.school, "https://evil.example", **changes)
    assert "does not work yet" in words(operator.post(change(platform), sent, follow=True))
    changed = Platform.objects.get()
    assert (changed.name, changed.school, changed.issuer, changed.client_id) == ("New", school, sim.url, "abc")
    assert changed.key == platform.key
    data = {"action": "make_new_key", "_selected_action": [platform.pk]}
    operator.post("/admin/lti/platform/", data)
    assert Platform.objects.get().key != platform.key
    operator.post(reverse("admin:lti_platform_delete", args=[platform.pk]), {"post": "yes"})
    assert not Platform.objects.exists()
    assert actions() == ["lti.added", "lti.changed", "lti.changed", "lti.removed"]
    assert set(AuditEntry.objects.filter(action__startswith="lti.").values_list("school", flat=True)) == {school.pk}


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "http://moodle.example"},
        {"issuer": ""},
        {"keys_url": "http://192.0.2.7/keys"},
        {"token_endpoint": "ftp://moodle.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"deployment_ids": " \n "},
        {"deployment_ids": "x" * 256},
        {"client_id": ""},
        {"client_id": "taken"},
    ],
)
def test_a_platform_that_is_not_taken(people: Cast, sim: Simulator, operator: Client, changes: dict[str, str]) -> None:
    """Also one that another school has registered."""
    make_platform(people.charlie.school, sim.url, client_id="taken")
    response = operator.post(ADD, typed(people.alice.school, sim.url, **changes))
    assert response.status_code == 200 and Platform.objects.count() == 1


def test_nobody_else_registers_one(people: Cast, sim: Simulator) -> None:
    for client in (Client(), signed_in(people.alice), signed_in(people.carol)):
        assert client.post(ADD, typed(people.alice.school, sim.url)).status_code == 302
    assert not Platform.objects.exists()


def test_the_schools_admins_see_and_switch_it(people: Cast, platform: Platform, connected: TeacherIdentity) -> None:
    make_platform(people.charlie.school, "https://moodle.hillcrest.example", name="Theirs")
    carol = signed_in(people.carol)
    assert reverse("lti:platforms") in words(carol.get(reverse("schools:signing-in")))
    page = words(carol.get(reverse("lti:platforms")))
    assert f"http://testserver{reverse('lti:login', args=[platform.pk])}" in page
    assert "Theirs" not in page and platform.key not in page
    fragment = words(carol.get(reverse("lti:platforms"), headers={"HX-Request": "true"}))
    assert "Moodle" in fragment and "<html" not in fragment
    switch = reverse("lti:switch", args=[platform.pk])
    assert signed_in(people.alice).post(switch, {"off": "1"}).status_code == 403
    assert signed_in(people.chloe).post(switch, {"off": "1"}).status_code == 404
    assert carol.post(switch, {"off": "1"}).status_code == 302 and not Platform.objects.get(pk=platform.pk).is_on
    assert "nobody can come from it" in words(carol.get(reverse("lti:platforms")))
    assert carol.post(switch, {"on": "1"}).status_code == 302 and Platform.objects.get(pk=platform.pk).is_on
    assert [e.detail for e in AuditEntry.objects.filter(action="lti.switched").order_by("pk")] == [
        {"now": "off"},
        {"now": "on"},
    ]


def test_django_admin_shows_no_secrets(sim: Simulator, link: ResourceLink, operator: Client) -> None:
    sim.opens("subject-4711", link=link.pk)
    go(Client(), sim)
    identity, grade = PupilIdentity.objects.get(), GradePassback.objects.get()
    for row in (identity, grade, link):
        for name, args in (("changelist", []), ("change", [row.pk])):
            page = operator.get(reverse(f"admin:lti_{row._meta.model_name}_{name}", args=args))
            assert page.status_code == 200
            text = words(page)
            assert identity.digest not in text and grade.sealed_subject not in text and "subject-4711" not in text


def test_no_secret_is_exported() -> None:
    names = {
        f"{model.__name__}.{field.name}"
        for model in (Platform, PupilIdentity, GradePassback)
        for field in model._meta.concrete_fields
        if not is_exported(field)
    }
    assert names == {"Platform.key", "PupilIdentity.digest", "GradePassback.sealed_subject"}
