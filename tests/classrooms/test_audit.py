"""What the audit log tells of classes and of people’s own data, without a word of a pupil."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot
from classrooms import erasing, links
from classrooms.models import ClassLink, Pupil
from privacy.erasing import erase_person
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from tests.classrooms.classes import make_asked, open_class, url
from tests.factories import Cast, make_program, signed_in

pytestmark = pytest.mark.django_db


class Log:
    """What was recorded since this was made."""

    def __init__(self) -> None:
        self.before = set(AuditEntry.objects.values_list("pk", flat=True))

    def actions(self) -> list[str]:
        return [entry.action for entry in self.entries()]

    def entries(self) -> list[AuditEntry]:
        return list(AuditEntry.objects.exclude(pk__in=self.before).order_by("id"))


def test_the_life_of_a_class_is_recorded(people: Cast, chatbot: Chatbot) -> None:
    log = Log()
    link = open_class(people.alice, chatbot)
    links.change_link(link=link, member=people.alice, questions_a_day=7, name="Chemistry 9c")
    links.change_code(link)
    links.pause(link, is_paused=True)
    links.pause(link, is_paused=False)
    links.close(link)
    links.close(link, is_closed=False)
    links.allow_links(people.alice.school, allowed=False)
    assert log.actions() == [
        Action.CLASS_OPENED,
        Action.CLASS_CHANGED,
        Action.CLASS_CODE_CHANGED,
        Action.CLASS_PAUSED,
        Action.CLASS_RESUMED,
        Action.CLASS_CLOSED,
        Action.CLASS_REOPENED,
        Action.SETTINGS_CHANGED,
    ]
    opened, changed, *_ = log.entries()
    assert (opened.subject_id, opened.subject_label, opened.school) == (str(link.pk), "Chemistry 9b", link.school)
    assert changed.detail == {"changed": "name, questions a day"}


def test_a_change_that_changes_nothing_is_not_recorded(people: Cast, link: ClassLink) -> None:
    log = Log()
    links.change_link(link=link, member=people.alice, name=link.name)
    assert log.actions() == []


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("desk", Action.CLASS_WATCHED),
        ("transcripts", Action.CLASS_READ),
        ("summary", Action.CLASS_READ),
        ("export", Action.CLASS_EXPORTED),
    ],
)
def test_every_look_of_a_teacher_is_recorded(
    people: Cast, alice: Client, link: ClassLink, name: str, action: Action
) -> None:
    log = Log()
    assert alice.get(url(name, link.pk)).status_code == 200
    (entry,) = log.entries()
    assert (entry.action, entry.actor_id, entry.subject_id) == (action, people.alice.user_id, str(link.pk))
    assert (entry.school, entry.subject_label) == (people.alice.school, link.name)


def test_a_look_at_one_answer_is_recorded_without_its_text(
    alice: Client, link: ClassLink, chatbot: Chatbot, pupil: Pupil
) -> None:
    message = make_asked(pupil, chatbot)
    log = Log()
    assert alice.get(url("answer", message.pk)).status_code == 200
    (entry,) = log.entries()
    assert entry.action == Action.CLASS_READ
    kept = str(AuditEntry.objects.filter(pk=entry.pk).values())
    assert message.question not in kept and pupil.nickname not in kept


def test_transcripts_read_by_a_program_are_recorded(people: Cast, link: ClassLink) -> None:
    program = make_program(people.alice)
    log = Log()
    assert program.get(f"/api/v1/class-links/{link.pk}/transcripts").status_code == 200
    assert log.actions() == [Action.CLASS_READ]


@pytest.mark.parametrize("name", ["desk", "transcripts", "summary", "export"])
def test_a_colleague_who_is_refused_leaves_no_look(people: Cast, link: ClassLink, name: str) -> None:
    bob = signed_in(people.bob)
    log = Log()
    assert bob.get(url(name, link.pk)).status_code == 404
    assert log.actions() == []


def test_an_erased_pupil_and_class_are_counted_and_not_named(
    people: Cast, link: ClassLink, chatbot: Chatbot, pupil: Pupil
) -> None:
    make_asked(pupil, chatbot)
    log = Log()
    erasing.erase_pupil(pupil, asked_by=people.alice)
    erasing.erase_class(link, asked_by=people.alice)
    first, second = log.entries()
    assert (first.action, first.detail) == (Action.PUPIL_ERASED, {"pupils": 1, "questions": 1})
    assert (second.action, second.detail) == (Action.CLASS_ERASED, {"pupils": 0, "questions": 0})
    kept = str(list(AuditEntry.objects.filter(pk__in=[first.pk, second.pk]).values()))
    assert pupil.nickname not in kept and str(pupil.pk) not in kept


def test_changed_words_of_concern_are_recorded(people: Cast) -> None:
    carol = signed_in(people.carol)
    log = Log()
    carol.post("/schools/classes/concern/", {"on_concern": "flag", "violence": "knife"})
    carol.post("/schools/classes/concern/", {"on_concern": "hold", "violence": "knife"})
    actions = [entry.action for entry in log.entries()]
    assert actions == [Action.CONCERN_CHANGED, Action.SETTINGS_CHANGED, Action.SETTINGS_CHANGED]
    assert "knife" not in str(AuditEntry.objects.values())


def test_ones_own_export_and_an_erased_person_are_recorded(people: Cast) -> None:
    program = make_program(people.bob)
    log = Log()
    assert program.post("/api/v1/me/export").status_code == 200
    (entry,) = log.entries()
    assert (entry.action, entry.actor_id) == (Action.PERSON_EXPORTED, people.bob.user_id)
    log = Log()
    erase_person(people.bob, asked_by=people.carol)
    assert Action.MEMBER_ERASED in log.actions()


def test_an_admin_reads_them_and_a_teacher_does_not(people: Cast, alice: Client, link: ClassLink) -> None:
    alice.get(url("transcripts", link.pk))
    shown = signed_in(people.carol).get(reverse("audit:list")).content.decode()
    assert "Questions of pupils read" in shown and link.name in shown
    assert alice.get(reverse("audit:list")).status_code == 403


@pytest.mark.parametrize("where", ["live", "correct", "pause-pupil", "new-pupil-code"])
def test_a_look_that_goes_around_the_pages_is_recorded(
    where: str, alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot
) -> None:
    message, log = make_asked(pupil, chatbot), Log()
    if where == "live":
        alice.get(url(where, link.pk)).close()
    elif where == "correct":
        alice.get(url(where, message.pk))
    else:
        alice.post(url(where, pupil.pk), headers={"HX-Request": "true"})
    assert len(log.actions()) == 1 and log.actions()[0].startswith("class.")


def test_a_desk_with_its_live_part_is_one_look(alice: Client, link: ClassLink) -> None:
    log = Log()
    alice.get(url("desk", link.pk))
    alice.get(url("live", link.pk)).close()
    assert log.actions() == [Action.CLASS_WATCHED]
