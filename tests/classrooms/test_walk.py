"""Every page of pupils, tried by everybody it is not for: nobody, other pupils, other classes and schools, and pupils
whose class is not open. That a pupil's cookie opens nothing else: see tests/guards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from chatbots.models import Chatbot, Message
from classrooms import links
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import browser, come_in, make_asked, open_class
from tests.factories import Cast, make_chatbot, signed_in
from tests.learning.plans import make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
SECRET = "quivertassel"


@dataclass
class Scene:
    people: Cast
    link: ClassLink
    chatbot: Chatbot
    computer: Client
    pupil: Pupil
    message: Message
    tutor: Chatbot


@dataclass(frozen=True)
class Case:
    """One page: its methods, and the row of the pupil in its address."""

    methods: tuple[str, ...]
    row: Callable[[Scene], Any] | None = None
    is_shared: bool = False  # by the class: what any of its pupils may open
    data: dict[str, Any] = field(default_factory=dict)


CASES = {
    "room": Case(("get",), is_shared=True),
    "new-chat": Case(("get", "post"), lambda s: s.chatbot.pk, is_shared=True, data={"question": "Why?"}),
    "practise": Case(("get",), lambda s: s.tutor.pk, is_shared=True),
    "chat": Case(("get", "post"), lambda s: s.message.chat_id, data={"question": "Why?"}),
    "answered": Case(("get",), lambda s: s.message.chat_id),
    "exchange": Case(("get",), lambda s: s.message.pk),
    "stream": Case(("get",), lambda s: s.message.pk),
    "stop": Case(("post",), lambda s: s.message.pk),
    "again": Case(("post",), lambda s: s.message.pk),
    "hand": Case(("post",), lambda s: s.message.pk, data={"raised": "on"}),
    "source": Case(("get",), lambda s: s.message.sources.order_by("number")[0].pk),
}
FREE = {"enter", "door", "leave", "own-data", "own-data-file", "new-own-code"}
"""Pages without rows in their address: see test_joining and test_own_data."""


@pytest.fixture
def scene(people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]) -> Scene:
    tutor = make_plan(people.alice, "Acid", "Base").tutor
    assert tutor
    link = open_class(people.alice, chatbot, tutor)
    computer, pupil = come_in(link)
    message = make_asked(pupil, chatbot, f"How strong may the acid be, {SECRET}?")
    return Scene(people, link, chatbot, computer, pupil, message, tutor)


def call(
    client: Client, scene: Scene, name: str, method: str, *, link: ClassLink | None = None, key: Any = None
) -> Any:
    case = CASES[name]
    rows = [key or case.row(scene)] if case.row else []
    url = reverse(f"classrooms:{name}", args=[(link or scene.link).code, *rows])
    return getattr(client, method)(url, case.data if method == "post" else {})


def calls() -> list[tuple[str, str]]:
    return [(name, method) for name, case in CASES.items() for method in case.methods]


def read_text(response: Any) -> str:
    content = response.getvalue() if response.streaming else response.content
    return str(content.decode())


def test_every_page_of_pupils_has_a_case() -> None:
    patterns = {str(one.pattern): getattr(one, "name", "") for one in get_resolver("classrooms.urls").url_patterns}
    assert {name for pattern, name in patterns.items() if pattern.startswith("c/")} == set(CASES) | FREE


def test_they_open_for_the_pupil(scene: Scene) -> None:
    for name, method in calls():
        assert call(scene.computer, scene, name, method).status_code in (200, 204, 302), (name, method)


def test_they_open_for_nobody_else(scene: Scene) -> None:
    people, link = scene.people, scene.link
    other, _ = come_in(link)
    elsewhere = open_class(people.alice, scene.chatbot)
    in_another_class, _ = come_in(elsewhere)
    there = open_class(people.charlie, make_chatbot(people.charlie))
    in_another_school, _ = come_in(there)
    for name, method in calls():
        told = (name, method)
        missing = call(other, scene, name, method, key=uuid4())
        response = call(other, scene, name, method)
        if not CASES[name].is_shared:
            assert response.status_code == missing.status_code == 404, told
            assert read_text(response) == read_text(missing), told
        assert SECRET not in read_text(response), told
        for stranger in (
            in_another_class,
            in_another_school,
            browser(),
            signed_in(people.alice),
            signed_in(people.carol),
        ):
            response = call(stranger, scene, name, method)
            assert response.status_code in (302, 403), told  # to the door, or a POST without an origin
            assert response.status_code == 403 or response["Location"] == reverse("classrooms:door", args=[link.code])
            assert SECRET not in read_text(response), told
        for visitor, own in ((in_another_class, elsewhere), (in_another_school, there)):
            response = call(visitor, scene, name, method, link=own)
            if name != "room" and not (name == "new-chat" and own == elsewhere):
                assert response.status_code == 404, (told, own)
            assert SECRET not in read_text(response), told


NOT_OPEN: dict[str, Callable[[Scene], object]] = {
    "paused": lambda s: links.pause(s.link, is_paused=True),
    "closed": lambda s: links.close(s.link),
    "expired": lambda s: ClassLink.objects.filter(pk=s.link.pk).update(ends_at=timezone.now() - timedelta(seconds=1)),
    "pupil paused": lambda s: Pupil.objects.filter(pk=s.pupil.pk).update(paused_at=timezone.now()),
    "switched off": lambda s: links.allow_links(s.link.school, allowed=False),
}


@pytest.mark.parametrize("how", NOT_OPEN)
def test_they_close_with_the_class(how: str, scene: Scene) -> None:
    NOT_OPEN[how](scene)
    before = Message.objects.count()
    for name, method in calls():
        response = call(scene.computer, scene, name, method)
        assert response.status_code == 403, (name, method)
        assert SECRET not in read_text(response), (name, method)
    assert Message.objects.count() == before
