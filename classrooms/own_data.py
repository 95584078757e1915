"""All that is stored of one pupil, as a ZIP of readable files: what a pupil, or their parents, may ask for."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

from django.db.models import Prefetch
from django.utils import timezone

from chatbots.citations.markers import strip_markers
from chatbots.conversations.export import export_chat, export_file_name
from chatbots.models import Chat, MessageSource
from classrooms.flagging import held_words_of, may_be_held
from classrooms.models import Flag, Pupil, RaisedHand, SourcesShown, TeacherNote
from learning.models import Attempt

README = """This is everything that is stored of you in this class.

pupil.json          your nickname, when you were here, and from where you are known
conversations/      what you asked and what was answered, one file for each conversation
asked-teacher.json  answers about which you asked your teacher
practice.json       practice questions that you answered
notes.json          what your teacher wrote about answers

Not in it: the code with which you come back. It is not stored, only a check sum of it.
"""

_words: list[Callable[[Pupil], str]] = []


def register_words(words: Callable[[Pupil], str]) -> None:
    """Called when a higher app starts that stores something of pupils: what that is, in sentences, if anything."""
    _words.append(words)


def known_elsewhere(pupil: Pupil) -> list[str]:
    """What other apps store of a pupil, in words."""
    return [told for words in _words if (told := words(pupil))]


def export_pupil(pupil: Pupil) -> bytes:
    """The ZIP file. Sources stand in it as far as the pupils of the class may see them."""
    chats = list(Chat.objects.filter(participant=pupil.participant_id).select_related("chatbot").order_by("created_at"))
    own = {"message__chat__participant": pupil.participant_id}
    hands = RaisedHand.objects.filter(**own).select_related("message")
    notes = TeacherNote.objects.filter(**own).select_related("message")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        archive.writestr("pupil.json", _json(_about(pupil)))
        for number, chat in enumerate(chats, start=1):
            name = export_file_name(chat.title)
            archive.writestr(f"conversations/{number:03}-{name}", _conversation(chat, pupil))
        asked = [{"question": one.message.question, "at": one.raised_at} for one in hands]
        archive.writestr("asked-teacher.json", _json(asked))
        archive.writestr("practice.json", _json(_practice(pupil)))
        archive.writestr("notes.json", _json([{"question": one.message.question, "note": one.text} for one in notes]))
    return file.getvalue()


def _practice(pupil: Pupil) -> list[dict[str, Any]]:
    rows = Attempt.objects.filter(participant=pupil.participant_id).select_related("question").order_by("answered_at")
    return [
        {
            "question": one.question.prompt,
            "given": one.given,
            "verdict": one.verdict,
            "own_rating": one.own_rating,
            "at": one.answered_at,
        }
        for one in rows
    ]


def _about(pupil: Pupil) -> dict[str, Any]:
    link = pupil.class_link
    return {
        "nickname": pupil.nickname,
        "class": link.name,
        "joined_at": pupil.joined_at,
        "last_seen_at": pupil.seen_at,
        "erased_at": link.erased_at,
        "known_elsewhere": known_elsewhere(pupil),
        "exported_at": timezone.now(),
    }


def _conversation(chat: Chat, pupil: Pupil) -> str:
    held = set(
        Flag.objects.filter(message__chat=chat, was_held=True, is_of_answer=True).values_list("message", flat=True)
    )
    sources = Prefetch("sources", queryset=MessageSource.objects.exclude(message__in=held))
    messages = list(chat.messages.prefetch_related(sources).order_by("created_at", "pk"))
    for one in messages:
        if one.pk in held or may_be_held(one):  # what the pages show instead
            one.answer, one.unfounded, one.support = held_words_of(one) if one.pk in held else "", [], {}
    if pupil.class_link.sources_shown == SourcesShown.ALL:
        return export_chat(chat, messages)
    return "\n\n".join(f"## {one.question}\n\n{strip_markers(one.answer)}" for one in messages)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=lambda one: one.isoformat())
