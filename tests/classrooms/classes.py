"""Classes for tests: a link, pupils who have joined, and browsers that send what browsers send."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.conversations import asking
from chatbots.models import Chat, Chatbot, Message
from classrooms.audience import PupilPolicy
from classrooms.joining import pupils
from classrooms.joining.nicknames import NICKNAMES
from classrooms.links import create_link
from classrooms.models import ClassLink, ClassroomSettings, Pupil, SafeguardingLead
from schools.models import Membership, School
from tests.factories import answer

ORIGIN = "http://testserver"
QUESTION = "How strong may the acid be?"


def url(name: str, *args: object) -> str:
    """A page of classes."""
    return reverse(f"classrooms:{name}", args=args)


def open_class(member: Membership, *chatbots: Chatbot, name: str = "Chemistry 9b", **fields: Any) -> ClassLink:
    """A class of a teacher with these chatbots, open for a week. The school has said that it has no safeguarding lead,
    so that its admins stand in, unless it has named one."""
    decide(member.school, goes_without_lead=True)
    ends_at = timezone.now() + timedelta(days=7)
    return create_link(member=member, chatbots=[one.pk for one in chatbots], name=name, ends_at=ends_at, **fields)


def decide(school: School, **fields: Any) -> ClassroomSettings:
    """What the admins of a school decide about class links."""
    return ClassroomSettings.objects.update_or_create(school=school, defaults=fields)[0]


def join(link: ClassLink, nickname: str = "") -> Pupil:
    """A pupil who has joined."""
    taken = set(link.pupils.values_list("nickname", flat=True))
    return pupils.join(link, nickname or min(NICKNAMES - taken)).pupil


def browser(address: str = "127.0.0.1") -> Client:
    """A browser without an account."""
    return Client(headers={"Origin": ORIGIN}, REMOTE_ADDR=address)


def come_in(link: ClassLink, nickname: str = "") -> tuple[Client, Pupil]:
    """A browser in which a pupil has joined by the page."""
    client = browser()
    taken = set(link.pupils.values_list("nickname", flat=True))
    name = nickname or min(NICKNAMES - taken)
    response = client.post(reverse("classrooms:door", args=[link.code]), {"nickname": name})
    assert response.status_code == 200, response.content
    return client, Pupil.objects.get(class_link=link, nickname=name)


def make_asked(
    pupil: Pupil, chatbot: Chatbot, question: str = QUESTION, *, chat: Chat | None = None, answered: bool = True
) -> Message:
    """A pupil's question, answered to its end in this thread unless told otherwise."""
    message = asking.ask(policy=PupilPolicy(pupil), chatbot=chatbot, question=question, chat=chat)
    if answered:
        for _ in answer(message.pk):
            pass
        message.refresh_from_db()
    return message


def name_leads(*members: Membership, tells_teacher: bool = False) -> None:
    """As an admin does on the page *Safeguarding*."""
    decide(members[0].school, tells_teacher=tells_teacher, leads_chosen=len(members))
    for member in members:
        SafeguardingLead.objects.create(school=member.school, member=member)


def page(name: str, link: ClassLink, *args: object) -> str:
    """The address of a page of a pupil."""
    return reverse(f"classrooms:{name}", args=[link.code, *args])
