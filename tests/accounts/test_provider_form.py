"""What operators may write down as a school's provider."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from accounts.models import GOOGLE, MICROSOFT, IdentityProvider
from accounts.single_sign_on.forms import PERSONAL_ACCOUNTS, ProviderForm
from tests.factories import Cast
from tests.issuers import SECRET, make_provider

pytestmark = pytest.mark.django_db


def filled(people: Cast, issuer: str, row: IdentityProvider | None = None, **more: Any) -> ProviderForm:
    values = {
        "school": people.alice.school_id,
        "name": "SchoolID",
        "issuer": issuer,
        "client_id": "lectern",
        "new_secret": "a secret",
        "domains": "Riverside.example, sub.riverside.example",
        "is_active": "on",
    }
    return ProviderForm(values | more, instance=row)


@pytest.mark.parametrize(
    "issuer",
    [
        GOOGLE,
        f"{MICROSOFT}{UUID(int=7)}/v2.0",
        " https://id.example.org/realms/school ",
        "https://keycloak/realms/school",
    ],
)
def test_a_provider_is_written_down(people: Cast, issuer: str) -> None:
    form = filled(people, issuer)
    assert form.is_valid(), form.errors
    row = form.save()
    row.refresh_from_db()
    assert row.issuer == issuer.strip() and row.domains == ["riverside.example", "sub.riverside.example"]
    assert row.open_secret() == "a secret" and "a secret" not in row.secret


@pytest.mark.parametrize(
    "issuer",
    [
        "",
        "id.example.org",
        "http://id.example.org",
        f"{MICROSOFT}common/v2.0",
        f"{MICROSOFT}organizations/v2.0",
        f"{MICROSOFT}{PERSONAL_ACCOUNTS}/v2.0",
        f"{MICROSOFT}{UUID(int=7)}/v2.0/more",
        f"{MICROSOFT}{UUID(int=7)}",
    ],
)
def test_an_issuer_that_anybody_could_speak_for_is_refused(people: Cast, issuer: str) -> None:
    assert set(filled(people, issuer).errors) == {"issuer"}


@pytest.mark.parametrize("domains", ["", "@riverside.example", "riverside", "*.example"])
def test_what_is_no_domain_is_refused(people: Cast, domains: str) -> None:
    assert set(filled(people, GOOGLE, domains=domains).errors) == {"domains"}


def test_the_secret_is_kept_if_none_is_written(people: Cast, settings: Settings) -> None:
    settings.LECTERN_FETCH_LOOPBACK = True
    assert set(filled(people, GOOGLE, new_secret="").errors) == {"new_secret"}
    row = make_provider(people.alice.school, "https://id.example")
    form = filled(people, row.issuer, row, new_secret="", school=people.charlie.school_id)
    assert form.initial["domains"] == "riverside.example" and SECRET not in str(form)
    assert form.is_valid(), form.errors
    saved = form.save()
    assert saved.open_secret() == SECRET and saved.school == people.alice.school
