"""All that is stored of one pupil, as a ZIP of readable files: what a pupil, or their parents, may ask for."""

from __future__ import annotations

import io
import zipfile

from django.db.models import Prefetch, Q
from django.utils import timezone

from chatbots.citations.markers import strip_markers
from chatbots.conversations.disclosure import disclose_answers
from chatbots.conversations.export import export_chat, export_file_name
from chatbots.models import Chat, MessageSource
from classrooms.flagging import HIDES_ANSWER, find_held_words, may_be_held
from classrooms.models import Flag, Pupil, SourcesShown
from privacy.exporting import describe_guest, list_guest_files, to_json

README = """This is everything that is stored of you in this class.

pupil.json          your nickname, when you were here, and from where you are known
name.json           who you are, if your teacher has noted that
conversations/      what you asked and what was answered, one file for each conversation
asked-teacher.json  answers about which you asked your teacher
practice.json       practice questions that you answered
notes.json          what your teacher wrote about answers

Not in it: the code with which you come back. It is not stored, only a check sum of it.
"""


def export_pupil(pupil: Pupil) -> bytes:
    """The ZIP file. Sources stand in it as far as the pupils of the class may see them."""
    chats = list(Chat.objects.filter(participant=pupil.participant_id).select_related("chatbot").order_by("created_at"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        archive.writestr("pupil.json", to_json(_about(pupil)))
        for number, chat in enumerate(chats, start=1):
            name = export_file_name(chat.title)
            archive.writestr(f"conversations/{number:03}-{name}", _conversation(chat, pupil))
        for name, content in list_guest_files(pupil.participant_id):
            archive.writestr(name, content)
    return file.getvalue()


def _about(pupil: Pupil) -> dict[str, object]:
    link = pupil.class_link
    return {
        "nickname": pupil.nickname,
        "class": link.name,
        "joined_at": pupil.joined_at,
        "last_seen_at": pupil.seen_at,
        "erased_at": link.erased_at,
        "known_elsewhere": describe_guest(pupil.participant_id),
        "exported_at": timezone.now(),
    }


def _conversation(chat: Chat, pupil: Pupil) -> str:
    held = set(Flag.objects.filter(HIDES_ANSWER, message__chat=chat).values_list("message", flat=True))
    is_held = Q(message__in=held) | Q(message__version_of__in=held)
    sources = Prefetch("sources", queryset=MessageSource.objects.exclude(is_held))
    messages = list(chat.messages.prefetch_related(sources).order_by("created_at", "pk"))
    for one in messages:
        is_hidden = not held.isdisjoint((one.pk, one.first_id))
        if is_hidden or may_be_held(one):  # what the pages show instead
            one.answer, one.unfounded, one.support = find_held_words(one) if is_hidden else "", [], {}
    if pupil.class_link.sources_shown == SourcesShown.ALL:
        return export_chat(chat, messages)
    told = f"*{disclose_answers(messages)}*" if messages else ""
    return told + "".join(f"\n\n## {one.question}\n\n{strip_markers(one.answer)}" for one in messages)
