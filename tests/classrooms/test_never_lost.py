"""A grave concern that nobody has looked at survives every act that ends or erases something, in any order, also while
the mail server is away: somebody is told of it by mail, and finds it on a page."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.db import models
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from chatbots.conversations import deletion
from chatbots.models import Chat, Chatbot, Message, Participant
from classrooms import erasing, hands, links, mails
from classrooms.joining import pupils
from classrooms.models import GRAVE, ClassLink, ConcernMail, Flag, Pupil, SafeguardingLead
from privacy.erasing import erase_old, erase_person
from privacy.whole_school import erase_school
from schools.deletion import delete_with_everything
from schools.models import Membership, School, User
from schools.services import remove_member
from tests.classrooms.classes import decide, join, make_asked, name_leads, open_class
from tests.classrooms.test_mails import bring_mail_back, make_due, take_mail_away
from tests.factories import Cast, make_chatbot, signed_in

pytestmark = pytest.mark.django_db

TEXT = "May I quivertassel?"
WALKS = 12


@dataclass(frozen=True)
class Scene:
    """Two classes of Alice, each with a pupil who is in danger, and the lead and the admin of her school."""

    people: Cast
    settings: Settings

    @property
    def teacher(self) -> User | None:
        return User.objects.filter(pk=self.people.alice.user_id).first()

    @property
    def member(self) -> Membership | None:
        return Membership.objects.filter(pk=self.people.alice.pk).first()


def each(rows: Callable[[], list[Any]], act: Callable[[Scene, Any], object]) -> Callable[[Scene], object]:
    return lambda scene: [act(scene, row) for row in rows()[:1]]


def classes() -> list[Any]:
    return list(ClassLink.objects.order_by("pk"))


def pupils_left() -> list[Any]:
    return list(Pupil.objects.order_by("pk"))


def bots() -> list[Any]:
    return list(Chatbot.objects.order_by("pk"))


def end_everything(_: Scene) -> None:
    ClassLink.objects.update(ends_at=timezone.now() - timedelta(days=4000))
    Chatbot.objects.deleted().update(deleted_at=timezone.now() - timedelta(days=4000))
    Chat.objects.deleted().update(deleted_at=timezone.now() - timedelta(days=4000))
    erase_old()


def erase_teacher(scene: Scene) -> None:
    if scene.member:
        erase_person(scene.member, asked_by=scene.people.carol)


def remove_teacher(scene: Scene) -> None:
    if scene.member:
        remove_member(membership=scene.member)


def post(address: Callable[[Any], str], **data: str) -> Callable[[Scene, Any], object]:
    def send(scene: Scene, row: Any) -> object:
        if scene.member is None:
            return None
        return signed_in(scene.member).post(address(row), data)

    return send


ACTS: dict[str, Callable[[Scene], object]] = {
    "close a class": each(classes, post(lambda row: f"/classes/{row.pk}/close/", closed="on")),
    "erase a class on its page": each(classes, post(lambda row: f"/classes/{row.pk}/erase/")),
    "erase a class": each(classes, lambda scene, row: erasing.erase_class(row, asked_by=scene.member)),
    "delete a class in Django admin": each(classes, lambda _, row: ClassLink.objects.filter(pk=row.pk).delete()),
    "change the code": each(classes, lambda _, row: links.change_code(row)),
    "switch class links off": lambda scene: links.allow_links(scene.people.alice.school, allowed=False),
    "erase a pupil as the teacher": each(
        pupils_left,
        lambda scene, row: erasing.erase_pupil(row, asked_by=scene.people.carol),
    ),
    "erase a pupil on its page": each(pupils_left, post(lambda row: f"/classes/pupils/{row.pk}/erase/")),
    "a pupil erases everything": each(pupils_left, lambda _, row: erasing.erase_pupil(row)),
    "delete a participant": each(
        pupils_left,
        lambda _, row: Participant.objects.filter(pupil=row).delete(),
    ),
    "hide a chatbot": each(bots, lambda _, row: deletion.hide_chatbot(row)),
    "erase a chatbot": each(bots, lambda _, row: deletion.erase_chatbot(row)),
    "delete conversations": lambda _: [chat.delete() for chat in Chat.objects.all()],
    "delete messages": lambda _: Message.objects.all().delete(),
    "delete flags in Django admin": lambda _: [flag.delete() for flag in Flag.objects.all()],
    "the night comes": end_everything,
    "remove the teacher": remove_teacher,
    "erase the teacher": erase_teacher,
    "delete the account of the teacher": lambda scene: delete_with_everything([scene.teacher] if scene.teacher else []),
    "switch the account of the teacher off": lambda scene: User.objects.filter(pk=scene.people.alice.user_id).update(
        is_active=False
    ),
    "the lead leaves": lambda scene: SafeguardingLead.objects.filter(school=scene.people.alice.school).delete(),
    "remove the lead": lambda scene: Membership.objects.filter(pk=scene.people.bob.pk).delete(),
    "mails are written": lambda _: mails.mail_flags(),
    "the mail server goes": lambda scene: take_mail_away(scene.settings),
    "time passes for mails": lambda _: make_due(),
}
"""Each act that ends, takes away or erases something, on the pages and below them, and those that keep a mail back."""


@pytest.fixture
def scene(people: Cast, chatbot: Chatbot, settings: Settings) -> Scene:
    name_leads(people.bob, tells_teacher=True)
    for number, bot in enumerate([chatbot, make_chatbot(people.alice, name="Another")]):
        link = open_class(people.alice, bot, name=f"Class {number}")
        pupil = join(link)
        pupils.note_real_name(pupil, f"Mia {number}")
        message = make_asked(pupil, bot, TEXT, answered=False)
        hands.raise_hand(message, is_raised=True)
        row = {"school": link.school, "pupil": pupil, "words": "quivertassel", "entry": "quivertassel"}
        Flag.objects.create(**row, message=message, category=GRAVE[number])
        Flag.objects.create(**row, practised=TEXT, category=GRAVE[2])
    return Scene(people, settings)


def check_that_nothing_is_lost(scene: Scene) -> None:
    """All four are unseen, on a page of somebody who is there, and once mails get out everybody is told of each."""
    flags = Flag.objects.unseen().filter(category__in=GRAVE)
    assert flags.count() == 4
    lead = Membership.objects.filter(pk=scene.people.bob.pk, safeguarding_lead__isnull=False).first()
    reader = lead or scene.people.carol
    shown = signed_in(reader).get("/classes/concerns/").content.decode()
    assert shown.count("Mark as seen<") == 4 and "Concerns (4)" in shown
    left_by_pupil = flags.filter(pupil=None, handed__isnull=True).count() + flags.filter(handed__text="").count()
    assert shown.count(f">{TEXT}<") == 4 - left_by_pupil
    bring_mail_back(scene.settings)
    for _ in range(3):
        make_due()
        mails.mail_flags()
    told = [one for one in mail.outbox if "Please look" in one.subject and one.to == [reader.user.email]]
    assert len(told) >= 4 and not ConcernMail.objects.exists()


@pytest.mark.parametrize("act", ACTS)
def test_no_act_loses_a_concern(act: str, scene: Scene) -> None:
    ACTS[act](scene)
    check_that_nothing_is_lost(scene)


@pytest.mark.parametrize("act", ACTS)
def test_no_act_loses_a_concern_while_the_mail_is_away(act: str, scene: Scene) -> None:
    take_mail_away(scene.settings)
    mails.mail_flags()
    ACTS[act](scene)
    check_that_nothing_is_lost(scene)


@pytest.mark.parametrize("seed", range(WALKS))
def test_no_walk_over_all_acts_loses_a_concern(seed: int, scene: Scene) -> None:
    walk = list(ACTS)
    random.Random(seed).shuffle(walk)
    for act in walk:
        ACTS[act](scene)
    check_that_nothing_is_lost(scene)


def find_parents(model: type[models.Model]) -> set[type[models.Model]]:
    """The models whose rows take rows of this one with them, however far away they are."""
    keys = [field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey)]
    nearest: set[Any] = {key.related_model for key in keys if key.remote_field.on_delete is models.CASCADE}
    return nearest.union(*(find_parents(one) for one in nearest if one is not model))


PARENTS = sorted(find_parents(Flag) - {School, User}, key=lambda model: model._meta.label)


@pytest.mark.parametrize("model", PARENTS, ids=lambda model: model._meta.label)
def test_no_row_takes_a_concern_with_it(model: type[models.Model], scene: Scene) -> None:
    assert {ClassLink, Pupil, Message, Chat, Chatbot, Participant} <= set(PARENTS)
    for row in model._default_manager.all():
        row.delete()
    check_that_nothing_is_lost(scene)


def test_only_the_school_takes_a_concern_with_it(scene: Scene, tmp_path: Path) -> None:
    erase_school(scene.people.alice.school, tmp_path / "certificate.json")
    assert not Flag.objects.exists()


def test_what_was_handed_over_is_kept_for_its_time(scene: Scene) -> None:
    for link in ClassLink.objects.all():
        kept = erasing.erase_class(link).kept
        assert "The safeguarding lead of the school has them" in kept[0]
    mails.mail_flags()
    bob: Client = signed_in(scene.people.bob)
    for flag in Flag.objects.all():
        assert flag.handed["text"] == TEXT and flag.handed["name"].startswith("Mia")
        assert bob.post(f"/classes/flags/{flag.pk}/seen/")["Location"] == "/classes/concerns/"
    shown = bob.get("/classes/concerns/").content.decode()
    assert "Concerns (" not in shown and shown.count("Not seen after all") == 4 and "Mia 1" in shown
    erase_old()
    assert Flag.objects.count() == 4
    Flag.objects.update(seen_at=timezone.now() - timedelta(days=31))
    assert erase_old()["classrooms.Flag"] == 4 and not Flag.objects.exists()


def test_a_school_without_a_lead_hands_it_to_its_admins(scene: Scene) -> None:
    SafeguardingLead.objects.all().delete()
    decide(scene.people.alice.school, goes_without_lead=True, leads_chosen=0)
    for link in ClassLink.objects.all():
        erasing.erase_class(link)
    assert signed_in(scene.people.carol).get("/classes/concerns/").content.decode().count("Mark as seen<") == 4
    mails.mail_flags()
    assert {to for one in mail.outbox for to in one.to} == {scene.people.carol.user.email}
    for stranger in (scene.people.alice, scene.people.bob, scene.people.charlie, scene.people.chloe):
        assert "Mark as seen<" not in signed_in(stranger).get("/classes/concerns/").content.decode()
        for flag in Flag.objects.all():
            assert signed_in(stranger).post(f"/classes/flags/{flag.pk}/seen/").status_code == 404
