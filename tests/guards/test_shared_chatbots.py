"""Every route, tried by colleagues with whom a chatbot is shared, and by one with whom it no longer is (ADR 26)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from chatbots.models import Chatbot, Collaborator
from schools.models import Membership
from tests.factories import make_message
from tests.guards import test_api, test_isolation
from tests.guards.test_isolation import call
from tests.guards.world import OPEN, SECRET, World

pytestmark = pytest.mark.django_db

# Of each route about a chatbot the status for a colleague who may ask it, and for one who may change it, too.
PAGES = {
    "chatbots:new-chat": (200, 200),
    "chatbots:opening": (200, 200),
    "chatbots:ask-first": (302, 302),
    "chatbots:edit": (403, 200),
    "chatbots:copy": (302, 302),
    "chatbots:archive": (302, 302),
    "chatbots:bring-back": (302, 302),
    "chatbots:share": (403, 403),
    "chatbots:share-documents": (403, 403),
    "chatbots:offer-template": (403, 403),
    "chatbots:delete": (403, 403),
    "chatbots:restore": (403, 403),
    "evaluation:list": (404, 404),
    "evaluation:run": (404, 404),
    "evaluation:try-search": (404, 404),
    "evaluation:add": (404, 404),
}
API = {
    "GET chatbot": (200, 200),
    "GET openai-model": (200, 200),
    "PATCH chatbot": (403, 200),
    "DELETE chatbot": (403, 403),
    "POST chatbot-restore": (403, 403),
    "GET shares": (403, 403),
    "POST shares": (403, 403),
    "GET colleagues": (403, 403),
    "GET consent": (403, 403),
    "PUT consent": (403, 403),
    "PUT template": (403, 403),
    "DELETE template": (403, 403),
    "POST chatbot-copy": (201, 201),
    "PUT chatbot-archive": (200, 200),
    "DELETE chatbot-archive": (200, 200),
    "GET chatbot-sources": (200, 200),
    "PUT chatbot-sources": (403, 200),
    "POST ask": (200, 200),
    "POST ask-page": (200, 200),
    "POST search": (200, 200),
}


def test_a_chatbot_that_is_shared_opens_as_far_as_the_role_goes(world: World) -> None:
    about = {name for name, case in test_isolation.CASES.items() if case.row and case.row(world) == world.chatbot}
    assert about == set(PAGES), "what may colleagues do with this route?"
    for name, statuses in PAGES.items():
        for member, status in zip((world.reader, world.editor), statuses, strict=True):
            for method in test_isolation.CASES[name].methods:
                response = call(member, name, method, world, key=world.shared.pk)
                found = response.status_code
                assert found == status or (status, found, method) == (200, 302, "post"), (name, method, str(member))
                if status >= 400:
                    assert SECRET not in test_isolation.body(response), (name, str(member))
    assert Collaborator.objects.count() == 2
    assert Chatbot.objects.kept().filter(pk=world.shared.pk, is_template=False).exists()


def test_it_is_gone_for_one_with_whom_it_is_no_longer_shared(world: World) -> None:
    """What else its owner has is closed to all of them: see test_isolation."""
    for name in PAGES:
        for method in test_isolation.CASES[name].methods:
            former_finds_nothing(world, name, method)
    for member, listed in ((world.reader, True), (world.editor, True), (world.former, False)):
        text = test_isolation.body(call(member, "chatbots:list", "get", world))
        assert (OPEN in text, SECRET in text) == (listed, False), str(member)


def former_finds_nothing(world: World, name: str, method: str) -> None:
    response, missing = (call(world.former, name, method, world, key=key) for key in (world.shared.pk, uuid4()))
    assert response.status_code == missing.status_code == 404, (name, method)
    assert test_isolation.body(response) == test_isolation.body(missing), (name, method)


def test_what_a_colleague_asked_closes_with_the_access(world: World) -> None:
    """Also to those who had a conversation: the same routes of their own message before and after."""
    message = make_message(world.editor, world.shared)
    rows: dict[Any, Any] = {world.message: message, world.chat: message.chat}
    rows[world.message.sources.first()] = message.sources.first()
    routes = {
        name: rows[case.row(world)]
        for name, case in test_isolation.CASES.items()
        if case.row and case.row(world) in rows and "get" in case.methods and name != "evaluation:pin"
    }
    assert len(routes) > 8
    for status in (200, 404):
        for name, row in routes.items():
            found = call(world.editor, name, "get", world, key=row.pk).status_code
            assert found == status or (status, found) == (200, 302), name
        Collaborator.objects.filter(membership=world.editor).delete()


def test_programs_of_colleagues_may_do_as_much_as_they(world: World) -> None:
    about = {name for name, case in test_api.CASES.items() if case.row and case.row(world) == world.chatbot}
    assert about == set(API), "what may programs of colleagues do with this route?"
    for operation, statuses in API.items():
        for member, status in zip((world.reader, world.editor, world.former), (*statuses, 404), strict=True):
            response = test_api.call(test_api.writing(member), operation, world, key=world.shared.pk)
            told = (operation, str(member), test_api.body(response))
            assert response.status_code == status, told
            if status >= 400:
                assert SECRET not in test_api.body(response), told
    assert Chatbot.objects.kept().filter(pk=world.shared.pk).exists()


def test_no_program_opens_anything_else_to_colleagues(world: World) -> None:
    def check(member: Membership) -> None:
        client = test_api.writing(member)
        for operation, case in test_api.CASES.items():
            if case.audience == "owner" and (case.row or case.names_row):
                response = test_api.call(client, operation, world)
                assert response.status_code == case.missing, (operation, str(member))
                assert SECRET not in test_api.body(response), (operation, str(member))

    for member in (world.reader, world.editor, world.former):
        check(member)
