"""A teacher opens a class, sees what happens, answers, corrects, and closes it again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.models import Chatbot, Message
from classrooms import corrections, hands, links
from classrooms.joining import pupils
from classrooms.models import ClassLink, ClassState, Correction, Pupil, RaisedHand, TeacherNote
from classrooms.summary import summarise
from classrooms.transcripts import pupils_of
from classrooms.views import desk
from corpus.ingestion import uploads
from schools.models import Membership
from schools.services import remove_member
from tests.classrooms.classes import come_in, join, make_asked, open_class, page
from tests.factories import Cast, index_all, make_chatbot, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


def url(name: str, *args: object) -> str:
    return reverse(f"classrooms:{name}", args=args)


def fields(chatbot: Chatbot, **more: Any) -> dict[str, Any]:
    """What the form sends."""
    return {
        "name": "Geography 8",
        "chatbots": [chatbot.pk],
        "ends_on": (timezone.localdate() + timedelta(days=3)).isoformat(),
        "sources_shown": "titles",
        "weekdays": ["0", "1", "2", "3", "4", "5", "6"],
        "questions_a_day": "30",
        "answer_length": "normal",
        "days_kept": "30",
        "kinds": ["personal", "school"],
    } | more


@pytest.fixture
def alice(people: Cast) -> Client:
    return signed_in(people.alice)


def test_a_class_is_opened_from_the_page_of_a_chatbot(alice: Client, chatbot: Chatbot) -> None:
    form = f"{url('create')}?chatbot={chatbot.pk}"
    assert form.replace("&", "&amp;") in alice.get(reverse("chatbots:new-chat", args=[chatbot.pk])).content.decode()
    shown = alice.get(form).content.decode()
    assert f'value="{chatbot.pk}" ' in shown and "checked" in shown
    response = alice.post(form, fields(chatbot))
    link = ClassLink.objects.get()
    assert response["Location"] == url("desk", link.pk)
    assert (link.name, link.sources_shown, link.questions_a_day) == ("Geography 8", "titles", 30)
    assert timezone.localtime(link.ends_at).date() == timezone.localdate() + timedelta(days=3)
    assert list(link.chatbots.all()) == [chatbot] and link.kinds is None
    shown = alice.get(url("desk", link.pk)).content.decode()
    assert link.shown_code in shown and f"/c/{link.code}" in shown and "<svg" in shown
    assert link.shown_code in alice.get(url("sheet", link.pk)).content.decode()
    assert "Geography 8" in alice.get(url("list")).content.decode()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": ""}, "required"),
        ({"chatbots": []}, "Choose at least one chatbot"),
        ({"ends_on": "2020-01-01"}, "This day is over"),
        ({"opens": "12:00", "closes": "08:00"}, "before the time"),
        ({"weekdays": []}, "Choose at least one day"),
        ({"questions_a_day": "0"}, "greater than or equal to 1"),
    ],
)
def test_a_wrong_form_says_what_is_wrong_and_keeps_the_rest(
    alice: Client, chatbot: Chatbot, wrong: dict[str, Any], words: str
) -> None:
    response = alice.post(url("create"), fields(chatbot, **({"name": "Kept"} | wrong)))
    text = response.content.decode()
    assert response.status_code == 422 and words in text and not ClassLink.objects.exists()
    assert wrong.get("name") == "" or "Kept" in text


def test_a_chatbot_of_somebody_else_cannot_be_opened(alice: Client, people: Cast) -> None:
    for owner in (people.bob, people.charlie):
        theirs = make_chatbot(owner)
        assert alice.get(f"{url('create')}?chatbot={theirs.pk}").status_code == 404
        assert alice.post(url("create"), fields(theirs)).status_code == 422
        with pytest.raises(links.LinkRefused):
            open_class(people.alice, theirs)
    assert not ClassLink.objects.exists()


def test_a_class_is_changed(alice: Client, link: ClassLink, chatbot: Chatbot, people: Cast) -> None:
    other = make_chatbot(people.alice, name="Other")
    response = alice.post(url("edit", link.pk), fields(other, opens="08:00", closes="13:00", hints_first="on"))
    assert response.status_code == 302
    link.refresh_from_db()
    assert list(link.chatbots.all()) == [other] and link.hints_first and str(link.opens) == "08:00:00"


def test_the_state_follows_the_hours(link: ClassLink) -> None:
    now = timezone.make_aware(datetime(2026, 5, 6, 9, 30))  # a Wednesday
    link.ends_at, link.weekdays = now + timedelta(days=1), [2]
    assert link.state(now) == ClassState.OPEN
    link.opens, link.closes = time(10), None
    assert link.state(now) == ClassState.OUT_OF_HOURS
    link.opens, link.weekdays = None, [3]
    assert link.state(now) == ClassState.OUT_OF_HOURS
    assert link.state(now + timedelta(days=2)) == ClassState.ENDED


def test_pausing_closing_and_a_new_code(alice: Client, link: ClassLink) -> None:
    alice.post(url("pause", link.pk), {"paused": "on"})
    link.refresh_from_db()
    assert link.state() == ClassState.PAUSED
    alice.post(url("pause", link.pk))
    alice.post(url("close", link.pk), {"closed": "on"})
    link.refresh_from_db()
    assert link.state() == ClassState.CLOSED and link.erased_at < timezone.now() + timedelta(days=30, minutes=1)
    alice.post(url("close", link.pk))
    code = link.code
    alice.post(url("change-code", link.pk))
    link.refresh_from_db()
    assert link.state() == ClassState.OPEN and link.code != code


def test_closing_and_a_new_code_ask_first(alice: Client, link: ClassLink) -> None:
    for name, words in (("close", "read that the class is over"), ("change-code", "has a new code")):
        assert words in alice.get(url(name, link.pk)).content.decode().replace("reads", "read"), name
    before = link.code
    link.refresh_from_db()
    assert link.code == before and not link.closed_at


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


def test_files_are_named_by_the_class(alice: Client, link: ClassLink) -> None:
    day = timezone.localdate().isoformat()
    for more, name in (("", f"class-chemistry-9b-{day}"), ("?names=no", f"class-chemistry-9b-{day}-without-names")):
        assert f'"{name}.csv"' in alice.get(url("export", link.pk) + more)["Content-Disposition"]
    ClassLink.objects.filter(pk=link.pk).update(name="“化学”")
    assert f'"class-{day}.csv"' in alice.get(url("export", link.pk))["Content-Disposition"]


def test_the_large_code_shows_nothing_else(alice: Client, link: ClassLink, pupil: Pupil) -> None:
    assert url("large", link.pk) in alice.get(url("desk", link.pk)).content.decode()
    shown = alice.get(url("large", link.pk)).content.decode()
    assert link.shown_code in shown and link.name in shown and "<svg" in shown and "testserver/c/" in shown
    assert pupil.nickname not in shown


@pytest.mark.parametrize(
    ("host", "is_told"), [("localhost:8000", True), ("127.0.0.1", True), ("[::1]:80", True), ("testserver", False)]
)
def test_an_address_that_no_pupil_can_reach(
    alice: Client, link: ClassLink, settings: Settings, host: str, is_told: bool
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for name in ("desk", "sheet", "large"):
        shown = alice.get(url(name, link.pk), headers={"Host": host}).content.decode()
        assert ("devices cannot reach this address" in shown) is is_told, name


def test_the_desk_shows_what_happens(
    alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot, "Why is acid <b>bold</b>?")
    Message.objects.filter(pk=message.pk).update(mode="refused")
    hands.raise_hand(message, is_raised=True)
    shown = alice.get(url("desk", link.pk)).content.decode()
    assert pupil.nickname in shown and "Why is acid &lt;b&gt;bold&lt;/b&gt;?" in shown and "Active" in shown
    row = pupils_of(link).get()
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
    assert pupils.come_back(link, "AAAAAA") is None


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
        corrections.correct(chatbot=chatbot, member=people.alice, question="x" * 201, answer="y")
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
    unnamed = alice.get(f"{url('export', link.pk)}?names=no").content.decode()
    assert "Jade Otter" not in unnamed and "Pupil 2" in unnamed
    for odd in ("pupil=x", "on=nonsense", "outcome=no", "page=99999", "on=2026-99-99"):
        assert alice.get(f"{url('transcripts', link.pk)}?{odd}").status_code == 200
        assert alice.get(f"{url('summary', link.pk)}?{odd}").status_code == 200


def test_a_lesson_is_summed_up_without_names(
    alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("At most 1 mol/l [1].", "Half [1].", "I do not know.")
    make_asked(pupil, chatbot, "How strong may it be?")
    make_asked(pupil, chatbot, "How strong may acid be?")
    last = make_asked(pupil, chatbot, "Who was Napoleon?", answered=False)
    Message.objects.filter(pk=last.pk).update(status="done", mode="refused")
    found = summarise(link)
    assert (found.asked, found.pupils, len(found.unanswered), found.topics[0].asked) == (3, 1, 1, 2)
    text = alice.get(f"{url('summary', link.pk)}?on={timezone.localdate()}").content.decode()
    assert "Who was Napoleon?" in text and pupil.nickname not in text
    assert "Nothing was asked" in alice.get(f"{url('summary', link.pk)}?on=2020-01-01").content.decode()


OWN_ROWS = ["desk", "live", "edit", "sheet", "large", "close", "change-code"]
OWN_ROWS += ["transcripts", "export", "summary", "erase"]


@pytest.mark.parametrize("who", ["bob", "carol", "charlie", "chloe"])
def test_a_class_is_its_teachers_alone(
    who: str, people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    client = signed_in(getattr(people, who))
    hand = RaisedHand.objects.get().pk
    for name in OWN_ROWS:
        assert client.get(url(name, link.pk)).status_code == 404, name
    for name in ("pause", "close", "change-code", "erase", "edit"):
        assert client.post(url(name, link.pk)).status_code == 404, name
    for name in ("pause-pupil", "new-pupil-code", "erase-pupil"):
        assert client.post(url(name, pupil.pk)).status_code == 404, name
    assert client.post(url("settle-hand", hand)).status_code == 404
    for name in ("answer", "correct"):
        assert client.get(url(name, message.pk)).status_code == 404
    assert client.get(reverse("chatbots:turn", args=[message.pk])).status_code == 404
    assert "Chemistry 9b" not in client.get(url("list")).content.decode()


def test_admins_see_that_there_are_classes_and_switch_them_off(
    people: Cast, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    carol = signed_in(people.carol)
    text = carol.get(url("school")).content.decode()
    assert "Chemistry 9b" in text and "Alice" in text and message.question not in text
    carol.post(url("switch"))
    assert computer.get(page("room", link)).status_code == 403
    alice = signed_in(people.alice)
    refused = alice.post(url("create"), fields(chatbot))
    assert refused.status_code == 422 and "switched class links off" in refused.content.decode()
    carol.post(url("switch"), {"allowed": "on"})
    assert computer.get(page("room", link)).status_code == 302
    carol.post(url("close-as-admin", link.pk))
    link.refresh_from_db()
    assert link.state() == ClassState.CLOSED
    assert "Chemistry 9b" not in signed_in(people.chloe).get(url("school")).content.decode()
    assert signed_in(people.chloe).post(url("close-as-admin", link.pk)).status_code == 404
    for stranger in (people.alice, people.bob):
        assert signed_in(stranger).get(url("school")).status_code == 403
        assert signed_in(stranger).post(url("switch")).status_code == 403
        assert signed_in(stranger).post(url("close-as-admin", link.pk)).status_code == 403


def test_a_class_ends_some_day(people: Cast, chatbot: Chatbot) -> None:
    fields: dict[str, Any] = {"name": "9b", "chatbots": [chatbot.pk]}
    for days in (-1, 4 * 366):
        with pytest.raises(links.LinkRefused):
            links.create_link(member=people.alice, ends_at=timezone.now() + timedelta(days=days), **fields)
    with pytest.raises(links.LinkRefused):
        links.create_link(member=people.alice, ends_at=datetime(9999, 12, 31, tzinfo=UTC), **fields)


def test_hours_that_never_open_are_refused(people: Cast, chatbot: Chatbot) -> None:
    link = open_class(people.alice, chatbot, opens=time(8), closes=time(15))
    with pytest.raises(links.LinkRefused):
        links.change_link(link=link, member=people.alice, closes=time(7))


@pytest.mark.parametrize("name", ["transcripts", "summary", "export"])
def test_no_day_breaks_a_page(name: str, people: Cast, link: ClassLink) -> None:
    alice = signed_in(people.alice)
    for day in ("9999-12-31", "0001-01-01"):
        assert alice.get(reverse(f"classrooms:{name}", args=[link.pk]), {"on": day}).status_code == 200


def test_the_days_of_a_class_begin_when_its_teacher_leaves(people: Cast, link: ClassLink) -> None:
    ClassLink.objects.update(ends_at=timezone.now() + timedelta(days=900))
    remove_member(membership=people.alice)
    link.refresh_from_db()
    assert link.state() == ClassState.CLOSED and link.erased_at < timezone.now() + timedelta(days=31)


def test_a_correction_below_a_file_that_is_no_text_is_refused_in_words(
    people: Cast, chatbot: Chatbot, link: ClassLink, pupil: Pupil
) -> None:
    message = make_asked(pupil, chatbot)
    document = corrections.correct(chatbot=chatbot, member=people.alice, question="What?", answer="That.")
    uploads.replace(document, ContentFile("Größe".encode("cp1252"), name="corrected.txt"), by=people.alice.user)
    sent = {"question": "How?", "answer": "So."}
    assert signed_in(people.alice).post(url("correct", message.pk), sent).status_code == 422
