"""Passkeys in a real browser with an authenticator of its own, under our security policy; and the pages around them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect

from privacy import erasing
from schools import services
from schools.models import Role, User
from tests.accounts.codes import code, give_app, give_codes, list_kinds
from tests.browser.conftest import Desk
from tests.browser.test_accessibility import faults_of_all
from tests.factories import PASSWORD, Cast

pytestmark = pytest.mark.browser
PAGE = "/accounts/signing-in/"


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """By name: browsers have no passkeys for a bare address."""
    return replace(desk, address=desk.address.replace("127.0.0.1", "localhost"))


def add_authenticator(page: Page) -> tuple[Any, str]:
    """A device that keeps passkeys, and whose owner always agrees."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    return devtools, devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def confirm(page: Page) -> None:
    page.wait_for_url(re.compile("/accounts/reauthenticate/"))
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def add_passkey(page: Page, name: str) -> None:
    page.goto(PAGE)
    page.get_by_role("link", name="Add a passkey").click()
    confirm(page)
    page.get_by_label("Name of the passkey").fill(name)
    page.get_by_role("button", name="Add it").click()


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url(re.compile("/accounts/login/"))


def sign_in_with_passkey(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()


def test_a_passkey_is_added_signs_in_alone_and_is_removed(desk: Desk, people: Cast) -> None:
    page = desk.sign_in(people.alice)
    add_authenticator(page)
    add_passkey(page, "Laptop")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    about, *codes = saved.value.path().read_text().splitlines()
    assert "alice@riverside.example" in about
    assert len(set(codes)) == 10 and saved.value.suggested_filename == "lectern-recovery-codes.txt"
    assert list_kinds(people.alice) == {"webauthn", "recovery_codes"}
    page.goto(PAGE)
    page.get_by_role("link", name="Rename… Laptop").click()
    page.get_by_label("Name of the passkey").fill("Blue laptop")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Blue laptop")).to_be_visible()
    expect(page.get_by_text("signs in on its own")).to_be_visible()

    sign_out(page)
    sign_in_with_passkey(page)
    page.wait_for_url("**/chatbots/")

    page.goto(PAGE)
    page.get_by_role("link", name="Remove… Blue laptop").click()
    confirm(page)
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("The passkey is removed.")).to_be_visible()
    assert not list_kinds(people.alice)
    sign_out(page)
    sign_in_with_passkey(page)
    expect(page.get_by_text("This passkey was not accepted.")).to_be_visible()


def test_a_passkey_is_the_second_step_after_the_password(desk: Desk, people: Cast) -> None:
    page = desk.sign_in(people.alice)
    add_authenticator(page)
    add_passkey(page, "Key")
    page.wait_for_url(re.compile("/recovery-codes/"))
    sign_out(page)
    page.fill("[name=login]", people.alice.user.email)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    page.goto("/chatbots/")
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()  # the password alone opens nothing
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url("**/chatbots/")


def test_the_passkey_of_an_erased_person_opens_nothing(desk: Desk, people: Cast) -> None:
    page = desk.sign_in(people.alice)
    add_authenticator(page)
    add_passkey(page, "Laptop")
    page.wait_for_url(re.compile("/recovery-codes/"))
    sign_out(page)
    erasing.erase_person(people.alice, asked_by=people.carol)
    assert not Authenticator.objects.exists()
    sign_in_with_passkey(page)
    expect(page.get_by_text("This passkey was not accepted.")).to_be_visible()
    page.goto("/chatbots/")
    page.wait_for_url(re.compile("/accounts/login/"))


def test_the_passkey_of_an_account_that_is_switched_off_opens_nothing(desk: Desk, people: Cast) -> None:
    page = desk.sign_in(people.alice)
    add_authenticator(page)
    add_passkey(page, "Laptop")
    page.wait_for_url(re.compile("/recovery-codes/"))
    sign_out(page)
    User.objects.filter(pk=people.alice.user_id).update(is_active=False)
    sign_in_with_passkey(page)
    expect(page.get_by_role("heading", name="This account is switched off")).to_be_visible()


def test_who_does_not_agree_is_told_and_can_try_again(desk: Desk, people: Cast) -> None:
    page = desk.sign_in(people.alice)
    devtools, device = add_authenticator(page)
    add_passkey(page, "Laptop")
    page.wait_for_url(re.compile("/recovery-codes/"))
    sign_out(page)
    devtools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    sign_in_with_passkey(page)
    expect(page.get_by_text("No passkey was used. Try again when you are ready.")).to_be_visible()
    devtools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/chatbots/")


def test_an_app_is_set_up_by_its_secret(desk: Desk, people: Cast) -> None:
    page = desk.sign_in(people.alice)
    page.goto(PAGE)
    page.get_by_role("link", name="Set up an app").click()
    confirm(page)
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    page.get_by_label("The code that the app shows now").fill(code(page.get_by_label("Or type this").input_value()))
    page.get_by_role("button", name="Switch it on").click()
    expect(page.get_by_text("They are shown only once.")).to_be_visible()


def test_axe_finds_nothing_on_the_pages(desk: Desk, people: Cast) -> None:
    give_app(people.carol)
    give_codes(people.carol)
    fake = Authenticator.objects.create(user=people.carol.user, type="webauthn", data={"name": "Key", "credential": {}})
    invited = services.invite(school=people.chloe.school, email="carol@riverside.example", name="C", role=Role.TEACHER)
    page = desk.sign_in(people.carol)
    page.goto("/accounts/recovery-codes/new/")
    confirm(page)
    key = fake.pk
    mine = [
        PAGE,
        "/accounts/recovery-codes/",
        "/accounts/recovery-codes/new/",
        "/accounts/app/remove/",
        f"/accounts/passkeys/{key}/rename/",
        f"/accounts/passkeys/{key}/remove/",
        "/accounts/reauthenticate/",
        "/accounts/second-step/again/",
        "/schools/signing-in/",
        f"/schools/members/{people.alice.user_id}/reset-factors/",
        f"/schools/join/{invited.school_id}/",
    ]
    assert faults_of_all(page, mine) == []
    other = desk.sign_in(people.bob)
    other.goto("/accounts/app/add/")
    confirm(other)
    assert faults_of_all(other, ["/accounts/app/add/", "/accounts/passkeys/add/", PAGE]) == []
    people.chloe.school.demands_second_factor = True
    people.chloe.school.save()
    blocked = desk.sign_in(people.chloe)
    expect(blocked.get_by_role("heading", name="Set up a second factor first")).to_be_visible()
    desk.errors.clear()  # the browser counts the answer 403
    assert faults_of_all(blocked, ["/chatbots/"]) == []
    desk.errors.clear()
    fake.delete()
    step = desk.open()
    step.goto("/accounts/login/")
    step.fill("[name=login]", people.carol.user.email)
    step.fill("[name=password]", PASSWORD)
    step.get_by_role("button", name="Sign in", exact=True).click()
    step.wait_for_url(re.compile("/second-step/"))
    assert faults_of_all(step, ["/accounts/second-step/", "/accounts/login/"]) == []
