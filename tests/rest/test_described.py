"""The running server does what its description says: no answer that is not in it, and no fault of ours.

Schemathesis makes up requests of every operation, right ones and wrong ones, of ids that are there and that are not.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import uuid4

import hypothesis
import pytest
import schemathesis
import uvicorn
from django.core.asgi import get_asgi_application
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from chatbots.models import ChatbotRole, Participant
from chatbots.sharing.colleagues import share_with
from learning.models import Attempt, Question
from references.approved.topics import create_topic
from rest.schema import build_schema
from schools.models import Membership
from tests import factories
from tests.classrooms.classes import open_class
from tests.factories import (
    finish_answers,
    make_chatbot,
    make_member,
    make_message,
    make_token,
    personal_document,
    school_document,
)
from tests.learning.plans import make_plan
from tests.running import free_port, wait_for

EXAMPLES = int(os.environ.get("LECTERN_EXAMPLES", "3"))
"""Of each operation, each way; of an id that is not there one is enough. A thorough look by hand takes a hundred."""

load_all_checks()
HELD = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
)


def a_personal_document(member: Membership) -> Any:
    return personal_document(member, f"# Plan\n\nOf {uuid4()}.\n", indexed=False).pk


def a_library_document(member: Membership) -> Any:
    return school_document(member, f"# Plan\n\nOf {uuid4()}.\n", indexed=False).pk


def a_topic(member: Membership) -> Any:
    topic = create_topic(
        school=member.school,
        name=f"Of {uuid4()}",
        keywords=["rent", "deposit"],
        addresses=["https://page.example/"],
    )
    return topic.pk


def a_chatbot(member: Membership) -> Any:
    return make_chatbot(member).pk


def a_share(member: Membership) -> Any:
    colleague = make_member(member.school, f"of-{uuid4()}")
    chatbot = make_chatbot(member)
    return share_with(chatbot=chatbot, owner=member, colleague=colleague, role=ChatbotRole.READER).pk


def a_chat(member: Membership) -> Any:
    return make_message(member, make_chatbot(member), answered=False).chat_id


def a_message(member: Membership) -> Any:
    return make_message(member, make_chatbot(member)).pk


def a_plan(member: Membership) -> Any:
    return make_plan(member).pk


def a_concept(member: Membership) -> Any:
    return make_plan(member).concepts.order_by("position")[0].pk


def a_question(member: Membership) -> Any:
    return make_plan(member).concepts.order_by("position")[0].questions.get().pk


def an_attempt(member: Membership) -> Any:
    question, learner = Question.objects.get(pk=a_question(member)), Participant.objects.of(member)
    values = {"given": "x", "verdict": "unsure", "share": 0, "feedback": "Compare [1]."}
    return Attempt.objects.create(school=member.school, question=question, participant=learner, **values).pk


def a_class_link(member: Membership) -> Any:
    return open_class(member, make_chatbot(member)).pk


ROWS: dict[str, Callable[[Membership], Any]] = {
    "/api/v1/documents/{id}": a_personal_document,
    "/api/v1/library/documents/{id}": a_library_document,
    "/api/v1/approved/topics/{id}": a_topic,
    "/api/v1/chatbots/{id}": a_chatbot,
    "/api/v1/openai/models/{id}": a_chatbot,
    "/api/v1/shares/{id}": a_share,
    "/api/v1/chats/{id}": a_chat,
    "/api/v1/messages/{id}": a_message,
    "/api/v1/plans/{id}": a_plan,
    "/api/v1/concepts/{id}": a_concept,
    "/api/v1/questions/{id}": a_question,
    "/api/v1/attempts/{id}": an_attempt,
    "/api/v1/class-links/{id}": a_class_link,
}
"""What makes a row for the addresses that begin so."""


@pytest.fixture
def address(transactional_db: None) -> Iterator[str]:
    port = free_port()
    config = uvicorn.Config(get_asgi_application(), port=port, lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(120)
    finish_answers()


def test_every_answer_is_in_the_description(address: str) -> None:
    carol = factories.cast().carol
    headers = {"Authorization": f"Bearer {make_token(carol, write=True)}"}
    schema = schemathesis.openapi.from_dict(build_schema())
    operations: list[Any] = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) == sum(len(methods) for methods in build_schema()["paths"].values())
    for operation in operations:
        make = next((make for path, make in ROWS.items() if operation.path.startswith(path)), None)
        assert make or "{" not in operation.path, f"{operation.path}: ROWS must say how to make one"
        takes_something = any(operation.iter_parameters()) or operation.body
        for mode in GenerationMode if takes_something else [GenerationMode.POSITIVE]:
            if make:
                try_out(operation, mode, address, headers, partial(make, carol))
            try_out(operation, mode, address, headers)


def try_out(
    operation: Any,
    mode: GenerationMode,
    address: str,
    headers: dict[str, str],
    make: Callable[[], Any] | None = None,
) -> None:
    """Requests of one operation, with the id of a row where one is made."""
    fixed = {"id": str(make())} if make else None
    examples = 1 if "{" in operation.path and not make else EXAMPLES

    @hypothesis.settings(max_examples=examples, suppress_health_check=list(hypothesis.HealthCheck), database=None)
    @hypothesis.given(case=operation.as_strategy(mode, path_parameters=fixed))
    def hold(case: Any) -> None:
        case.call_and_validate(base_url=address, headers=headers, checks=HELD, timeout=60)
        if make and fixed and operation.method.upper() == "DELETE":
            fixed["id"] = str(make())

    hold()
