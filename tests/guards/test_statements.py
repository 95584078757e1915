"""No page or route asks the database more often because there is more to show: each is read as by whom it is for, and
again with six more of everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chatbots.conversations import deletion
from chatbots.models import ChatbotRole, Feedback, Message
from chatbots.services import link_school_document
from chatbots.sharing.colleagues import share_with
from classrooms import hands
from classrooms.models import Flag
from evaluation.models import TestQuestion
from privacy.models import Erasure
from references.models import ApprovedPage, ApprovedTopic
from schools import tokens
from schools.models import Membership
from tests.classrooms.classes import join, make_asked, open_class
from tests.factories import (
    index_all,
    make_chatbot,
    make_member,
    make_message,
    personal_document,
    school_document,
    signed_in,
)
from tests.guards import test_api, test_isolation
from tests.guards.world import World
from tests.learning.plans import add, make_plan

pytestmark = pytest.mark.django_db

MORE = 6
GROW = {
    "classrooms:concerns": "records that concerns were read, and looks up teachers, once there is one",
    "privacy:erase-member": "asks for what hangs on the rows of a table once it has any",
}
"""Pages and routes that ask more often where there is more, each with the reason."""


def add_more(world: World) -> None:
    """Six more of everything that the world has."""
    alice, carol = world.people.alice, world.people.carol
    made = [
        (
            personal_document(alice, f"# More {n}\n\nHydrochloric acid number {n}.\n", f"m{n}.md", indexed=False),
            school_document(carol, f"# Rules {n}\n\nAcid rule number {n}.\n", f"r{n}.md", indexed=False),
        )
        for n in range(MORE)
    ]
    index_all()
    for n, (own, library) in enumerate(made):
        bot = make_chatbot(alice, personal=[own], school=[library], name=f"More {n}")
        link_school_document(chatbot=world.chatbot, document=library, linked=True)
        world.chatbot.personal_links.create(school=alice.school, document=own)
        colleague = make_member(alice.school, f"more-{n}")
        for chatbot in (bot, world.shared):
            share_with(chatbot=chatbot, owner=alice, colleague=colleague, role=ChatbotRole.READER)
        for chatbot, chat in ((world.chatbot, None), (world.chatbot, world.chat), (bot, None)):
            message = make_message(alice, chatbot, f"How strong is acid {n}?", chat=chat)
        Feedback.objects.create(school=alice.school, message=message, verdict="down", words="Wrong.")
        refused = make_message(alice, world.chatbot, f"Who won in {n}?", answered=False)
        Message.objects.filter(pk=refused.pk).update(status="done", mode="refused")
        deletion.delete_chat(make_message(alice, world.chatbot, f"Gone {n}?", answered=False).chat)
        deletion.hide_chatbot(make_chatbot(alice, name=f"Gone {n}"))
        TestQuestion.objects.create(school=alice.school, chatbot=world.chatbot, question=f"{n}?", is_refused=True)
        tokens.make(member=alice, name=f"More {n}")
        topic = ApprovedTopic.objects.create(school=alice.school, name=f"More {n}", keywords=["acid", str(n)])
        for one in (topic, world.topic):
            address = f"https://more-{n}.example/{one.pk}"
            ApprovedPage.objects.create(school=alice.school, topic=one, address=address, approved_text="Acid.")
        make_plan(alice, "Acid", "Base", title=f"More {n}")
        add(world.plan, f"More {n}")
        Erasure.objects.create(school=alice.school, kind="class", subject_id=own.pk, counts={})
        signed_in(alice)
        link = open_class(alice, world.chatbot, name=f"More {n}")
        for pupil in (join(link), join(world.class_link)):
            for number in range(2):
                asked = make_asked(pupil, world.chatbot, f"Which acid {number}?")
            hands.raise_hand(asked, is_raised=True)
            Flag.objects.create(school=alice.school, message=asked, category="violence", pupil=pupil, words="x")


Call = Callable[[], Any]


def reads(world: World) -> dict[str, Call]:
    """Each page and route that reads, called by whom it is for."""
    sessions = {one: signed_in(one) for one in (world.people.alice, world.people.carol)}

    def by(audience: str) -> Client:
        allowed: list[Membership] = test_isolation.allowed(world, audience)
        return sessions[allowed[0]]

    def page(name: str) -> Call:
        return lambda: test_isolation.call(by(test_isolation.CASES[name].audience), name, "get", world)

    def route(operation: str) -> Call:
        return lambda: test_api.call(by(test_api.CASES[operation].audience), operation, world)

    pages = {name: page(name) for name, case in test_isolation.CASES.items() if "get" in case.methods}
    return pages | {operation: route(operation) for operation in test_api.CASES if operation.startswith("GET ")}


def statements(call: Call) -> int:
    with CaptureQueriesContext(connection) as asked:
        response = call()
    assert response.status_code in (200, 302), response
    return len(asked)


def test_no_page_asks_more_often_where_there_is_more(world: World) -> None:
    found = reads(world)
    for call in found.values():
        call()  # what is kept for the next time
    before = {name: statements(call) for name, call in found.items()}
    add_more(world)
    after = {name: statements(call) for name, call in found.items()}
    grown = {name for name in found if after[name] > before[name] and statements(found[name]) > before[name]}
    told = {name: (before[name], after[name]) for name in sorted(grown)}
    assert grown - set(GROW) == set(), told
    assert set(GROW) - grown == set(), "stale"
