"""Django admin, where the operator looks at all records: our name, and nested values that people can read (S4)."""

import re
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from chatbots.models import Message, PromptRecord
from schools.audit.models import AuditEntry
from schools.models import User
from schools.readable import render_value
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    return client


@pytest.fixture
def message(cast: Cast) -> Message:
    document = personal_document(cast.alice)
    message = make_message(
        cast.alice, make_chatbot(cast.alice, personal=[document]), "How strong is the acid for year 9?"
    )
    PromptRecord.objects.create(
        school=cast.alice.school,
        message=message,
        answerer="Some model",
        turns=[
            {"role": "system", "content": "Answer <b>only</b>\nfrom the sources."},
            {"role": "user", "content": "Why?"},
        ],
    )
    return message


def text(client: Client, row: Any) -> str:
    url = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    response = client.get(url)
    assert response.status_code == 200, url
    return re.sub(r"\s+", " ", response.content.decode())


def test_it_has_our_name_and_style(operator: Client) -> None:
    page = operator.get(reverse("admin:index")).content.decode()
    assert "css/admin.css" in page
    assert re.search(r'<div id="site-name"><a href="/admin/">Lectern ', page)
    assert "Django administration" not in page
    assert "All records of this installation" in page


def test_a_message_shows_its_prompt_and_sources(operator: Client, message: Message) -> None:
    page = text(operator, message)
    assert "<h4>System</h4>" in page
    assert "Answer &lt;b&gt;only&lt;/b&gt; from the sources." in page
    source = message.sources.all()[0]
    assert source.excerpt.split()[0] in page
    shown = re.findall(r'<div class="readonly">(.*?)</div>', page)
    assert len(shown) > 20
    assert [value for value in shown if re.search(r"^\s*[\[{]", value)] == []
    assert "<h4>User</h4>" in text(operator, message.prompt_record)
    assert '<ol class="readable">' in text(operator, source)  # its headings


def test_every_record_can_be_opened(operator: Client, message: Message) -> None:
    for model in admin.site._registry:
        if row := model._base_manager.first():
            text(operator, row)
        listed = operator.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        assert listed.status_code == 200, model


def test_every_heading_is_a_plural(db: None) -> None:
    plurals = [str(model._meta.verbose_name_plural) for model in admin.site._registry]
    assert "concept progress" in plurals
    assert [one for one in plurals if re.search(r"(ss|[^aeiou]y|x|ch|sh)s$|progresss", one)] == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([], "–"),
        (None, "–"),
        (0, "0"),
        (True, "yes"),
        (0.123456, "0.1235"),
        ("a < b", "a &lt; b"),
        ({"to_search": [1, "x"]}, "to search1x"),
        ([{"role": "user", "content": "Why?"}], "UserWhy?"),
    ],
)
def test_values_are_read_as_text(value: Any, shown: str) -> None:
    assert re.sub(r"<[^>]+>", "", render_value(value)) == shown


def test_a_new_password_is_chosen_on_the_page_of_the_account(operator: Client) -> None:
    """Django admin’s own page limits no guesses, keeps tokens, tells nobody and records nothing."""
    for response in (operator.get("/admin/password_change/"), operator.post("/admin/password_change/", {})):
        assert response.headers["Location"] == reverse("account_change_password")


def test_what_operators_do_to_members_is_in_the_log_of_the_school(operator: Client, cast: Cast) -> None:
    page = reverse("admin:schools_membership_change", args=[cast.bob.pk])
    form = {"user": cast.bob.user_id, "school": cast.bob.school_id, "role": "admin", "known_as": "Bob"}
    assert operator.post(page, form).status_code == 302
    assert (
        operator.post(reverse("admin:schools_membership_delete", args=[cast.bob.pk]), {"post": "yes"}).status_code
        == 302
    )
    added = {"user": cast.charlie.user_id, "school": cast.bob.school_id, "role": "teacher", "known_as": ""}
    assert operator.post(reverse("admin:schools_membership_add"), added).status_code == 302
    entries = AuditEntry.objects.filter(school=cast.bob.school_id).order_by("at")
    assert [(entry.action, entry.subject_id) for entry in entries if entry.action.startswith("member.")] == [
        ("member.role_changed", str(cast.bob.user_id)),
        ("member.removed", str(cast.bob.user_id)),
        ("member.added", str(cast.charlie.user_id)),
    ]
    assert {entry.actor_name for entry in entries} == {"An operator"}


def test_what_operators_do_to_a_school_is_in_its_log(operator: Client, cast: Cast) -> None:
    school = cast.bob.school
    form = {"name": "Riverside High School", "slug": school.slug, "memberships-TOTAL_FORMS": "3"}
    rows: list[tuple[Any, dict[str, Any]]] = [
        (cast.alice.pk, {"user": cast.alice.user_id, "role": "admin"}),
        (cast.bob.pk, {"user": cast.bob.user_id, "role": "teacher", "DELETE": "on"}),
        ("", {"user": cast.charlie.user_id, "role": "teacher"}),
    ]
    for number, (pk, fields) in enumerate(rows):
        own = {"id": pk, "school": school.pk, "known_as": "", **fields}
        form |= {f"memberships-{number}-{name}": value for name, value in own.items()}
    form["memberships-INITIAL_FORMS"] = "2"
    answer = operator.post(reverse("admin:schools_school_change", args=[school.pk]), form)
    assert answer.status_code == 302
    entries = AuditEntry.objects.filter(school=school, actor_name="An operator")
    assert {(entry.action, entry.subject_id) for entry in entries} == {
        ("school.settings_changed", ""),
        ("member.role_changed", str(cast.alice.user_id)),
        ("member.removed", str(cast.bob.user_id)),
        ("member.added", str(cast.charlie.user_id)),
    }
