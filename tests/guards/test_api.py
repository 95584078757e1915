"""Every route and method of the API, called with every kind of token that it is not for (S2).

The walk takes what the resolver knows: a route or a method without a case fails here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from django.utils.timezone import now

from schools import tokens
from schools.models import AccessToken, Membership, Scope, User
from tests.factories import (
    Cast,
    make_file,
    make_member,
    make_token,
)
from tests.guards.visitors import nothing_changed, visitors
from tests.guards.world import SECRET, SHARED, World

pytestmark = pytest.mark.django_db

EXEMPT = {
    "docs": "a page, for members, without rows of a school: see tests/rest/test_schema.py",
    "openai": "nothing is there: see tests/openai_api/test_api_openai.py",
    "openai-unknown": "nothing is there: see tests/openai_api/test_api_openai.py",
}


Data = Callable[[World], dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """One method of one route: whose row is in its address, what is sent, and which of the same school may call it."""

    row: Callable[[World], Any] | None = None
    data: Data = field(default=lambda world: {})
    audience: str = "owner"  # "owner", "members" of the school or its "admins"
    writes: bool | None = None  # None: what is no GET does
    is_form: bool = False
    names_row: bool = False  # in what is sent: to others it is as if there were none
    missing: int = 404  # what a row that is named, and is not there, is answered with
    is_refused: bool = False  # with 422 to whoever may call it: no page of the web can be fetched in this world


def a_file(world: World) -> dict[str, Any]:
    return {"file": make_file(f"# New\n\nSomething new {uuid4()}.\n", "new.md")}


def an_address(world: World) -> dict[str, Any]:
    return {"address": "https://marblefinch.example/"}


Personal = partial(Case, lambda w: w.personal)
Library = partial(Case, lambda w: w.library)
Topic = partial(Case, lambda w: w.topic)
Bot = partial(Case, lambda w: w.chatbot)
Shared = partial(Case, lambda w: w.collaborator)
Conversation = partial(Case, lambda w: w.message.chat)
Answered = partial(Case, lambda w: w.message)
Plan = partial(Case, lambda w: w.plan)
Concept = partial(Case, lambda w: w.concept)
LastConcept = partial(Case, lambda w: w.last_concept)
Question = partial(Case, lambda w: w.question)
Class = partial(Case, lambda w: w.class_link)
ABOUT_ACIDS: dict[str, Any] = {"question": "How strong may hydrochloric acid be?"}

CASES: dict[str, Case] = {
    "GET me": Case(audience="members"),
    "GET schema": Case(audience="members"),
    "GET documents": Case(),
    "POST documents": Case(data=a_file, is_form=True),
    "GET document": Personal(),
    "PATCH document": Personal(data=lambda w: {"title": SECRET}),
    "DELETE document": Personal(),
    "GET document-file": Personal(),
    "PUT document-file": Personal(data=a_file, is_form=True),
    "GET document-chunks": Personal(),
    "GET document-outline": Personal(),
    "POST web-pages": Case(data=an_address, is_refused=True),
    "POST web-page-fetch": Personal(is_refused=True),
    "POST library-web-pages": Case(data=an_address, audience="admins", is_refused=True),
    "POST library-web-page-fetch": Library(audience="admins", is_refused=True),
    "GET library-documents": Case(audience="members"),
    "POST library-documents": Case(data=a_file, audience="admins", is_form=True),
    "GET library-document": Library(audience="members"),
    "PATCH library-document": Library(data=lambda w: {"title": SHARED}, audience="admins"),
    "DELETE library-document": Library(audience="admins"),
    "GET library-document-file": Library(audience="members"),
    "PUT library-document-file": Library(data=a_file, audience="admins", is_form=True),
    "GET library-document-chunks": Library(audience="members"),
    "GET library-document-outline": Library(audience="members"),
    "GET archives": Case(audience="members"),
    "GET approved-topics": Case(audience="admins"),
    "POST approved-topics": Case(
        data=lambda w: {"name": f"New {uuid4()}", "keywords": ["rent", "deposit"]}, audience="admins"
    ),
    "GET approved-topic": Topic(audience="admins"),
    "PATCH approved-topic": Topic(data=lambda w: {"name": SHARED}, audience="admins"),
    "DELETE approved-topic": Topic(audience="admins"),
    "POST approved-warm": Case(audience="admins"),
    "GET message": Answered(),
    "POST message-again": Answered(),
    "POST message-stop": Answered(),
    "GET message-feedback": Answered(),
    "PUT message-feedback": Answered(data=lambda w: {"verdict": "down", "words": SECRET}),
    "DELETE message-feedback": Answered(),
    "GET chats": Case(),
    "GET chat": Conversation(),
    "PATCH chat": Conversation(data=lambda w: {"title": SECRET}),
    "DELETE chat": Conversation(),
    "POST chat-restore": Conversation(),
    "GET chat-messages": Conversation(),
    "GET chatbots": Case(),
    "POST chatbots": Case(data=lambda w: {"name": "New"}),
    "GET chatbot": Bot(),
    "PATCH chatbot": Bot(data=lambda w: {"name": SECRET}),
    "GET shares": Bot(),
    "POST shares": Bot(data=lambda w: {"colleague": w.people.bob.user.email}),
    "PATCH share": Shared(data=lambda w: {"role": "editor"}),
    "DELETE share": Shared(),
    "GET colleagues": Bot(),
    "GET consent": Bot(),
    "PUT consent": Bot(data=lambda w: {"documents": True}),
    "GET templates": Case(audience="members"),
    "PUT template": Bot(),
    "DELETE template": Bot(),
    "POST chatbot-copy": Bot(),
    "PUT chatbot-archive": Bot(),
    "DELETE chatbot-archive": Bot(),
    "DELETE chatbot": Bot(),
    "POST chatbot-restore": Bot(),
    "GET chatbot-sources": Bot(),
    "PUT chatbot-sources": Bot(data=lambda w: {"personal": [], "school": []}),
    "POST ask": Bot(data=lambda w: ABOUT_ACIDS),
    "POST ask-page": Bot(data=lambda w: ABOUT_ACIDS | {"title": "Hydrochloric acid"}),
    "POST search": Bot(data=lambda w: {"query": "hydrochloric acid"}, writes=False),
    "POST ask-selection": Case(data=lambda w: ABOUT_ACIDS | {"selected_text": "At most 1 mol/l."}),
    "GET plans": Case(),
    "POST plans": Case(data=lambda w: {"title": "New", "chatbot": str(w.chatbot.pk)}, names_row=True),
    "GET plan": Plan(),
    "PATCH plan": Plan(data=lambda w: {"title": SECRET}),
    "DELETE concept": LastConcept(),
    "DELETE plan": Plan(),
    "POST plan-stop": Plan(),
    "POST plan-resume": Plan(),
    "POST plan-refresh": Plan(),
    "GET plan-progress": Plan(),
    "GET plan-export": Plan(),
    "POST plan-ask": Plan(data=lambda w: ABOUT_ACIDS),
    "GET plan-questions": Plan(),
    "POST plan-questions": Plan(),
    "POST plan-concepts": Plan(data=lambda w: {"name": f"{SECRET} {uuid4()}"}),
    "GET concept": Concept(),
    "PATCH concept": Concept(data=lambda w: {"definition": SECRET}),
    "GET concept-prerequisites": LastConcept(),
    "PUT concept-prerequisites": LastConcept(data=lambda w: {"prerequisites": [str(w.concept.pk)]}),
    "POST concept-split": Concept(data=lambda w: {"name": f"{SECRET} {uuid4()}", "sources": [1]}),
    "POST concept-merge": LastConcept(data=lambda w: {"into": str(w.concept.pk)}),
    "POST plan-undo": Plan(),
    "GET question": Question(),
    "PATCH question": Question(data=lambda w: {"review": "approved"}),
    "POST question-attempts": Question(data=lambda w: {"answer": SECRET}),
    "PATCH attempt": Case(lambda w: w.attempt, data=lambda w: {"own_rating": "right"}),
    "POST me-export": Case(writes=False),
    "GET erasures": Case(),
    "POST erasures": Case(data=lambda w: {"kind": "pupil", "id": str(w.pupil.pk), "confirm": "erase"}, names_row=True),
    "GET class-links": Case(),
    "POST class-links": Case(
        data=lambda w: {"name": SECRET, "chatbots": [str(w.chatbot.pk)], "ends_at": str(now() + timedelta(days=30))},
        names_row=True,
        missing=400,
    ),
    "GET class-link": Class(),
    "PATCH class-link": Class(data=lambda w: {"name": SECRET}),
    "DELETE class-link": Class(),
    "GET class-transcripts": Class(),
    "GET audit": Case(audience="admins"),
    "GET question-log": Case(audience="admins"),
    "GET usage": Case(),
    "GET openai-models": Case(),
    "GET openai-model": Bot(),
    "POST openai-completions": Case(
        data=lambda w: {
            "model": str(w.chatbot.pk),
            "messages": [{"role": "user", "content": ABOUT_ACIDS["question"]}],
        },
        names_row=True,
    ),
}


def operations(resolver: URLResolver | None = None, inside: bool = False) -> Iterator[str]:
    """ "GET documents" and so on: each route of the namespace with each method that its view has."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            yield from operations(entry, inside or entry.namespace == "api")
        elif inside:
            assert isinstance(entry, URLPattern)
            view = None if entry.name in EXEMPT else getattr(entry.callback, "cls", None)
            assert view or entry.name in EXEMPT, f"{entry.name} is no MemberView"
            for method in view.http_method_names if view else ():
                if method != "head" and hasattr(view, method):
                    yield f"{method.upper()} {entry.name}"


def test_every_route_and_method_has_a_case() -> None:
    known = set(operations())
    assert known - set(CASES) == set(), "API routes without a case"
    assert set(CASES) - known == set(), "cases without an API route"


def call(client: Client, operation: str, world: World, key: Any = None) -> Any:
    method, name = operation.split()
    case = CASES[operation]
    row = case.row(world) if case.row else None
    url = reverse(f"api:{name}", args=[key or row.pk] if row is not None else [])
    data = case.data(world)
    if case.is_form:
        return client.generic(method, url, encode_multipart(BOUNDARY, data), MULTIPART_CONTENT)
    if method == "GET":
        return client.get(url, data)
    return client.generic(method, url, json.dumps(data), "application/json")


def body(response: Any) -> str:
    content = response.getvalue() if response.streaming else response.content
    return str(content.decode(errors="replace"))


def with_token(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})


def writing(member: Membership) -> Client:
    return with_token(make_token(member, write=True))


def ended_tokens(people: Cast) -> dict[str, Client]:
    """Of people who could do anything in Alice's school, all of whose tokens are over."""
    clients = {}
    for how in ("revoked", "expired", "suspended", "no member"):
        member = make_member(people.alice.school, how.replace(" ", "-"), people.carol.role)  # type: ignore[arg-type]
        token, secret = tokens.make(member=member, name=how, scope=Scope.WRITE)
        clients[how] = with_token(secret)
        if how == "revoked":
            tokens.revoke(token)
        elif how == "expired":
            AccessToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
        elif how == "suspended":
            User.objects.filter(pk=member.user_id).update(is_active=False)
        else:
            member.delete()
    return clients


def test_no_token_that_is_over_opens_any_route(world: World) -> None:
    clients = ended_tokens(world.people) | {"none": Client(), "unknown": with_token("lectern_nothing")}
    for operation in CASES:
        for how, client in clients.items():
            response = call(client, operation, world)
            assert response.status_code == 401, (operation, how)
            assert response["WWW-Authenticate"].startswith("Bearer"), (operation, how)
            assert SECRET not in body(response), (operation, how)
            assert SHARED not in body(response), (operation, how)


def test_a_reading_token_opens_what_reads_and_nothing_else(world: World) -> None:
    people = world.people
    clients = {member: with_token(make_token(member)) for member in (people.alice, people.carol)}
    for operation, case in CASES.items():
        reader = people.carol if case.audience == "admins" else people.alice
        response = call(clients[reader], operation, world)
        writes = case.writes if case.writes is not None else not operation.startswith("GET")
        assert response.status_code in ((403,) if writes else (200,)), (operation, body(response))


def test_a_session_changes_nothing_without_its_csrf_token(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people.alice.user)
    for operation in CASES:
        if not operation.startswith("GET"):
            response = call(client, operation, world)
            assert (response.status_code, "CSRF" in body(response)) == (403, True), operation


def test_no_token_opens_what_is_anothers(world: World) -> None:
    """404 for every row that is not one's own, the same as for a row that does not exist; 403 for a colleague
    where only an admin of the same school may act."""
    people = world.people
    elsewhere = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    outsiders = {people.charlie, people.chloe, elsewhere}
    clients = {member: writing(member) for member in (*outsiders, people.bob, people.carol)}
    for operation in CASES:
        call(Client(), operation, world)
    with nothing_changed():
        for operation, case in CASES.items():
            allowed = {"owner": set(), "members": {people.bob, people.carol}, "admins": {people.carol}}[case.audience]
            for member, client in clients.items():
                if member in allowed:
                    continue
                response = call(client, operation, world)
                told = (operation, str(member))
                assert SECRET not in body(response), told
                if member in outsiders:
                    assert SHARED not in body(response), told
                if case.names_row:
                    assert response.status_code == case.missing, told
                elif case.row is None:
                    done = {422} if case.is_refused else {200, 201, 202}
                    expected = {403} if case.audience == "admins" and not member.is_admin else done
                    assert response.status_code in expected, told
                elif member in outsiders or case.audience == "owner":
                    assert response.status_code == 404, told
                    if member in (people.charlie, people.bob):
                        missing = call(client, operation, world, key=uuid4())
                        assert (missing.status_code, body(missing)) == (404, body(response)), told
                else:
                    assert response.status_code == 403, told


def test_no_route_opens_to_visitors(world: World) -> None:
    """Pupils of all kinds and operators without a school are nobody here, and whoever comes by a platform is who they
    are. None of them has a token."""
    found = visitors(world)
    for operation in CASES:
        call(Client(), operation, world)
    with nothing_changed():
        for operation, case in CASES.items():
            for how, client in (*found.pupils.items(), ("operator", found.operator)):
                response = call(client, operation, world)
                if (operation, how) != ("GET schema", "operator"):
                    assert response.status_code in ((401, 403) if how == "operator" else (401,)), (operation, how)
                assert SECRET not in body(response) and SHARED not in body(response), (operation, how)
            if case.audience != "members":
                response = call(found.teacher_by_lti, operation, world)
                assert SECRET not in body(response), operation
                if case.row:
                    assert response.status_code == (403 if case.audience == "admins" else 404), operation


def test_every_route_opens_for_those_it_is_for(world: World) -> None:
    """The control: a route closed to everybody would pass the rest. What deletes comes last."""
    people = world.people
    clients = {member: writing(member) for member in (people.alice, people.bob, people.carol)}
    for operation, case in sorted(CASES.items(), key=lambda item: item[0].startswith("DELETE")):
        allowed = {"owner": [people.alice], "admins": [people.carol]}
        for member in allowed.get(case.audience, [people.alice, people.bob, people.carol]):
            response = call(clients[member], operation, world)
            done = (422,) if case.is_refused else (200, 201, 202, 204)
            assert response.status_code in done, (operation, str(member), body(response))
