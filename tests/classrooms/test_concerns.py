"""Concerns on the pages of a teacher: the desk, one answer, transcripts, and the summary, which leaves them out."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client
from django.utils import timezone

from chatbots.models import Chatbot, Message
from classrooms import flagging, hands
from classrooms.models import ClassLink, Flag, Pupil
from classrooms.summary import summarise
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from tests.classrooms.classes import make_asked, name_leads
from tests.factories import Cast, make_program, signed_in

pytestmark = pytest.mark.django_db


def flag(pupil: Pupil, message: Message, category: str = "self-harm") -> Flag:
    row = {"school": message.school, "pupil": pupil, "message": message, "words": "zorble", "entry": "zorble"}
    return Flag.objects.create(**row, category=category)


@pytest.fixture
def found(pupil: Pupil, chatbot: Chatbot) -> Flag:
    return flag(pupil, make_asked(pupil, chatbot, "Can I zorble?"))


def actions() -> set[str]:
    return set(AuditEntry.objects.values_list("action", flat=True))


def test_seen_is_found_again_and_undone(alice: Client, people: Cast, link: ClassLink, found: Flag) -> None:
    desk, seen = f"/classes/{link.pk}/", f"/classes/flags/{found.pk}/seen/"
    name_leads(people.bob)
    for stranger in (people.carol, people.charlie):
        assert signed_in(stranger).post(seen).status_code == 404
    assert not Flag.objects.exclude(seen_at=None).exists() and Action.CONCERN_SEEN not in actions()
    alice.post(seen)
    shown = alice.get(desk).content.decode()
    assert "Concerns (" not in shown and "Seen (1)" in shown and "Not seen after all" in shown
    for stranger in (people.carol, people.charlie):
        assert signed_in(stranger).post(seen, {"seen": "off"}).status_code == 404
    assert Action.CONCERN_SEEN in actions() and Action.CONCERN_UNSEEN not in actions()
    again = alice.post(seen, {"seen": "off"}, headers={"HX-Request": "true"}).content.decode()
    assert "Concerns (1)" in again and "Seen (" not in again and Action.CONCERN_UNSEEN in actions()
    entry = AuditEntry.objects.get(action=Action.CONCERN_SEEN)
    kept = str(AuditEntry.objects.filter(pk=entry.pk).values())
    assert found.pupil
    assert entry.subject_label == link.name and "zorble" not in kept and found.pupil.nickname not in kept


def test_alerts_and_hands_have_their_time(alice: Client, link: ClassLink, found: Flag) -> None:
    assert found.message
    hands.raise_hand(found.message, is_raised=True)
    shown = alice.get(f"/classes/{link.pk}/").content.decode()
    assert shown.count(f"{timezone.localtime(found.raised_at):%H:%M}") == 2
    assert "Questions in the last 10 minutes" in shown and "Of these" not in shown and "Please look" not in shown


def test_the_page_of_a_concern_says_what_to_do(
    alice: Client, people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, found: Flag
) -> None:
    name_leads(people.carol, tells_teacher=True)
    shown = alice.get(f"/classes/answers/{found.message_id}/").content.decode()
    for words in (
        "Self-harm, in a question",
        "“zorble”",
        "Amber Badger",
        "Found by the word list: zorble",
        "Mark as seen",
    ):
        assert words in shown
    assert f"the safeguarding lead of your school: {people.carol.name}." in shown
    assert f"?pupil={pupil.pk}" in shown and "Correct it for everybody" not in shown
    light = flag(pupil, make_asked(pupil, chatbot), "personal-data")
    shown = alice.get(f"/classes/answers/{light.message_id}/").content.decode()
    assert "Correct it for everybody" in shown and "safeguarding lead" not in shown


def test_transcripts_name_the_concern(
    alice: Client, people: Cast, link: ClassLink, found: Flag, pupil: Pupil, chatbot: Chatbot
) -> None:
    make_asked(pupil, chatbot, "How strong is it?")
    transcripts = f"/classes/{link.pk}/transcripts/"
    assert alice.get(transcripts).content.decode().count("Self-harm</span>") == 1

    def rows(query: str) -> list[dict[str, str]]:
        text = alice.get(f"{transcripts}file/{query}").content.decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))

    assert [one["concern"] for one in rows("")] == ["Self-harm", ""]
    assert [one["question"] for one in rows("?names=no")] == ["How strong is it?"]
    program, url = make_program(people.alice), f"/api/v1/class-links/{link.pk}/transcripts"
    assert len(program.get(url).json()["results"]) == 2
    assert [one["question"] for one in program.get(f"{url}?names=false").json()["results"]] == ["How strong is it?"]


@pytest.mark.parametrize("category", ["self-harm", "violence", "abuse", "personal-data"])
def test_the_summary_leaves_concerns_out(
    category: str, alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot
) -> None:
    flag(pupil, make_asked(pupil, chatbot, "Can I zorble?"), category)
    make_asked(pupil, chatbot, "How strong is it?")
    shown = alice.get(f"/classes/{link.pk}/summary/").content.decode()
    assert "zorble" not in shown and "How strong is it?" in shown
    assert "1 question with a concern is left out here; it is on" in shown
    summary = summarise(link)
    assert (summary.asked, summary.left_out) == (1, 1)


def test_the_summary_keeps_attempts_to_get_around_the_instructions(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot
) -> None:
    flag(pupil, make_asked(pupil, chatbot), "instructions")
    assert (summarise(link).asked, summarise(link).left_out) == (1, 0)


def test_another_try_of_a_question_keeps_its_concern(
    alice: Client, link: ClassLink, found: Flag, pupil: Pupil, chatbot: Chatbot
) -> None:
    first = found.message
    assert first
    later = make_asked(pupil, chatbot, "Can I zorble?", chat=first.chat)
    Message.objects.filter(pk=later.pk).update(version_of=first)
    later.refresh_from_db()
    assert list(flagging.list_flags(later)) == [found] and summarise(link).left_out == 1
    assert alice.get(f"/classes/{link.pk}/transcripts/").content.decode().count("Self-harm</span>") == 1


def test_what_a_teacher_does_is_recorded(alice: Client, found: Flag, pupil: Pupil) -> None:
    alice.post(f"/classes/answers/{found.message_id}/", {"text": "Well asked."})
    alice.post(f"/classes/answers/{found.message_id}/correct/", {"question": "Which acid?", "answer": "Weak acid."})
    for paused in ("on", "on", ""):
        alice.post(f"/classes/pupils/{pupil.pk}/pause/", {"paused": paused})
    new = {Action.NOTE_WRITTEN, Action.ANSWER_CORRECTED, Action.PUPIL_PAUSED, Action.PUPIL_RESUMED}
    assert {action.value for action in new} <= actions()
    assert AuditEntry.objects.filter(action=Action.PUPIL_PAUSED).count() == 1
    kept = str(list(AuditEntry.objects.filter(action__in=new).values()))
    assert "Well asked" not in kept and "Weak acid" not in kept and pupil.nickname not in kept


def test_watching_is_recorded_once_in_ten_minutes(alice: Client, link: ClassLink) -> None:
    for _ in range(3):
        alice.get(f"/classes/{link.pk}/")
    assert AuditEntry.objects.filter(action=Action.CLASS_WATCHED).count() == 1
