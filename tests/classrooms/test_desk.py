"""A teacher’s desk: what happens now, notes, corrections, transcripts and the summary of a lesson."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.models import Chatbot, Message
from classrooms import corrections, hands, links
from classrooms.joining import pupils
from classrooms.models import ClassLink, Correction, Pupil, RaisedHand, TeacherNote
from classrooms.summary import summarise
from classrooms.transcripts import list_pupils
from classrooms.views import desk
from corpus.ingestion import uploads
from schools.models import Membership
from tests.classrooms.classes import come_in, join, make_asked, page, url
from tests.factories import Cast, index_all, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


@pytest.mark.parametrize("how", ["closed", "ended"])
def test_the_desk_of_a_class_that_is_over(alice: Client, link: ClassLink, how: str) -> None:
    if how == "closed":
        links.close(link)
    else:
        ClassLink.objects.filter(pk=link.pk).update(ends_at=timezone.now() - timedelta(days=1))
    shown = alice.get(url("desk", link.pk)).content.decode()
    for words in (link.shown_code, "They type it", "Pause the class", "until "):
        assert words not in shown, words
    assert f"This class {'is closed' if how == 'closed' else 'has ended'}" in shown and "is erased on" in shown
    assert ("Open the class again" in shown) is (how == "closed")
    assert url("export", link.pk) in shown and url("edit", link.pk) in shown


def test_the_desk_shows_what_happens(
    alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot, "Why is acid <b>bold</b>?")
    Message.objects.filter(pk=message.pk).update(mode="refused")
    hands.raise_hand(message, is_raised=True)
    shown = alice.get(url("desk", link.pk)).content.decode()
    assert pupil.nickname in shown and "Why is acid &lt;b&gt;bold&lt;/b&gt;?" in shown and "Active" in shown
    row = list_pupils(link).get()
    assert (row.asked, row.asked_today, row.refused, row.hands) == (1, 1, 1, 1)  # type: ignore[attr-defined]
    alice.post(url("settle-hand", RaisedHand.objects.get().pk))
    assert not RaisedHand.objects.waiting().exists()


@pytest.mark.django_db(transaction=True)
def test_the_desk_is_told_of_changes_and_ends_with_access(link: ClassLink, people: Cast) -> None:
    client = signed_in(people.alice)
    response: Any = client.get(url("live", link.pk))
    shown: list[bytes] = []

    async def watch() -> None:
        async for event in response.streaming_content:
            shown.append(event)
            if len(shown) == 1:
                await asyncio.to_thread(join, link, "Jade Otter")
            elif b"Jade Otter" in event:
                await asyncio.to_thread(Membership.objects.filter(pk=people.alice.pk).delete)

    async def watched() -> None:
        await asyncio.wait_for(watch(), 30)

    before, desk.EVERY = desk.EVERY, 0.05
    try:
        asyncio.run(watched())
    finally:
        desk.EVERY = before
    assert b"Jade Otter" not in shown[0] and any(b"Jade Otter" in event for event in shown)
    assert shown[-1].startswith(b"event: over")


def test_one_pupil_is_paused(alice: Client, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot) -> None:
    alice.post(url("pause-pupil", pupil.pk), {"paused": "on"})
    response = computer.get(page("room", link))
    assert response.status_code == 403 and "paused" in response.content.decode()
    other, _ = come_in(link)
    assert other.get(page("room", link)).status_code == 302
    alice.post(url("pause-pupil", pupil.pk))
    assert computer.get(page("room", link)).status_code == 302


def test_a_pupil_gets_a_new_code(alice: Client, link: ClassLink, pupil: Pupil) -> None:
    text = alice.post(url("new-pupil-code", pupil.pk), follow=True).content.decode()
    before = pupil.code_digest
    pupil.refresh_from_db()
    assert pupil.code_digest != before and "The new code of Amber Badger is" in text
    assert pupils.return_by_code(link, "AAAAAA") is None


def test_a_note_stands_beside_the_answer_as_the_teachers(
    alice: Client, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    alice.post(url("answer", message.pk), {"text": "Look at <page> 3."})
    shown = computer.get(page("chat", link, message.chat_id)).content.decode()
    assert "Your teacher" in shown and "Look at &lt;page&gt; 3." in shown
    assert not RaisedHand.objects.waiting().exists()
    refused = alice.post(url("answer", message.pk), {"text": "x" * 2001})
    assert refused.status_code == 422 and "x" * 2001 in refused.content.decode()
    alice.post(url("answer", message.pk), {"text": " "})
    assert not TeacherNote.objects.exists()


def test_a_corrected_answer_is_found_and_cited(
    alice: Client, people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot
) -> None:
    message = make_asked(pupil, chatbot, "Which indicator do we use for the zebra practical?")
    typed = {
        "question": "Which indicator is used in the zebra practical?",
        "answer": "In the zebra practical we use methyl orange as the indicator.",
    }
    response = alice.post(url("correct", message.pk), typed)
    assert response.status_code == 302, response.content
    second = typed | {"question": "When is the zebra practical?", "answer": "The zebra practical is in week 42."}
    alice.post(url("correct", message.pk), second)
    index_all()
    assert Correction.objects.count() == 1
    again = make_asked(come_in(link)[1], chatbot, "Which indicator do we use in the zebra practical?")
    cited = again.sources.filter(is_cited=True)
    assert "methyl orange" in again.answer
    assert cited[0].document_title.startswith("Corrected answers") and cited[0].kind == "personal"
    later = make_asked(come_in(link)[1], chatbot, "In which week is the zebra practical?")
    assert "week 42" in later.answer


def test_an_empty_correction_is_refused(
    alice: Client, people: Cast, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    response = alice.post(url("correct", message.pk), {"question": "What?", "answer": " "})
    assert response.status_code == 422 and "Write the answer" in response.content.decode()
    with pytest.raises(corrections.CorrectionRefused):
        corrections.add_correction(chatbot=chatbot, member=people.alice, question="x" * 201, answer="y")
    assert not Correction.objects.exists()


def test_transcripts_are_searched_and_exported(
    alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    make_asked(pupil, chatbot, "How strong is acid?")
    _, other = come_in(link, "Jade Otter")
    make_asked(other, chatbot, "=How long are goggles worn?")
    found = alice.get(f"{url('transcripts', link.pk)}?words=goggles").content.decode()
    assert "goggles worn" in found and "How strong is acid" not in found
    of_one = alice.get(f"{url('transcripts', link.pk)}?pupil={pupil.pk}").content.decode()
    assert "How strong is acid" in of_one and "goggles worn" not in of_one
    csv = alice.get(url("export", link.pk)).content.decode()
    assert "Jade Otter" in csv and "'=How long" in csv and csv.index("How strong") < csv.index("How long")
    asked = timezone.localtime(Message.objects.earliest("created_at").created_at)
    assert f'"{asked:%Y-%m-%d %H:%M}","' in csv
    unnamed = alice.get(f"{url('export', link.pk)}?names=no").content.decode()
    assert "Jade Otter" not in unnamed and "Pupil 2" in unnamed
    for odd in ("pupil=x", "on=nonsense", "outcome=no", "page=99999", "on=2026-99-99"):
        assert alice.get(f"{url('transcripts', link.pk)}?{odd}").status_code == 200
        assert alice.get(f"{url('summary', link.pk)}?{odd}").status_code == 200


def test_a_lesson_is_summed_up_without_names(
    alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("At most 1 mol/l [1].", "Half [1].", "I do not know.")
    make_asked(pupil, chatbot, "How strong may hydrochloric acid be?")
    make_asked(pupil, chatbot, "How strong may acid be?")
    last = make_asked(pupil, chatbot, "Who was Napoleon?", answered=False)
    Message.objects.filter(pk=last.pk).update(status="done", mode="refused")
    found = summarise(link)
    assert (found.asked, found.pupils, len(found.unanswered), found.topics[0].asked) == (3, 1, 1, 2)
    text = alice.get(f"{url('summary', link.pk)}?on={timezone.localdate()}").content.decode()
    assert "Who was Napoleon?" in text and pupil.nickname not in text
    assert "Nothing was asked" in alice.get(f"{url('summary', link.pk)}?on=2020-01-01").content.decode()


def test_files_are_named_by_the_class(alice: Client, link: ClassLink) -> None:
    day = timezone.localdate().isoformat()
    for more, name in (("", f"class-chemistry-9b-{day}"), ("?names=no", f"class-chemistry-9b-{day}-without-names")):
        assert f'"{name}.csv"' in alice.get(url("export", link.pk) + more)["Content-Disposition"]
    ClassLink.objects.filter(pk=link.pk).update(name="“化学”")
    assert f'"class-{day}.csv"' in alice.get(url("export", link.pk))["Content-Disposition"]


@pytest.mark.parametrize("name", ["transcripts", "summary", "export"])
def test_no_day_breaks_a_page(name: str, people: Cast, link: ClassLink) -> None:
    alice = signed_in(people.alice)
    for day in ("9999-12-31", "0001-01-01"):
        assert alice.get(reverse(f"classrooms:{name}", args=[link.pk]), {"on": day}).status_code == 200


def test_a_correction_below_a_file_that_is_no_text_is_refused_in_words(
    people: Cast, chatbot: Chatbot, link: ClassLink, pupil: Pupil
) -> None:
    message = make_asked(pupil, chatbot)
    document = corrections.add_correction(chatbot=chatbot, member=people.alice, question="What?", answer="That.")
    uploads.replace(document, ContentFile("Größe".encode("cp1252"), name="corrected.txt"), by=people.alice.user)
    sent = {"question": "How?", "answer": "So."}
    assert signed_in(people.alice).post(url("correct", message.pk), sent).status_code == 422


def test_a_correction_that_this_server_cannot_reach_is_refused_in_words(
    people: Cast, chatbot: Chatbot, link: ClassLink, pupil: Pupil
) -> None:
    message = make_asked(pupil, chatbot)
    document = corrections.add_correction(chatbot=chatbot, member=people.alice, question="What?", answer="That.")
    document.newest.file.storage.delete(document.newest.file.name)
    response = signed_in(people.alice).post(url("correct", message.pk), {"question": "How?", "answer": "So."})
    assert response.status_code == 422
    assert "This server cannot reach the file just now" in response.content.decode()
