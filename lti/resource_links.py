"""What an activity of a platform opens: found by its launch, and made by a teacher."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse

from chatbots.models import Chatbot
from classrooms import links as classes
from classrooms.joining import pupils
from classrooms.models import ClassLink
from lti.launch import Launch
from lti.models import Platform, ResourceLink
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import parse_uuid
from schools.models import Membership


def find_resource_link(platform: Platform, launch: Launch) -> ResourceLink | None:
    """What the activity opens: named by its custom parameter, else bound to where it stands. Never another school's."""
    rows = ResourceLink.objects.filter(platform=platform)
    rows = rows.select_related("class_link__school", "class_link__owner", "chatbot", "platform")
    key = parse_uuid(launch.link)
    named = rows.filter(pk=key).first() if key else None
    return named or rows.filter(deployment_id=launch.deployment, resource_id=launch.resource).first()


@transaction.atomic
def make_link(
    *,
    platform: Platform,
    launch: Launch,
    member: Membership,
    chatbot: Chatbot,
    class_link: ClassLink | None,
    name: str,
    ends_at: datetime,
    sends_grades: bool,
) -> ResourceLink:
    """Let an activity open a chatbot in a class of the member's, or in a new one. Raises LinkRefused."""
    if class_link is None:
        class_link = classes.create_link(member=member, ends_at=ends_at, chatbots=[chatbot.pk], name=name)
    elif not class_link.opened.filter(chatbot=chatbot).exists():
        offered = classes.list_own_chatbots(member)
        opened = set(class_link.opened.filter(chatbot__in=offered).values_list("chatbot", flat=True))
        classes.change_link(link=class_link, member=member, chatbots=opened | {chatbot.pk})
    values: dict[str, Any] = {
        "class_link": class_link,
        "chatbot": chatbot,
        "sends_grades": sends_grades and chatbot.is_tutor,
    }
    own: dict[str, Any] = {"school": platform.school, "platform": platform}
    if launch.is_choice:
        link = ResourceLink.objects.create(**own, **values)
    else:
        place: dict[str, Any] = {"deployment_id": launch.deployment, "resource_id": launch.resource}
        link, _ = ResourceLink.objects.update_or_create(**own, **place, defaults=values)
    detail = {"platform": platform.name, "grades": "sent" if link.sends_grades else "not sent"}
    record(Action.LTI_LINKED, school=platform.school_id, subject=class_link, label=class_link.name, detail=detail)
    return link


def get_room_address(link: ResourceLink) -> str:
    """Where a pupil begins: with the chatbot or the practice that was chosen, if it is still open to the class."""
    code = link.class_link.code
    if link.chatbot not in pupils.list_askable_chatbots(link.class_link):
        return reverse("classrooms:room", args=[code])
    is_practice = link.chatbot.is_tutor and link.sends_grades
    return reverse("classrooms:practise" if is_practice else "classrooms:new-chat", args=[code, link.chatbot_id])
