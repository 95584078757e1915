"""Every route of the product, tried by everybody it is not for (S2).

The walk takes every URL that the resolver knows: a new route without a case fails here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from chatbots.conversations import deletion
from chatbots.models import Chatbot, Message
from schools.models import Membership, User
from tests.factories import (
    make_chatbot,
    make_file,
)
from tests.guards.visitors import nothing_changed, visitors
from tests.guards.world import SECRET, SHARED, World

pytestmark = pytest.mark.django_db

# Routes that carry no school's rows, each with the reason: full names, and one namespace, which ends with a colon.
EXEMPT = {
    "home": "redirects to the chatbots, or an operator without a school to the installation",
    "operations:healthz": "says that the process lives, nothing else",
    "operations:readyz": "says whether database and broker answer, nothing else",
    "operations:security-txt": "names whom to tell about a security hole, from a setting",
    "operators:": "figures of all schools, for operators only: see tests/operators/test_installation.py",
    "demo:": "pages that were written for the demo, for everybody",
    "admin:": "Django admin: operators only, see test_django_admin_opens_to_nobody_else",
    "api:": "the API: every route and method with every kind of token, see test_api.py",
    **{
        f"classrooms:{name}": "for pupils without accounts: see tests/classrooms/test_walk.py"
        for name in (
            *("enter", "door", "leave", "own-data", "own-data-file", "practise", "room", "new-chat", "chat"),
            *("new-own-code", "answered"),
            *("exchange", "stream", "stop", "again", "hand", "source"),
        )
    },
    "account_login": "signs in",
    "account_logout": "ends the session",
    "account_inactive": "says that the account is switched off",
    "account_signup": "says that sign-up is closed",
    "account_reauthenticate": "asks for the password of the session's own account",
    "account_alerts": "acts on the session's own account only",
    "account_end_other_sessions": "acts on the session's own account only",
    **{
        f"mfa_{name}": "acts on the session's own account only, see tests/accounts/test_second_factor.py"
        for name in (
            *("index", "reauthenticate", "activate_totp", "deactivate_totp", "view_recovery_codes"),
            *("generate_recovery_codes", "reauthenticate_webauthn", "add_webauthn", "edit_webauthn", "remove_webauthn"),
        )
    },
    "mfa_authenticate": "the second step of a sign-in, after the password",
    "mfa_login_webauthn": "signs in",
    **dict.fromkeys(
        ("account_sso", "account_sso_school", "openid_connect_login", "openid_connect_callback"),
        "signs in: see tests/accounts/test_single_sign_on.py",
    ),
    **dict.fromkeys(
        ("lti:login", "lti:launch", "lti:launch-to-choose", "lti:enter", "lti:frame"),
        "for whoever comes from a platform: see tests/lti/test_launching.py",
    ),
    "lti:keys": "a public key",
    **dict.fromkeys(
        ("lti:connect", "lti:go", "lti:choose"),
        "acts on a launch that the session holds: see tests/lti/test_teachers.py",
    ),
    "account_sso_connect": "acts on the session's own account only: see tests/accounts/test_single_sign_on.py",
    "account_set_password": "leads to the page that mails a link",
    "account_change_password": "acts on the session's own account only",
    "account_invitation": "acts on the account of the mailed link only, see test_invitations.py",
    "account_reset_password": "mails a link, and says the same for every address",
    "account_reset_password_done": "says that a mail was sent",
    "account_reset_password_from_key": "acts on the account of the mailed link only",
    "account_reset_password_from_key_done": "says that the password is saved",
}


@dataclass(frozen=True)
class Case:
    """One route: whose row it shows, how it is called, and which of the same school may call it."""

    methods: tuple[str, ...] = ("get",)
    row: Callable[[World], Any] | None = None  # the row in the URL; None for lists and forms
    data: Callable[[World], dict[str, Any]] = field(default=lambda world: {})
    audience: str = "owner"  # "owner", "members" of the school or its "admins"
    more: tuple[str, ...] = ()  # what follows the row in the URL


def document_file(world: World) -> dict[str, Any]:
    return {"file": make_file(f"# New\n\nSomething new {uuid4()}.\n", "new.md")}


def documents_files(world: World) -> dict[str, Any]:
    return {"files": [make_file(f"# New\n\nSomething new {uuid4()}.\n", "new.md")]}


POST, BOTH = ("post",), ("get", "post")
FORM: dict[str, Any] = {
    "language": "en",
    "personal_weight": "60",
    "places": "5",
    "when_unsure": "refuse",
}

PLAN: dict[str, Any] = {"language": "en", "most_concepts": "9", "session_minutes": "5", "tutor_style": "hints"}

CLASS: dict[str, Any] = {
    "name": SECRET,
    "ends_on": str(date.today() + timedelta(days=30)),
    "sources_shown": "all",
    "answer_length": "normal",
    "questions_a_day": "9",
    "days_kept": "9",
    "weekdays": ["0", "1"],
}

CASES: dict[str, Case] = {
    "privacy:own-data": Case(BOTH),
    "privacy:erase-member": Case(
        BOTH, lambda w: w.people.alice.user, lambda w: {"email": w.people.alice.user.email}, "admins"
    ),
    "privacy:erasures": Case(audience="admins"),
    "privacy:certificate": Case(row=lambda w: w.erasure, audience="admins"),
    "privacy:certificate-file": Case(row=lambda w: w.erasure, audience="admins"),
    "classrooms:list": Case(),
    "classrooms:create": Case(BOTH, data=lambda w: {**CLASS, "name": "New", "chatbots": [w.chatbot.pk]}),
    "classrooms:concerns": Case(audience="members"),
    "classrooms:names": Case(BOTH, lambda w: w.class_link, lambda w: {f"name-{w.pupil.pk}": SECRET}),
    "classrooms:desk": Case(row=lambda w: w.class_link),
    "classrooms:live": Case(row=lambda w: w.class_link),
    "classrooms:edit": Case(BOTH, lambda w: w.class_link, lambda w: {"chatbots": [w.chatbot.pk], **CLASS}),
    "classrooms:sheet": Case(row=lambda w: w.class_link),
    "classrooms:large": Case(row=lambda w: w.class_link),
    "classrooms:pause": Case(POST, lambda w: w.class_link),
    "classrooms:close": Case(BOTH, lambda w: w.class_link),
    "classrooms:change-code": Case(BOTH, lambda w: w.class_link),
    "classrooms:erase": Case(BOTH, lambda w: w.class_link),
    "classrooms:transcripts": Case(row=lambda w: w.class_link),
    "classrooms:export": Case(row=lambda w: w.class_link),
    "classrooms:summary": Case(row=lambda w: w.class_link),
    "classrooms:pause-pupil": Case(POST, lambda w: w.pupil),
    "classrooms:new-pupil-code": Case(POST, lambda w: w.pupil),
    "classrooms:erase-pupil": Case(BOTH, lambda w: w.pupil),
    "classrooms:settle-hand": Case(POST, lambda w: w.hand),
    "classrooms:answer": Case(BOTH, lambda w: w.asked, lambda w: {"text": SECRET}),
    "classrooms:correct": Case(BOTH, lambda w: w.asked, lambda w: {"question": SECRET, "answer": SECRET}),
    "classrooms:seen": Case(POST, lambda w: w.flag),
    "classrooms:concern": Case(BOTH, data=lambda w: {"on_concern": "flag", "violence": SECRET}, audience="admins"),
    "classrooms:safeguarding": Case(BOTH, data=lambda w: {"goes_without_lead": "on"}, audience="admins"),
    "classrooms:school": Case(audience="admins"),
    "classrooms:switch": Case(POST, data=lambda w: {"allowed": "on"}, audience="admins"),
    "classrooms:close-as-admin": Case(POST, lambda w: w.class_link, audience="admins"),
    "account_end_session": Case(POST, lambda w: w.browser),
    "schools:join": Case(BOTH, lambda w: w.inviting, lambda w: {"decline": "yes"}),
    "schools:signing-in": Case(BOTH, audience="admins"),
    "schools:reset-factors": Case(BOTH, lambda w: w.people.bob.user, audience="admins"),
    "lti:connections": Case(),
    "lti:disconnect": Case(BOTH, lambda w: w.teacher_identity),
    "lti:of-class": Case(row=lambda w: w.class_link),
    "lti:send-grades": Case(POST, lambda w: w.class_link),
    "lti:platforms": Case(audience="admins"),
    "lti:switch": Case(POST, lambda w: w.platform, audience="admins"),
    "account_identities": Case(),
    "account_disconnect": Case(BOTH, lambda w: w.identity),
    "schools:switch-provider": Case(POST, lambda w: w.identity.provider, audience="admins"),
    "schools:switch": Case(POST, data=lambda w: {"school": w.people.alice.school_id}),
    "schools:members": Case(audience="admins"),
    "schools:add-member": Case(
        BOTH,
        data=lambda w: {"email": f"{uuid4()}@riverside.example", "name": "New", "role": "teacher"},
        audience="admins",
    ),
    "schools:invite-again": Case(POST, lambda w: w.people.bob.user, audience="admins"),
    "schools:withdraw-invitation": Case(BOTH, lambda w: w.people.bob.user, audience="admins"),
    "schools:change-role": Case(BOTH, lambda w: w.people.bob.user, lambda w: {"role": "admin"}, "admins"),
    "schools:remove-member": Case(BOTH, lambda w: w.people.bob.user, audience="admins"),
    "schools:tokens": Case(),
    "schools:add-token": Case(BOTH, data=lambda w: {"name": "New", "scope": "read", "days": "30"}),
    "schools:revoke-token": Case(BOTH, lambda w: w.token),
    "knowledge:list": Case(),
    "knowledge:upload": Case(POST, data=documents_files),
    "knowledge:paste": Case(BOTH, data=lambda w: {"title": "New", "text": f"Something new {uuid4()}."}),
    "knowledge:selected": Case(POST, data=lambda w: {"action": "again", "documents": [w.personal.pk, w.library.pk]}),
    "knowledge:detail": Case(row=lambda w: w.personal),
    "knowledge:row": Case(row=lambda w: w.personal),
    "knowledge:file": Case(row=lambda w: w.personal),
    "knowledge:page": Case(row=lambda w: w.personal_pdf),
    "knowledge:page-picture": Case(row=lambda w: w.personal_pdf),
    "knowledge:report": Case(POST, lambda w: w.personal),
    "knowledge:replace": Case(POST, lambda w: w.personal, document_file),
    "knowledge:rename": Case(POST, lambda w: w.personal, lambda w: {"title": SECRET}),
    "knowledge:copy": Case(BOTH, lambda w: w.personal),
    "knowledge:merge": Case(BOTH, lambda w: w.personal, lambda w: {"into": w.personal.pk}),
    "knowledge:retry": Case(POST, lambda w: w.personal),
    "knowledge:cancel": Case(POST, lambda w: w.personal),
    "knowledge:delete": Case(BOTH, lambda w: w.personal),
    "school_library:list": Case(audience="members"),
    "school_library:upload": Case(POST, data=documents_files, audience="admins"),
    "school_library:paste": Case(
        BOTH, data=lambda w: {"title": "New", "text": f"Something new {uuid4()}."}, audience="admins"
    ),
    "school_library:selected": Case(
        POST, data=lambda w: {"action": "delete", "documents": [w.library.pk, w.personal.pk]}, audience="admins"
    ),
    "school_library:detail": Case(row=lambda w: w.library, audience="members"),
    "school_library:row": Case(row=lambda w: w.library, audience="members"),
    "school_library:file": Case(row=lambda w: w.library, audience="members"),
    "school_library:page": Case(row=lambda w: w.library_pdf, audience="members"),
    "school_library:page-picture": Case(row=lambda w: w.library_pdf, audience="members"),
    "school_library:report": Case(POST, lambda w: w.library, audience="members"),
    "school_library:edit": Case(BOTH, lambda w: w.library, lambda w: {"title": SHARED}, "admins"),
    "school_library:replace": Case(POST, lambda w: w.library, document_file, "admins"),
    "school_library:publish": Case(POST, lambda w: w.library, audience="admins"),
    "school_library:withdraw": Case(POST, lambda w: w.library, audience="admins"),
    "school_library:copy": Case(BOTH, lambda w: w.library, audience="admins"),
    "school_library:merge": Case(BOTH, lambda w: w.library, lambda w: {"into": w.library.pk}, "admins"),
    "school_library:retry": Case(POST, lambda w: w.library, audience="admins"),
    "school_library:cancel": Case(POST, lambda w: w.library, audience="admins"),
    "school_library:delete": Case(BOTH, lambda w: w.library, audience="admins"),
    # Whoever sends an address is asked for in tests/web_pages: no page can be fetched in this world.
    "web_pages:add": Case(audience="members"),
    "web_pages:add-to-library": Case(audience="admins"),
    "web_pages:again": Case(POST, lambda w: w.personal),
    "web_pages:library-again": Case(POST, lambda w: w.library, audience="admins"),
    "references:archives": Case(audience="members"),
    "references:archive": Case(row=lambda w: w.archive, audience="members"),
    "references:read": Case(row=lambda w: w.archive, audience="members", more=("Sunset",)),
    "references:picture": Case(row=lambda w: w.archive, audience="members", more=("I/dot.png",)),
    "references:index": Case(
        BOTH,
        data=lambda w: dict.fromkeys(
            ("allows_approved", "allows_wikipedia_offline", "allows_wikipedia_live", "allows_outside_calls"), "on"
        ),
        audience="admins",
    ),
    "references:topics": Case(audience="admins"),
    "references:add-topic": Case(
        BOTH, data=lambda w: {"name": f"New {uuid4()}", "keywords": "rent, deposit"}, audience="admins"
    ),
    "references:warm": Case(POST, audience="admins"),
    "references:export": Case(audience="admins"),
    "references:import": Case(BOTH, data=lambda w: {"table": "name;keywords;address"}, audience="admins"),
    "references:topic": Case(
        BOTH, lambda w: w.topic, lambda w: {"addresses": f"https://{uuid4()}.example/"}, audience="admins"
    ),
    "references:edit-topic": Case(
        BOTH,
        lambda w: w.topic,
        lambda w: {"name": SHARED, "keywords": "rent, deposit", "addresses": w.approved.address},
        "admins",
    ),
    "references:delete-topic": Case(BOTH, lambda w: w.topic, audience="admins"),
    "references:page": Case(row=lambda w: w.approved, audience="admins"),
    "references:read-page": Case(POST, lambda w: w.approved, audience="admins"),
    "references:approve-page": Case(POST, lambda w: w.approved, audience="admins"),
    "references:remove-page": Case(POST, lambda w: w.approved, audience="admins"),
    "learning:list": Case(),
    "learning:create": Case(BOTH, data=lambda w: {"title": "New", "documents_personal": w.personal.pk, **PLAN}),
    "learning:plan": Case(row=lambda w: w.plan),
    "learning:status": Case(row=lambda w: w.plan),
    "learning:settings": Case(BOTH, lambda w: w.plan, lambda w: {"title": SECRET, **PLAN}),
    "learning:delete": Case(BOTH, lambda w: w.plan),
    "learning:stop": Case(POST, lambda w: w.plan),
    "learning:resume": Case(POST, lambda w: w.plan),
    "learning:refresh": Case(POST, lambda w: w.plan),
    "learning:tutor": Case(row=lambda w: w.plan),
    "learning:undo": Case(POST, lambda w: w.plan),
    "learning:add-concept": Case(BOTH, lambda w: w.plan, lambda w: {"name": f"New {uuid4()}"}),
    "learning:questions": Case(row=lambda w: w.plan),
    "learning:review": Case(POST, lambda w: w.plan, lambda w: {"question": w.question.pk}),
    "learning:learn": Case(BOTH, lambda w: w.plan),
    "learning:export": Case(row=lambda w: w.plan),
    "learning:worksheet": Case(row=lambda w: w.plan),
    "learning:concept": Case(row=lambda w: w.concept),
    "learning:edit-concept": Case(BOTH, lambda w: w.concept, lambda w: {"name": f"{SECRET} {uuid4()}"}),
    "learning:remove-concept": Case(POST, lambda w: w.last_concept),
    "learning:merge-concept": Case(POST, lambda w: w.last_concept, lambda w: {"other": w.concept.pk}),
    "learning:split-concept": Case(POST, lambda w: w.concept, lambda w: {"name": f"New {uuid4()}"}),
    "learning:add-prerequisite": Case(POST, lambda w: w.last_concept, lambda w: {"other": w.concept.pk}),
    "learning:remove-prerequisite": Case(POST, lambda w: w.last_concept, lambda w: {"other": w.concept.pk}),
    "learning:more-questions": Case(POST, lambda w: w.concept),
    "learning:question": Case(
        BOTH,
        lambda w: w.question,
        lambda w: {"prompt": f"____ {SECRET}", "accepted": SECRET, "explanation": f"{SECRET} [1]."},
    ),
    "learning:reject-question": Case(POST, lambda w: w.question),
    "learning:restore-question": Case(POST, lambda w: w.question),
    "learning:session": Case(row=lambda w: w.session),
    "learning:answer": Case(POST, lambda w: w.session, lambda w: {"question": w.question.pk, "given": SECRET}),
    "learning:rate": Case(POST, lambda w: w.session, lambda w: {"attempt": w.attempt.pk, "rating": "right"}),
    "learning:end-session": Case(POST, lambda w: w.session),
    "learning:source": Case(row=lambda w: w.concept_source),
    "learning:plan-of-tutor": Case(row=lambda w: w.plan.tutor),
    "learning:offer": Case(row=lambda w: w.chat),
    "chatbots:list": Case(),
    "chatbots:create": Case(BOTH, data=lambda w: {"name": "New", **FORM}),
    "chatbots:places": Case(POST, data=lambda w: {"name": "New", **FORM}),
    "chatbots:new-chat": Case(row=lambda w: w.chatbot),
    "chatbots:start": Case(),
    "chatbots:start-upload": Case(POST, data=lambda w: {"files": make_file(f"{SECRET} {uuid4()}", "start.txt")}),
    "chatbots:add-documents": Case(POST, data=lambda w: {"files": make_file(f"{SECRET} {uuid4()}", "added.txt")}),
    "chatbots:start-make": Case(POST, data=lambda w: {"name": "From files", "documents": [w.personal.pk]}),
    "chatbots:give": Case(
        POST, data=lambda w: {"kind": "personal", "documents": [w.personal.pk], "chatbots": [w.chatbot.pk]}
    ),
    "chatbots:opening": Case(row=lambda w: w.chatbot),
    "chatbots:ask-first": Case(BOTH, lambda w: w.chatbot, lambda w: {"question": "How strong?"}),
    "chatbots:edit": Case(BOTH, lambda w: w.chatbot, lambda w: {"name": SECRET, **FORM}),
    "chatbots:usage": Case(),
    "chatbots:share": Case(BOTH, lambda w: w.chatbot, lambda w: {"colleague": w.people.bob.pk, "role": "reader"}),
    "chatbots:share-documents": Case(POST, lambda w: w.chatbot),
    "chatbots:change-collaborator": Case(POST, lambda w: w.collaborator, lambda w: {"role": "editor"}),
    "chatbots:stop-sharing": Case(POST, lambda w: w.collaborator),
    "chatbots:offer-template": Case(POST, lambda w: w.chatbot, lambda w: {"offer": "on"}),
    "chatbots:templates": Case(),
    "chatbots:copy": Case(POST, lambda w: w.chatbot),
    "chatbots:archive": Case(POST, lambda w: w.chatbot),
    "chatbots:bring-back": Case(POST, lambda w: w.chatbot),
    "chatbots:delete": Case(POST, lambda w: w.chatbot),
    "chatbots:restore": Case(POST, lambda w: w.chatbot),
    "chatbots:erase": Case(BOTH, lambda w: w.deleted_chatbot),
    "chatbots:gaps": Case(),
    "chatbots:try-gaps": Case(POST),
    "chatbots:try-gap": Case(POST, lambda w: w.refused),
    "chatbots:dismiss-gap": Case(POST, lambda w: w.refused),
    "chatbots:reopen-gap": Case(POST, lambda w: w.refused),
    "chatbots:school-gaps": Case(audience="admins"),
    "evaluation:list": Case(row=lambda w: w.chatbot),
    "evaluation:run": Case(POST, lambda w: w.chatbot),
    "evaluation:try-search": Case(POST, lambda w: w.chatbot, lambda w: {"question": "How strong?"}),
    "evaluation:add": Case(
        BOTH, lambda w: w.chatbot, lambda w: {"question": f"And {SECRET} {uuid4()}?", "expected": "refused"}
    ),
    "evaluation:edit": Case(
        BOTH, lambda w: w.pinned, lambda w: {"question": f"And {SECRET} {uuid4()}?", "expected": "refused"}
    ),
    "evaluation:delete": Case(BOTH, lambda w: w.pinned),
    "evaluation:pin": Case(
        BOTH, lambda w: w.message, lambda w: {"question": f"And {SECRET} {uuid4()}?", "expected": "refused"}
    ),
    "chatbots:chat": Case(row=lambda w: w.chat),
    "chatbots:ask": Case(BOTH, lambda w: w.chat, lambda w: {"question": "How strong?"}),
    "chatbots:rename-chat": Case(BOTH, lambda w: w.chat, lambda w: {"title": SECRET}),
    "chatbots:chats": Case(),
    "chatbots:deleted-chats": Case(),
    "chatbots:delete-chat": Case(POST, lambda w: w.chat),
    "chatbots:restore-chat": Case(POST, lambda w: w.chat),
    "chatbots:erase-chat": Case(BOTH, lambda w: w.deleted_chat),
    "chatbots:export-chat": Case(row=lambda w: w.chat),
    "chatbots:print-chat": Case(row=lambda w: w.chat),
    "chatbots:turn": Case(row=lambda w: w.message),
    "chatbots:stream": Case(row=lambda w: w.message),
    "chatbots:stop": Case(POST, lambda w: w.message),
    "chatbots:given-prompt": Case(row=lambda w: w.message),
    "chatbots:ask-again": Case(POST, lambda w: w.message),
    "chatbots:refusal-help": Case(BOTH, lambda w: w.refused, document_file),
    "chatbots:ask-anew": Case(POST, lambda w: w.refused, lambda w: {"kind": "school", "document": w.library.pk}),
    "chatbots:feedback": Case(POST, lambda w: w.message, lambda w: {"verdict": "down", "words": SECRET}),
    "chatbots:source": Case(row=lambda w: w.message.sources.first()),
    "chatbots:ask-page": Case(BOTH, lambda w: w.page, lambda w: {"question": "How strong?"}),
    "chatbots:library-links": Case(
        BOTH, lambda w: w.library, lambda w: {"chatbot": w.chatbot.pk, "linked": "on"}, "members"
    ),
    "chatbots:document-usage": Case(row=lambda w: w.library, audience="admins"),
    "chatbots:personal-usage": Case(row=lambda w: w.personal),
    "chatbots:what-is-kept": Case(),
    "audit:list": Case(audience="admins"),
    "audit:export": Case(audience="admins"),
    "chatbots:question-log": Case(audience="admins"),
    "chatbots:export-question-log": Case(audience="admins"),
    "chatbots:school-usage": Case(audience="admins"),
}

LAST = (
    "classrooms:erase-pupil",
    "classrooms:erase",
    "chatbots:ask-anew",
    "learning:merge-concept",
    "learning:remove-concept",
    "learning:delete",
    "school_library:withdraw",
    "knowledge:cancel",
    "school_library:cancel",
    "knowledge:copy",
    "school_library:copy",
    "knowledge:merge",
    "school_library:merge",
    "references:remove-page",
    "references:delete-topic",
    "evaluation:delete",
    "chatbots:delete-chat",
    "chatbots:restore-chat",
    "chatbots:erase-chat",
    "chatbots:stop-sharing",
    "chatbots:delete",
    "chatbots:restore",
    "knowledge:delete",
    "school_library:delete",
    "schools:revoke-token",
    "schools:join",
    "schools:change-role",
    "schools:remove-member",
    "privacy:erase-member",
)


def routes(resolver: URLResolver | None = None, namespace: str = "") -> Iterator[str]:
    """The names of all routes, with their namespace; one without a name fails the walk."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from routes(entry, inner)
        else:
            assert isinstance(entry, URLPattern)
            yield f"{namespace}{entry.name}"


def is_exempt(name: str) -> bool:
    return any(matches(name, exempt) for exempt in EXEMPT)


def matches(name: str, exempt: str) -> bool:
    return name.startswith(exempt) if exempt.endswith(":") else name == exempt


def test_every_route_has_a_case() -> None:
    known = set(routes())
    ours = {name for name in known if not is_exempt(name)}
    assert ours - set(CASES) == set(), "routes without an isolation case"
    assert set(CASES) - ours == set(), "cases without a route"
    for exempt in EXEMPT:
        assert any(matches(name, exempt) for name in known), f"{exempt} is stale"


def get_session(user: User) -> str:
    """Signing in takes as long as a page does: once for each person of a test."""
    held: dict[str, str] = user.__dict__.setdefault("sessions_of_test", {})
    if not held:
        client = Client()
        client.force_login(user)
        held["session"] = client.cookies[settings.SESSION_COOKIE_NAME].value
    return held["session"]


def make_client(who: Membership | Client | None) -> Client:
    """A browser that holds nothing but this person's session, or the one of a visitor."""
    if isinstance(who, Client):
        return who
    client = Client()
    if who:
        client.cookies[settings.SESSION_COOKIE_NAME] = get_session(who.user)
    return client


def call(who: Membership | Client | None, name: str, method: str, world: World, key: Any = None) -> Any:
    case = CASES[name]
    row = case.row(world) if case.row else None
    if key and row is not None and isinstance(row.pk, int):
        key = key.int >> 100  # a number that no row has
    url = reverse(name, args=[*([key or row.pk] if row is not None else []), *case.more])
    data = case.data(world) if method == "post" else {}
    return getattr(make_client(who), method)(url, data)


def body(response: Any) -> str:
    """What is read of an answer, without what differs on every page."""
    content = response.getvalue() if response.streaming else response.content
    text = content.decode(errors="replace")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"|X-CSRFToken": "\w+"', "", text)


def allowed(world: World, audience: str) -> list[Membership]:
    people = world.people
    return {
        "owner": [people.alice],
        "members": [people.alice, people.bob, people.carol],
        "admins": [people.carol],
    }[audience]


def get_part(name: str) -> str:
    """The part of the routes that are tried in one test, so that several processes share the walk."""
    return name.partition(":")[0] if ":" in name else "accounts"


PARTS = {part: list(names) for part, names in groupby(sorted(CASES, key=get_part), key=get_part)}


def calls(part: str) -> list[tuple[str, str]]:
    return [(name, method) for name in PARTS[part] for method in CASES[name].methods]


def prepare(world: World, part: str) -> None:
    """Have the cases make what they make when they are asked for it."""
    for name, method in calls(part):
        call(None, name, method, world)


@pytest.mark.parametrize("part", PARTS)
def test_no_route_opens_for_those_it_is_not_for(world: World, part: str) -> None:
    """All of a part in one world: who is refused changes nothing, as the control of each route in it shows."""
    people = world.people
    colleagues = (people.bob, world.reader, world.editor, world.former)
    prepare(world, part)
    with nothing_changed():
        for name, method in calls(part):
            the_anonymous_are_sent_to_sign_in(world, name, method)
            strangers = [*colleagues, people.carol, people.charlie, people.chloe]
            if CASES[name].audience != "owner":
                strangers = [people.bob, people.carol, people.charlie, people.chloe]
            strangers = [one for one in strangers if one not in allowed(world, CASES[name].audience)]
            for stranger in strangers:
                others_find_nothing(world, name, method, stranger, compares=stranger in (people.bob, people.charlie))
    every_route_opens_for_those_it_is_for(world, part)


@pytest.mark.parametrize("part", PARTS)
def test_no_route_opens_to_visitors(world: World, part: str) -> None:
    """Pupils of all kinds are nobody on the pages of a school, an operator has no school, and whoever comes by a
    platform is who they are."""
    found = visitors(world)
    prepare(world, part)
    with nothing_changed():
        for name, method in calls(part):
            for who in found.pupils.values():
                the_anonymous_are_sent_to_sign_in(world, name, method, who)
            response = call(found.operator, name, method, world)
            assert response.status_code in (302, 403, 404), (name, method)
            assert SECRET not in body(response) and SHARED not in body(response), (name, method)
            if world.people.bob not in allowed(world, CASES[name].audience):
                lti_finds_nothing(world, name, method, found.teacher_by_lti)


def every_route_opens_for_those_it_is_for(world: World, part: str) -> None:
    """A route closed to everybody would pass the rest. What takes away what others need comes last."""
    for name in sorted(PARTS[part], key=lambda name: LAST.index(name) if name in LAST else -1):
        for method in CASES[name].methods:
            response = call(allowed(world, CASES[name].audience)[0], name, method, world)
            assert response.status_code in (200, 302), (name, method, body(response)[:2000])
            assert "/accounts/login/" not in response.headers.get("Location", ""), (name, method)


def the_anonymous_are_sent_to_sign_in(world: World, name: str, method: str, who: Client | None = None) -> None:
    response = call(who, name, method, world)
    assert response.status_code == 302, (name, method)
    assert response.headers["Location"].startswith("/accounts/login/"), (name, method)
    assert SECRET not in body(response), (name, method)


def lti_finds_nothing(world: World, name: str, method: str, teacher: Client) -> None:
    """As the same person in another session, or the same 403 for every row where the session may not act."""
    teacher.cookies.pop("messages", None)  # of what they made for themselves with what they sent
    response, is_owners = call(teacher, name, method, world), CASES[name].audience == "owner"
    if CASES[name].row and is_owners and response.status_code == 403:
        missing, address = call(teacher, name, method, world, key=uuid4()), r"/([0-9a-f-]{36}|[0-9]+)/"
        assert re.sub(address, "", body(response)) == re.sub(address, "", body(missing)), (name, method)
    elif CASES[name].row:
        assert response.status_code == (404 if is_owners else 403), (name, method)
    assert SECRET not in body(response), (name, method)


def others_find_nothing(world: World, name: str, method: str, stranger: Membership, *, compares: bool = False) -> None:
    """404 for every row that is not one's own, the same as for a row that does not exist; 403 for a colleague
    where only an admin of the same school may act."""
    case, told = CASES[name], (name, method, str(stranger))
    response = call(stranger, name, method, world)
    outside = stranger in (world.people.charlie, world.people.chloe)
    if case.row is None:
        assert not outside or SHARED not in body(response), told
    elif outside or case.audience == "owner":
        assert response.status_code == 404, told
        if compares:
            missing = call(stranger, name, method, world, key=uuid4())
            assert missing.status_code == 404, told
            assert body(response) == body(missing), told
    else:
        assert response.status_code == 403, told
    assert SECRET not in body(response), told


def test_django_admin_opens_to_nobody_else(world: World) -> None:
    """No page of any row."""
    found = visitors(world)
    people = world.people
    for model in admin.site._registry:
        row = model._default_manager.first()
        views: dict[str, list[Any]] = {"changelist": [], "add": []}
        if row is not None:
            views |= {view: [row.pk] for view in ("change", "history", "delete")}
        for view, args in views.items():
            url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}", args=args)
            for who in (None, people.alice, people.carol, found.teacher_by_lti, found.pupils["of the class"]):
                response = make_client(who).get(url)
                assert response.status_code == 302, url
                assert response.headers["Location"].startswith("/admin/login/"), url


def test_no_route_opens_to_a_deleted_conversation(world: World) -> None:
    """Nor to a turn or a source of it, but those that delete it once more and restore it."""
    deletion.delete_chat(world.chat)
    closed = 0
    for name, case in CASES.items():
        row = case.row(world) if case.row else None
        if row not in (world.chat, world.message, *world.message.sources.all()):
            continue
        if name in ("chatbots:delete-chat", "chatbots:restore-chat"):
            continue
        for method in case.methods:
            assert call(world.people.alice, name, method, world).status_code == 404, (name, method)
            closed += 1
    assert closed > 10


def test_ids_of_others_in_a_chatbots_form_are_not_taken(world: World) -> None:
    for stranger in (world.people.bob, world.people.charlie, world.people.chloe):
        client = make_client(stranger)
        foreign = {"personal_documents": [world.personal.pk]}
        if stranger != world.people.bob:
            foreign["school_documents"] = [world.library.pk]
        response = client.post(reverse("chatbots:create"), {"name": "Theirs", **FORM, **foreign})
        assert response.status_code == 422
        assert SECRET not in body(response)
        assert not Chatbot.objects.filter(owner=stranger.user).exists()


def test_a_chatbot_of_another_cannot_be_linked(world: World) -> None:
    url = reverse("chatbots:library-links", args=[world.library.pk])
    response = make_client(world.people.bob).post(url, {"chatbot": world.chatbot.pk})
    assert response.status_code == 404
    assert world.chatbot.school_links.count() == 1


def test_a_message_id_of_another_is_replaced(world: World) -> None:
    mine = make_chatbot(world.people.charlie)
    data = {"question": "What is this?", "message_id": world.message.pk}
    response = make_client(world.people.charlie).post(reverse("chatbots:ask-first", args=[mine.pk]), data)
    message = Message.objects.get(chat__chatbot=mine)
    assert response.headers["Location"] == reverse("chatbots:chat", args=[message.chat_id])
    assert message.pk != world.message.pk


def test_one_cannot_switch_to_a_school_of_others(world: World) -> None:
    client = make_client(world.people.charlie)
    for school in (world.people.alice.school_id, uuid4(), "nonsense"):
        assert client.post(reverse("schools:switch"), {"school": school}).status_code == 404
