"""People without a membership, or in a session that a platform began, each in a browser that got there as they do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from classrooms import links
from classrooms.models import ClassLink, Pupil
from lti.models import ResourceLink, TeacherIdentity
from schools.models import User
from tests.classrooms.classes import come_in, open_class
from tests.factories import make_chatbot
from tests.guards.test_tenant_columns import our_models
from tests.guards.world import World
from tests.lti.simulator import TEACHER, go, make_platform, simulator


@dataclass
class Visitors:
    operator: Client
    teacher_by_lti: Client
    """Bob, from the platform of the school."""
    pupils: dict[str, Client]


def visitors(world: World) -> Visitors:
    alice, charlie = world.people.alice, world.people.charlie
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    pupils: dict[str, Client] = {"of the class": come_in(world.class_link)[0]}
    pupils["paused"], paused = come_in(world.class_link)
    Pupil.objects.filter(pk=paused.pk).update(paused_at=timezone.now())
    for how in ("of a paused class", "of a closed class", "of an expired class"):
        link = open_class(alice, world.chatbot, name=how)
        pupils[how], _ = come_in(link)
        if how == "of a paused class":
            links.pause(link, is_paused=True)
        elif how == "of a closed class":
            links.close(link)
        else:
            ClassLink.objects.filter(pk=link.pk).update(ends_at=timezone.now() - timedelta(seconds=1))
    pupils["of another school"], _ = come_in(open_class(charlie, make_chatbot(charlie)))
    teacher_by_lti = Client()
    with simulator() as sim, override_settings(LECTERN_FETCH_LOOPBACK=True):
        platform = make_platform(alice.school, sim.url)
        sim.know(platform)
        link = open_class(alice, world.chatbot)
        activity = ResourceLink.objects.create(
            school=alice.school, platform=platform, class_link=link, chatbot=world.chatbot
        )
        sim.opens("4711", link=activity.pk)
        pupils["by a platform"] = Client(headers={"Origin": "http://testserver"})
        go(pupils["by a platform"], sim)
        bob = world.people.bob
        TeacherIdentity.objects.create(school=bob.school, provider=platform, user=bob.user, subject="11")
        sim.opens("11", TEACHER, resource="8")
        go(teacher_by_lti, sim)
    for client in pupils.values():  # nor does their cookie pass for a session
        (cookie,) = (cookie for name, cookie in client.cookies.items() if name.startswith("class-"))
        client.cookies["sessionid"] = cookie.value
    return Visitors(operator, teacher_by_lti, pupils)


def rows() -> dict[tuple[str, str], str]:
    """All rows of all schools, each by a digest of its values."""
    found: dict[tuple[str, str], str] = {}
    of_use = "'{last_login,last_used_at}'::text[]"
    statement = 'SELECT {key}::text, md5((to_jsonb(one) - {of_use})::text) FROM "{table}" AS one'
    with connection.cursor() as cursor:
        for model in our_models():
            if model._meta.managed:
                assert model._meta.pk
                key = connection.ops.quote_name(model._meta.pk.column)
                cursor.execute(statement.format(key=key, of_use=of_use, table=model._meta.db_table))
                found |= {(model._meta.label, pk): digest for pk, digest in cursor.fetchall()}
    return found


@contextmanager
def nothing_changed() -> Iterator[None]:
    """Whoever is refused in this block changes no row that was there before; rows of their own they may add."""
    before = rows()
    yield
    after: dict[Any, str] = rows()
    changed = [key for key, digest in before.items() if after.get(key) != digest]
    assert not changed, changed
