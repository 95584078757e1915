"""The teacher's desk: what happens in a class now, its pupils, transcripts and the summary of a lesson."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.sessions.models import Session
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.answering import execution
from chatbots.models import Message
from chatbots.streaming.responses import encode_event, make_event_stream
from classrooms import corrections, erasing, flagging, hands, transcripts
from classrooms.desk import build_desk
from classrooms.forms import TranscriptForm
from classrooms.joining import pupils
from classrooms.mails import list_leads
from classrooms.models import GRAVE, ClassLink, Flag, Pupil, RaisedHand
from classrooms.summary import list_mastery, summarise
from classrooms.views.teaching import build_addresses
from corpus.ingestion.storage import UploadRefused
from corpus.web.csv_file import csv_response, write_csv
from engines import background
from plugins import is_on
from schools.access import MemberRequest, member_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import find, get_page
from schools.models import Membership

EVERY = 2.0
"""Seconds between two looks at a class, while its desk is open."""
MAX_SECONDS = 4 * 3600
"""Seconds for which a desk is kept up to date; then the browser connects again."""


@never_cache
@require_GET
@member_required
def desk(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """What happens in the class now. The page is brought up to date while it is open."""
    link = _find(request.member, pk)
    transcripts.record_look(Action.CLASS_WATCHED, link, once=True)
    context = {"link": link, "desk": build_desk(link), **build_addresses(request, link)}
    concepts, by_pupil = list_mastery(link) if is_on("learning") else ([], [])
    context |= {"own_state": link.state(), "has_ended": link.ends_at <= timezone.now()}
    context |= {"concepts": concepts, "by_pupil": by_pupil}
    return render(request, "classrooms/desk.html", context)


@require_GET
@member_required
def live(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The desk as server-sent events: its HTML whenever something has changed."""
    transcripts.record_look(Action.CLASS_WATCHED, _find(request.member, pk), once=True)
    member, session = request.member.pk, request.session.session_key

    def look() -> str | None:
        still = Membership.objects.filter(pk=member, user__is_active=True).first()
        signed_in = Session.objects.filter(session_key=session, expire_date__gt=timezone.now()).exists()
        link = ClassLink.objects.for_member(still).filter(pk=pk).first() if still and signed_in else None
        if link is None:
            return None
        return render_to_string("classrooms/_live.html", {"link": link, "desk": build_desk(link)}, request)

    return make_event_stream(_looks(look))


async def _looks(look: Any) -> AsyncGenerator[bytes]:
    shown = ""
    for _ in range(int(MAX_SECONDS / EVERY)):
        html = await background.run_in_pool("requests", look)
        if html is None or execution.closing.is_set():
            yield b"event: over\ndata: \n\n"
            return
        if html != shown:
            yield encode_event("desk", html)
            shown = html
        else:
            yield b": still here\n\n"
        await asyncio.sleep(EVERY)


@never_cache
@require_GET
@member_required
def transcript(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """What was asked and answered in a class: all of it, or by pupil, words, outcome and day."""
    link = _find(request.member, pk)
    form = TranscriptForm(request.GET, link=link)
    filters = form.filters()
    page = get_page(request, transcripts.search_questions(link, **filters), 30)
    chosen = link.pupils.filter(pk=filters["pupil"]).first() if filters["pupil"] else None
    transcripts.record_look(Action.CLASS_READ, link)
    context = {"link": link, "form": form, "page": page, "is_filtered": any(filters.values()), "chosen": chosen}
    return render(request, "classrooms/transcripts.html", context)


@never_cache
@require_GET
@member_required
def export_transcripts(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The same as CSV; without nicknames with `?names=no`."""
    link = _find(request.member, pk)
    rows = transcripts.search_questions(link, **TranscriptForm(request.GET, link=link).filters())
    with_names = request.GET.get("names") != "no"
    content = write_csv(transcripts.COLUMNS, transcripts.write_lines(rows, with_names=with_names))
    transcripts.record_look(Action.CLASS_EXPORTED, link)
    parts = ["class", slugify(link.name)[:60], timezone.localdate().isoformat(), "" if with_names else "without-names"]
    return csv_response(request, content, name="-".join(filter(None, parts)))


@never_cache
@require_GET
@member_required
def summary(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """What was asked in a lesson (`?on=`), or in all of them: topics, unanswered questions, no names."""
    link = _find(request.member, pk)
    lessons = transcripts.list_lessons(link)
    day = _day(request.GET.get("on", ""))
    transcripts.record_look(Action.CLASS_READ, link)
    context = {"link": link, "lessons": lessons, "day": day, "summary": summarise(link, on=day)}
    return render(request, "classrooms/summary.html", context)


@require_POST
@member_required
def pause_pupil(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Pause one pupil, or let them go on."""
    pupil = _find_pupil(request.member, pk)
    is_paused = request.POST.get("paused") == "on"
    if is_paused != bool(pupil.paused_at):
        pupils.set_paused(pupil, is_paused=is_paused)
        action = Action.PUPIL_PAUSED if is_paused else Action.PUPIL_RESUMED
        transcripts.record_look(action, pupil.class_link)
    return _desk_again(request, pupil.class_link)


@require_POST
@member_required
def give_new_code(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A new code for a pupil who has lost theirs. It is shown once."""
    pupil = _find_pupil(request.member, pk)
    code = pupils.change_pupil_code(pupil)
    transcripts.record_look(Action.PUPIL_CODE_CHANGED, pupil.class_link)
    messages.success(request, f"The new code of {pupil.nickname} is {code}. It is shown only now.")
    return redirect("classrooms:desk", pupil.class_link_id)


@require_http_methods(["GET", "POST"])
@member_required
def confirm_pupil_erasure(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase a pupil with everything that they asked, after a confirmation."""
    pupil = _find_pupil(request.member, pk)
    if request.method == "POST":
        counts = erasing.erase_pupil(pupil, asked_by=request.member).counts
        messages.success(request, f"Erased: {pupil.nickname} and {counts['questions']} questions.")
        return redirect("classrooms:desk", pupil.class_link_id)
    asked = Message.objects.filter(chat__participant=pupil.participant_id, version_of=None).count()
    handed = Flag.objects.filter(pupil=pupil).grave().unseen().count()
    return render(request, "classrooms/erase_pupil.html", {"pupil": pupil, "asked": asked, "handed": handed})


@require_POST
@member_required
def settle_hand(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Take a raised hand off the list."""
    hand = find(RaisedHand.objects.for_member(request.member).select_related(_PUPIL), pk)
    hands.settle(hand)
    link = hand.message.chat.participant.pupil.class_link
    return _desk_again(request, link)


@require_POST
@member_required
def mark_concern_seen(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Take a concern off the list, or with `seen=off` put it there again."""
    flag = find(Flag.objects.for_member(request.member).select_related("pupil__class_link", "class_link"), pk)
    is_seen, link = request.POST.get("seen") != "off", flag.link
    if flagging.mark_seen(flag, is_seen=is_seen):
        action = Action.CONCERN_SEEN if is_seen else Action.CONCERN_UNSEEN
        label = link.name if link else flag.handed["class"]
        record(action, school=flag.school_id, subject=link, label=label)
    if link is None or link.owner_id != request.member.user_id or "concerns" in request.POST:
        return redirect("classrooms:concerns")
    return _desk_again(request, link)


@require_http_methods(["GET", "POST"])
@member_required
def answer_pupil(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """One answer to a pupil, with the teacher's note for the pupil."""
    message = find_asked(request.member, pk)
    link = message.chat.participant.pupil.class_link
    told, error = request.POST.get("text", ""), ""
    if request.method == "POST":
        try:
            note = hands.write_note(message, told)
        except hands.NoteRefused as reason:
            error = str(reason)
        else:
            transcripts.record_look(Action.NOTE_WRITTEN, link)
            messages.success(request, "Saved. The pupil sees it beside the answer." if note else "The note is gone.")
            return redirect("classrooms:desk", link.pk)
    note = getattr(message, "teacher_note", None)
    flags = list(flagging.list_flags(message))
    transcripts.record_look(Action.CLASS_READ, link)
    context = {
        "message": message,
        "link": link,
        "pupil": message.chat.participant.pupil,
        "text": told if error else (note.text if note else ""),
        "error": error,
        "note": note,
        "flags": flags,
        "is_grave": any(flag.category in GRAVE for flag in flags),
        "leads": [one.name for one in list_leads(link.school) if one.user_id != link.owner_id] if flags else [],
        "most": hands.MAX_NOTE_LENGTH,
    }
    return render(request, "classrooms/answer.html", context, status=422 if error else 200)


@require_http_methods(["GET", "POST"])
@member_required
def correct_answer(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Write the right answer, which the chatbot finds and cites from then on."""
    message = find_asked(request.member, pk)
    chatbot, link = message.chat.chatbot, message.chat.participant.pupil.class_link
    assert chatbot is not None
    errors: dict[str, str] = {}
    if request.method == "POST":
        question, right = request.POST.get("question", ""), request.POST.get("answer", "")
        try:
            document = corrections.add_correction(
                chatbot=chatbot, member=request.member, question=question, answer=right
            )
        except corrections.CorrectionRefused as reason:
            errors[reason.field] = str(reason)
        except UploadRefused as reason:
            errors["answer"] = str(reason)
        else:
            transcripts.record_look(Action.ANSWER_CORRECTED, link)
            told = f"Saved in your document “{document.title}”. The chatbot can use it in a moment."
            messages.success(request, told)
            return redirect("classrooms:answer", pk)
    transcripts.record_look(Action.CLASS_READ, link)
    context = {"message": message, "link": link, "chatbot": chatbot, "errors": errors, "typed": request.POST}
    return render(request, "classrooms/correct.html", context, status=422 if errors else 200)


_PUPIL = "message__chat__participant__pupil__class_link"


def find_asked(member: Membership, pk: UUID) -> Message:
    """The answer to a pupil of one of the member's classes, else 404."""
    rows = Message.objects.filter(school=member.school_id, chat__participant__pupil__class_link__owner=member.user_id)
    rows = rows.select_related("chat__chatbot", "chat__participant__pupil__class_link", "teacher_note", "raised_hand")
    return find(rows.prefetch_related("sources"), pk)


def _desk_again(request: MemberRequest, link: ClassLink) -> HttpResponseBase:
    """The desk after something was done on it."""
    if request.headers.get("HX-Request"):
        transcripts.record_look(Action.CLASS_WATCHED, link, once=True)
        return render(request, "classrooms/_live.html", {"link": link, "desk": build_desk(link)})
    return redirect("classrooms:desk", link.pk)


def _day(text: str) -> Any:
    try:
        return parse_date(text)
    except ValueError:
        return None


def _find(member: Membership, pk: UUID) -> ClassLink:
    return find(ClassLink.objects.for_member(member).select_related("school"), pk)


def _find_pupil(member: Membership, pk: UUID) -> Pupil:
    return find(Pupil.objects.for_member(member).select_related("class_link__school"), pk)
