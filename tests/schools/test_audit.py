"""The audit log: each act leaves one entry, which says who did it in which school, and the database keeps it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core import mail
from django.db import IntegrityError, connection, transaction
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts import invitations
from chatbots.conversations import deletion
from chatbots.models import Chatbot, ChatbotRole, Collaborator
from chatbots.sharing import colleagues
from corpus.ingestion import uploads
from learning.exports.files import FORMATS
from privacy.erasing import erase_old
from references.approved import topics
from references.models import ApprovedTopic
from school_library import services as library
from school_library.models import SchoolDocument
from schools import deletion as erasure
from schools import services, tokens
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.audit.recording import record
from schools.models import AccessToken, Membership, Role, School, User
from tests.factories import (
    PASSWORD,
    Cast,
    make_chatbot,
    make_file,
    make_member,
    make_message,
    make_program,
    make_token,
    personal_document,
    school_document,
    signed_in,
)
from tests.learning.plans import make_plan

pytestmark = pytest.mark.django_db
HERE = {"REMOTE_ADDR": "192.0.2.44", "HTTP_USER_AGENT": "Browser/1.0"}
LOGIN = reverse("account_login")
NEW_PASSWORD = {"password1": "quills-and-ink-9", "password2": "quills-and-ink-9"}


class Log:
    """What was recorded since this was made."""

    def __init__(self) -> None:
        self.before = set(AuditEntry.objects.values_list("pk", flat=True))

    def entries(self) -> list[AuditEntry]:
        return list(AuditEntry.objects.exclude(pk__in=self.before).order_by("id"))

    def one(self, action: Action) -> AuditEntry:
        """The only entry of this act."""
        (found,) = [entry for entry in self.entries() if entry.action == action]
        return found

    def only(self, action: Action) -> AuditEntry:
        """The only entry at all."""
        assert [entry.action for entry in self.entries()] == [action]
        return self.entries()[0]


def browser(member: Membership) -> Client:
    client = Client(**HERE)  # type: ignore[arg-type]
    client.force_login(member.user)
    return client


# Accounts ----------------------------------------------------------------------------------------------------


def test_signing_in_and_out(cast: Cast) -> None:
    client, log = Client(**HERE), Log()  # type: ignore[arg-type]
    client.post(LOGIN, {"login": "alice@riverside.example", "password": PASSWORD})
    entry = log.only(Action.SIGNED_IN)
    assert (entry.school, entry.actor_id, entry.actor_name) == (cast.alice.school, cast.alice.user_id, "Alice")
    assert (entry.address, entry.device, entry.subject_id) == ("192.0.2.44", "Browser/1.0", str(cast.alice.user_id))
    log = Log()
    client.post(reverse("account_logout"))
    assert log.only(Action.SIGNED_OUT).actor_id == cast.alice.user_id


def test_a_failed_sign_in_keeps_an_address_only_of_an_account(cast: Cast) -> None:
    log = Log()
    Client(REMOTE_ADDR="192.0.2.45").post(LOGIN, {"login": "alice@riverside.example", "password": "not-this-one"})
    entry = log.only(Action.SIGN_IN_FAILED)
    assert (entry.school, entry.actor_id, entry.subject_label) == (cast.alice.school, None, "alice@riverside.example")
    log = Log()
    Client(REMOTE_ADDR="192.0.2.45").post(LOGIN, {"login": "my-secret@password.example", "password": "not-this-one"})
    entry = log.only(Action.SIGN_IN_FAILED)
    assert (entry.school, entry.subject_id, entry.address) == (None, "", "192.0.2.45")
    assert "secret" not in str(AuditEntry.objects.filter(pk=entry.pk).values())
    assert "not-this-one" not in str(AuditEntry.objects.values())


def test_a_changed_password(cast: Cast) -> None:
    make_token(cast.alice)
    client, log = browser(cast.alice), Log()
    client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **NEW_PASSWORD})
    assert [entry.action for entry in log.entries()] == [Action.PASSWORD_CHANGED, Action.TOKEN_REVOKED]
    assert log.one(Action.PASSWORD_CHANGED).actor_id == cast.alice.user_id


def test_a_reset_password(cast: Cast) -> None:
    client = Client()
    client.post(reverse("account_reset_password"), {"email": "alice@riverside.example"})
    link = next(word for word in str(mail.outbox[0].body).split() if "/password/reset/key/" in word)
    form, log = client.get(link, follow=True), Log()
    client.post(form.redirect_chain[-1][0], NEW_PASSWORD)
    entry = log.only(Action.PASSWORD_RESET)
    assert (entry.school, entry.actor_id) == (cast.alice.school, cast.alice.user_id)


def test_switching_is_told_to_the_school_that_is_entered(cast: Cast) -> None:
    there = Membership.objects.create(school=cast.charlie.school, user=cast.alice.user, known_as="Ms A")
    client, log = browser(cast.alice), Log()
    client.post(reverse("schools:switch"), {"school": there.school_id})
    entry = log.only(Action.SCHOOL_SWITCHED)
    assert (entry.school, entry.actor_name) == (there.school, "Ms A")


# Members and tokens ------------------------------------------------------------------------------------------


def test_an_invitation_sent_and_accepted(cast: Cast) -> None:
    client, log = browser(cast.carol), Log()
    client.post(reverse("schools:add-member"), {"email": "zoe@riverside.example", "name": "Zoe", "role": "teacher"})
    entry = log.only(Action.INVITATION_SENT)
    assert (entry.school, entry.actor_id, entry.subject_label) == (cast.carol.school, cast.carol.user_id, "Zoe")
    zoe, log, guest = Membership.objects.get(user__email="zoe@riverside.example"), Log(), Client()
    form = guest.get(invitations.link(zoe), follow=True)
    guest.post(form.redirect_chain[-1][0], NEW_PASSWORD, follow=True)
    assert {entry.action for entry in log.entries()} == {Action.SIGNED_IN, Action.INVITATION_ACCEPTED}
    assert log.one(Action.INVITATION_ACCEPTED).actor_id == zoe.user_id
    assert log.one(Action.SIGNED_IN).school == zoe.school


def test_an_invitation_withdrawn(cast: Cast) -> None:
    zoe = services.invite(school=cast.carol.school, email="zoe@riverside.example", name="Zoe", role=Role.TEACHER)
    client, log = browser(cast.carol), Log()
    client.post(reverse("schools:withdraw-invitation", args=[zoe.user_id]))
    assert log.only(Action.INVITATION_WITHDRAWN).subject_id == str(zoe.user_id)


def test_a_role_changed_and_a_member_removed(cast: Cast) -> None:
    client, log = browser(cast.carol), Log()
    client.post(reverse("schools:change-role", args=[cast.bob.user_id]), {"role": "admin"})
    entry = log.only(Action.ROLE_CHANGED)
    assert (entry.school, entry.actor_name, entry.subject_label) == (cast.bob.school, "Carol", "Bob")
    assert entry.detail == {"from": "teacher", "to": "admin"}
    log = Log()
    client.post(reverse("schools:change-role", args=[cast.bob.user_id]), {"role": "admin"})
    assert log.entries() == []
    client.post(reverse("schools:remove-member", args=[cast.bob.user_id]))
    assert log.only(Action.MEMBER_REMOVED).subject_id == str(cast.bob.user_id)


def test_an_act_that_is_refused_leaves_nothing(cast: Cast) -> None:
    client, log = browser(cast.carol), Log()
    client.post(reverse("schools:change-role", args=[cast.carol.user_id]), {"role": "teacher"})
    client.post(reverse("schools:remove-member", args=[cast.carol.user_id]))
    assert log.entries() == []


def test_a_token_made_and_revoked(cast: Cast) -> None:
    client, log = browser(cast.alice), Log()
    page = client.post(reverse("schools:add-token"), {"name": "Script", "scope": "read", "days": "30"})
    secret, entry = page.context["secret"], log.only(Action.TOKEN_CREATED)
    assert (entry.school, entry.actor_id) == (cast.alice.school, cast.alice.user_id)
    assert entry.subject_label.startswith("Script (lectern_")
    assert secret not in str(AuditEntry.objects.values())
    log, token = Log(), AccessToken.objects.get(name="Script")
    client.post(reverse("schools:revoke-token", args=[token.pk]))
    assert log.only(Action.TOKEN_REVOKED).subject_id == str(token.pk)


def test_an_act_through_the_asynchronous_server_is_its_senders(cast: Cast) -> None:
    client, log = AsyncClient(), Log()
    client.force_login(cast.carol.user)
    address = reverse("schools:change-role", args=[cast.bob.user_id])
    async_to_sync(client.post)(address, {"role": "admin"}, headers={"user-agent": "Browser/1.0"})
    entry = log.one(Action.ROLE_CHANGED)
    assert (entry.actor_id, entry.address, entry.device) == (cast.carol.user_id, "127.0.0.1", "Browser/1.0")


# Library, approved pages, settings ---------------------------------------------------------------------------


def test_the_library(cast: Cast) -> None:
    client, log = browser(cast.carol), Log()
    client.post(reverse("school_library:upload"), {"files": [make_file("# Rules\n\nGoggles.\n", "rules.md")]})
    entry, document = log.only(Action.LIBRARY_UPLOADED), SchoolDocument.objects.get()
    assert (entry.school, entry.actor_id) == (cast.carol.school, cast.carol.user_id)
    assert (entry.subject_id, entry.subject_label) == (str(document.pk), "rules")
    uploads.cancel(document)  # nothing to cancel, and nothing to record
    steps: list[tuple[str, dict[str, Any], Action]] = [
        ("withdraw", {}, Action.LIBRARY_WITHDRAWN),
        ("publish", {}, Action.LIBRARY_PUBLISHED),
        ("edit", {"title": "House rules", "description": "", "subject": "", "grade": ""}, Action.LIBRARY_DESCRIBED),
        ("replace", {"file": make_file("# Rules\n\nGloves.\n", "rules.md"), "seen": 1}, Action.LIBRARY_REPLACED),
        ("delete", {}, Action.LIBRARY_DELETED),
    ]
    for name, data, action in steps:
        log = Log()
        client.post(reverse(f"school_library:{name}", args=[document.pk]), data)
        entry = log.only(action)
        assert (entry.actor_id, entry.subject_id) == (cast.carol.user_id, str(document.pk)), name


def test_the_library_through_the_api(cast: Cast) -> None:
    document, program, log = school_document(cast.carol), make_program(cast.carol), Log()
    address = f"/api/v1/library/documents/{document.pk}"
    program.patch(address, {"published": False}, content_type="application/json")
    entry = log.only(Action.LIBRARY_WITHDRAWN)
    assert (entry.actor_id, entry.address) == (cast.carol.user_id, "127.0.0.1")
    program.patch(address, {"published": False}, content_type="application/json")
    assert len(log.entries()) == 1  # it was withdrawn already


def test_personal_documents_are_nobody_elses_business(cast: Cast) -> None:
    log = Log()
    document = personal_document(cast.alice)
    uploads.replace(document, make_file("# Other\n\nText.\n", "acids.md"), by=cast.alice.user)
    uploads.delete(document)
    assert log.entries() == []


@pytest.mark.needs("references")
def test_approved_pages(cast: Cast) -> None:
    client, log = browser(cast.carol), Log()
    sent = {"name": "Rent", "keywords": "rent, deposit", "addresses": "https://page.example/"}
    client.post(reverse("references:add-topic"), sent)
    entry, topic = log.only(Action.TOPIC_ADDED), ApprovedTopic.objects.get()
    assert (entry.school, entry.actor_id, entry.subject_label) == (cast.carol.school, cast.carol.user_id, "Rent")
    log = Log()
    client.post(reverse("references:topic", args=[topic.pk]), {"addresses": "https://other.example/"})
    assert log.only(Action.TOPIC_CHANGED).detail == {"added": 1}
    log = Log()
    topics.remove_page(topic.pages.all()[0])
    assert log.only(Action.TOPIC_CHANGED).detail == {"removed": "https://page.example/"}
    log = Log()
    client.get(reverse("references:export"))
    assert log.only(Action.TOPICS_EXPORTED).actor_id == cast.carol.user_id
    log = Log()
    client.post(reverse("references:delete-topic", args=[topic.pk]))
    assert log.only(Action.TOPIC_DELETED).subject_id == str(topic.pk)


@pytest.mark.needs("references")
def test_settings(cast: Cast) -> None:
    client, log = browser(cast.carol), Log()
    client.post(
        reverse("references:index"), {"allows_approved": "on", "allows_outside_calls": "on", "allows_http": "on"}
    )
    entry = log.only(Action.SETTINGS_CHANGED)
    assert (entry.school, entry.actor_id, entry.detail["allows_http"]) == (
        cast.carol.school,
        cast.carol.user_id,
        "True",
    )


# Chatbots and exports ----------------------------------------------------------------------------------------


def test_a_chatbot_is_named_only_with_its_teachers_consent(cast: Cast) -> None:
    chatbot = make_chatbot(cast.alice)
    client = browser(cast.alice)
    for is_named in (False, True):
        Chatbot.objects.filter(pk=chatbot.pk).update(is_named_in_log=is_named)
        log = Log()
        client.post(reverse("chatbots:delete", args=[chatbot.pk]))
        entry = log.only(Action.CHATBOT_DELETED)
        assert (entry.school, entry.actor_id, entry.subject_id) == (
            cast.alice.school,
            cast.alice.user_id,
            str(chatbot.pk),
        )
        assert entry.subject_label == (chatbot.name if is_named else "")
        log = Log()
        client.post(reverse("chatbots:restore", args=[chatbot.pk]))
        assert log.only(Action.CHATBOT_RESTORED).subject_id == str(chatbot.pk)
    log = Log()
    deletion.erase_chatbot(chatbot)
    assert log.only(Action.CHATBOT_ERASED).actor_id is None


def test_sharing(cast: Cast) -> None:
    chatbot, client, log = make_chatbot(cast.alice), browser(cast.alice), Log()
    client.post(reverse("chatbots:share", args=[chatbot.pk]), {"colleague": cast.bob.pk, "role": "reader"})
    entry = log.only(Action.CHATBOT_SHARED)
    assert (entry.actor_id, entry.detail) == (cast.alice.user_id, {"with": "Bob", "as": "reader"})
    row = Collaborator.objects.get(chatbot=chatbot, membership=cast.bob)
    log = Log()
    colleagues.set_colleague_role(row, ChatbotRole.EDITOR)
    assert log.only(Action.CHATBOT_SHARED).detail["as"] == "editor"
    log = Log()
    client.post(reverse("chatbots:stop-sharing", args=[row.pk]))
    assert log.only(Action.CHATBOT_UNSHARED).detail == {"with": "Bob"}
    log = Log()
    client.post(reverse("chatbots:offer-template", args=[chatbot.pk]), {"offer": "on"})
    assert log.only(Action.CHATBOT_TEMPLATE).detail == {"offered": "yes"}


@pytest.mark.needs("learning")
def test_exports_and_erasures_hold_no_private_text(cast: Cast) -> None:
    chatbot, plan = make_chatbot(cast.alice), make_plan(cast.alice)
    chat = make_message(cast.alice, chatbot, "Who is the secret pupil?").chat
    teacher, admin = browser(cast.alice), browser(cast.carol)
    plan_file = reverse("learning:export", args=[plan.pk]) + "?format=gift"
    assert "gift" in FORMATS
    acts: list[tuple[Client, str, Action, Membership]] = [
        (teacher, reverse("chatbots:export-chat", args=[chat.pk]), Action.CONVERSATION_EXPORTED, cast.alice),
        (teacher, plan_file, Action.PLAN_EXPORTED, cast.alice),
        (admin, reverse("chatbots:export-question-log"), Action.QUESTION_LOG_EXPORTED, cast.carol),
        (admin, reverse("audit:export"), Action.AUDIT_EXPORTED, cast.carol),
    ]
    log = Log()
    for client, address, action, member in acts:
        assert client.get(address).status_code == 200
        entry = log.one(action)
        assert (entry.school, entry.actor_id) == (member.school, member.user_id)
    assert len(log.entries()) == len(acts)
    deletion.delete_chat(chat)
    deletion.erase_chat(chat)
    assert log.one(Action.CONVERSATION_ERASED).subject_id == str(chat.pk)
    kept = json.dumps(list(AuditEntry.objects.values()), default=str)
    for private in ("secret pupil", chat.title, chatbot.name, plan.title):
        assert private not in kept


# What the database holds -------------------------------------------------------------------------------------


def old(cast: Cast, days: int) -> AuditEntry:
    return AuditEntry.objects.create(
        school=cast.alice.school, action=Action.SIGNED_IN, at=timezone.now() - timedelta(days=days)
    )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE schools_auditentry SET actor_name = 'Nobody'",
        "DELETE FROM schools_auditentry",
        "TRUNCATE schools_auditentry",
        "SET LOCAL lectern.audit_days = 0; DELETE FROM schools_auditentry",
    ],
)
def test_the_database_refuses_to_change_an_entry(cast: Cast, statement: str) -> None:
    record(Action.SIGNED_IN, school=cast.alice.school, actor=cast.alice.user)
    for one in statement.split("; ")[:-1]:
        connection.cursor().execute(one)
    connection.check_constraints()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        connection.cursor().execute(statement.split("; ")[-1])
    assert AuditEntry.objects.filter(actor_name="Alice").exists()


def test_what_was_kept_for_its_time_is_erased(cast: Cast, settings: Settings) -> None:
    settings.LECTERN_AUDIT_DAYS = 60
    gone, kept = old(cast, 61), old(cast, 59)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=gone.pk).delete()  # only the nightly task says how long entries are kept
    assert erase_old()["schools.AuditEntry"] == 1
    assert set(AuditEntry.objects.filter(pk__in=[gone.pk, kept.pk])) == {kept}


def test_entries_go_with_their_school_and_stay_without_their_person(cast: Cast) -> None:
    record(Action.SIGNED_IN, school=cast.bob.school, actor=cast.bob.user)
    record(Action.SIGNED_IN, school=cast.charlie.school, actor=cast.charlie.user)
    here, there = (AuditEntry.objects.filter(school=one.school) for one in (cast.bob, cast.charlie))
    erasure.delete_with_everything([cast.bob.user])
    assert here.filter(actor_name="Bob").exists()
    before, school = there.count(), cast.alice.school
    log = Log()
    erasure.delete_with_everything([school])
    connection.check_constraints()
    assert (here.count(), there.count()) == (0, before)
    assert (log.only(Action.SCHOOL_ERASED).subject_label, School.objects.count()) == (school.name, 1)


def test_an_entry_goes_with_the_act_that_is_undone(cast: Cast) -> None:
    log = Log()
    with pytest.raises(RuntimeError), transaction.atomic():
        tokens.make(member=cast.alice, name="Script")
        raise RuntimeError
    assert log.entries() == []
    document = school_document(cast.carol, indexed=False)
    log = Log()
    with pytest.raises(RuntimeError), transaction.atomic():
        library.set_published(document=document, published=False)
        raise RuntimeError
    assert log.entries() == []


def test_an_outsider_is_not_named(cast: Cast) -> None:
    record(Action.SETTINGS_CHANGED, school=cast.alice.school, actor=cast.chloe.user)
    entry = AuditEntry.objects.latest("id")
    assert (entry.actor_name, entry.actor_email) == ("An operator", "")


def test_nobody_acts_after_a_request(cast: Cast) -> None:
    browser(cast.carol).get(reverse("audit:list"))
    record(Action.SIGNED_IN, school=cast.alice.school)
    entry = AuditEntry.objects.latest("id")
    assert (entry.actor_id, entry.address) == (None, "")


def test_operators_read_all_and_change_nothing(cast: Cast) -> None:
    entry, operator = old(cast, 1), Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    listed = operator.get(reverse("admin:schools_auditentry_changelist"))
    assert "Signed in" in listed.content.decode()
    for name in ("change", "delete"):
        address = reverse(f"admin:schools_auditentry_{name}", args=[entry.pk])
        assert operator.post(address, {"post": "yes", "actor_name": "Nobody"}).status_code == 403
    assert make_member(cast.alice.school, "zed")  # people can still be added beside it
    assert signed_in(cast.carol).get(reverse("admin:schools_auditentry_changelist")).status_code == 302
