"""Create and change class links."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.signals import post_delete
from django.utils import timezone

from chatbots.models import Chatbot
from classrooms.flagging import get_settings
from classrooms.joining.codes import make_class_code
from classrooms.mails import has_lead
from classrooms.models import EVERY_DAY, ClassLink, ClassLinkChatbot, ClassroomSettings, RealName
from plugins import is_on
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, School

_TRIES = 5


class LinkRefused(Exception):
    """The class link cannot be made like this; the message says why, `field` names what was wrong."""

    def __init__(self, words: str, field: str = "") -> None:
        super().__init__(words)
        self.field = field


def explain_not_allowed(school: School) -> str:
    """Why no class can be opened in a school, in words; empty if one can. Open classes go on without a lead."""
    settings = get_settings(school)
    if not settings.are_links_allowed:
        return "Your school has switched class links off."
    if settings.goes_without_lead or has_lead(school):
        return ""
    return "Before classes can be opened, an admin names the safeguarding lead of your school."


def list_offered_chatbots(member: Membership, link: ClassLink | None = None) -> Any:
    """The chatbots that a teacher is offered for a class: their own, and tutors of plans with enough questions; and
    those that the class has."""
    own = list_own_chatbots(member)
    if not is_on("learning"):
        return own
    from learning.models import StudyPlan

    is_offered = Q(is_tutor=False) | Q(plan__in=StudyPlan.objects.offered())
    return own.filter(is_offered | Q(pk__in=link.opened.values("chatbot")) if link and link.pk else is_offered)


def list_own_chatbots(member: Membership) -> Any:
    """The chatbots that a teacher may open to a class, tutors of study plans included."""
    chatbots = Chatbot.objects.kept().filter(school=member.school_id, owner=member.user_id)
    return chatbots if is_on("learning") else chatbots.filter(is_tutor=False)


@transaction.atomic
def create_link(*, member: Membership, ends_at: datetime, chatbots: Collection[UUID] = (), **fields: Any) -> ClassLink:
    """Open these chatbots of the member to a class. Raises LinkRefused."""
    if reason := explain_not_allowed(member.school):
        raise LinkRefused(reason)
    _check_end(ends_at)
    _check_hours(fields)
    fields["weekdays"] = sorted(set(fields.get("weekdays", EVERY_DAY)))
    for attempt in range(_TRIES):
        try:
            with transaction.atomic():
                link = ClassLink.objects.create(
                    school=member.school, owner=member.user, code=make_class_code(), ends_at=ends_at, **fields
                )
            break
        except IntegrityError:
            if attempt == _TRIES - 1:
                raise
    set_chatbots(link=link, member=member, chatbots=chatbots)
    _record(Action.CLASS_OPENED, link)
    return link


@transaction.atomic
def change_link(
    *, link: ClassLink, member: Membership, chatbots: Collection[UUID] | None = None, **fields: Any
) -> None:
    """Change what is given. Raises LinkRefused."""
    if "ends_at" in fields and fields["ends_at"] != link.ends_at:
        _check_end(fields["ends_at"])
    _check_hours(fields, link)
    if "weekdays" in fields:
        fields["weekdays"] = sorted(set(fields["weekdays"]))
    changed = [name for name, value in fields.items() if getattr(link, name) != value]
    for name, value in fields.items():
        setattr(link, name, value)
    if fields:
        link.save(update_fields=list(fields))
    if fields.get("notes_names") is False:
        RealName.objects.filter(pupil__class_link=link).delete()
    if chatbots is not None:
        before = set(link.opened.values_list("chatbot", flat=True))
        set_chatbots(link=link, member=member, chatbots=chatbots)
        changed += ["chatbots"] if before != set(chatbots) else []
    if changed:
        _record(Action.CLASS_CHANGED, link, changed=", ".join(name.replace("_", " ") for name in sorted(changed)))


def set_chatbots(*, link: ClassLink, member: Membership, chatbots: Iterable[UUID]) -> None:
    """Replace the chatbots of a class. Raises LinkRefused for none, or one that is not the member's."""
    wanted = set(chatbots)
    found = list(list_own_chatbots(member).filter(pk__in=wanted))
    # What is switched off is not offered, and stays.
    away = link.opened.none() if is_on("learning") else link.opened.filter(chatbot__is_tutor=True)
    if not wanted and not away.exists():
        raise LinkRefused("Choose at least one chatbot.", "chatbots")
    if len(found) != len(wanted):
        raise LinkRefused("One of these chatbots is not yours, or has been deleted.", "chatbots")
    link.opened.exclude(chatbot__in=found).exclude(pk__in=away).delete()
    ClassLinkChatbot.objects.bulk_create(
        [ClassLinkChatbot(school_id=link.school_id, class_link=link, chatbot=chatbot) for chatbot in found],
        ignore_conflicts=True,
    )


@transaction.atomic
def change_code(link: ClassLink) -> None:
    """Give the class a new code: the old one leads nowhere. Pupils keep what they asked."""
    for _ in range(_TRIES):
        link.code = make_class_code()
        if not ClassLink.objects.filter(code=link.code).exists():
            break
    link.save(update_fields=["code"])
    _record(Action.CLASS_CODE_CHANGED, link)


@transaction.atomic
def pause(link: ClassLink, *, is_paused: bool) -> None:
    """Pause a class, or let it go on. Open pages of pupils say so."""
    link.paused_at = timezone.now() if is_paused else None
    link.save(update_fields=["paused_at"])
    _record(Action.CLASS_PAUSED if is_paused else Action.CLASS_RESUMED, link)


@transaction.atomic
def close(link: ClassLink, *, is_closed: bool = True) -> None:
    """Close a class at once, or open it again."""
    link.closed_at = timezone.now() if is_closed else None
    link.save(update_fields=["closed_at"])
    _record(Action.CLASS_CLOSED if is_closed else Action.CLASS_REOPENED, link)


@transaction.atomic
def allow_links(school: School, *, allowed: bool) -> None:
    """Switch the class links of a school on or off, for all of its teachers at once."""
    ClassroomSettings.objects.update_or_create(school=school, defaults={"are_links_allowed": allowed})
    record(Action.SETTINGS_CHANGED, school=school, detail={"class links": "allowed" if allowed else "switched off"})


def _record(action: Action, link: ClassLink, **detail: str) -> None:
    record(action, school=link.school_id, subject=link, label=link.name, detail=detail)


def _check_end(ends_at: datetime) -> None:
    if ends_at <= timezone.now():
        raise LinkRefused("The end must be in the future.", "ends_at")
    if ends_at > timezone.now() + timedelta(days=3 * 366):
        raise LinkRefused("The end may be three years away at most.", "ends_at")


def _check_hours(fields: dict[str, Any], link: ClassLink | None = None) -> None:
    opens, closes = (fields.get(name, getattr(link, name, None)) for name in ("opens", "closes"))
    if opens and closes and opens >= closes:
        raise LinkRefused("This is before the time at which it opens.", "closes")


def listen() -> None:
    """Close the classes of a teacher who leaves the school: the days for which they are kept begin."""
    post_delete.connect(_on_left, sender=Membership, dispatch_uid="classrooms.links")


def _on_left(sender: type[Membership], instance: Membership, **_: object) -> None:
    links = ClassLink.objects.filter(school=instance.school_id, owner=instance.user_id, closed_at=None)
    links.update(closed_at=timezone.now())
