"""Answers that a teacher has corrected: they become a personal document that the chatbot may cite.

Each chatbot has one such document. A question is a heading, the right answer the text below it, so that the next pupil
who asks finds it by the usual search. Both are in the teacher's own words: what a pupil wrote is erased with the class.
"""

from __future__ import annotations

import re

from django.core.files.base import ContentFile
from django.db import transaction

from chatbots.models import Chatbot, ChatbotPersonalDocLink
from classrooms.models import Correction
from corpus.ingestion import uploads
from corpus.web.pages import UNREACHABLE
from knowledge import services as knowledge
from knowledge.models import PersonalDocument
from schools.models import Membership

MAX_QUESTION_LENGTH, MAX_ANSWER_LENGTH = 200, 4000
_ESCAPE = "\\"
_HEADING = re.compile(r"(?m)^(?=\s{0,3}#)")


class CorrectionRefused(Exception):
    """The correction is empty or too long; the message says which, `field` names the field."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


@transaction.atomic
def add_correction(*, chatbot: Chatbot, member: Membership, question: str, answer: str) -> PersonalDocument:
    """Keep the right answer to a question, for this chatbot of the member. Raises CorrectionRefused, UploadRefused."""
    question, answer = " ".join(question.replace("\x00", "").split()), _clean(answer)
    for field, text, most in (("question", question, MAX_QUESTION_LENGTH), ("answer", answer, MAX_ANSWER_LENGTH)):
        if not text:
            raise CorrectionRefused(field, f"Write the {field}.")
        if len(text) > most:
            raise CorrectionRefused(field, f"This has {len(text):,} characters; at most {most:,} are possible.")
    Chatbot.objects.select_for_update(no_key=True).get(pk=chatbot.pk)
    section = f"## {question}\n\n{_HEADING.sub(lambda _: _ESCAPE, answer)}\n"
    row = Correction.objects.filter(chatbot=chatbot).select_related("document").first()
    title = f"Corrected answers: {chatbot.name}"[:200]
    if row is None:
        file = _file(f"# {title}\n\n{section}")
        document, _ = knowledge.upload(member=member, file=file, title=title)
        Correction.objects.create(school_id=chatbot.school_id, chatbot=chatbot, document=document)
    else:
        document = row.document
        try:
            with document.newest.file.open("rb") as stored:
                text = _text(stored.read())
        except FileNotFoundError:
            raise CorrectionRefused("answer", f"{UNREACHABLE} Nothing was changed.") from None
        uploads.replace(document, _file(f"{text.rstrip()}\n\n{section}"), by=member.user)
    ChatbotPersonalDocLink.objects.get_or_create(
        chatbot=chatbot, document=document, defaults={"school_id": chatbot.school_id}
    )
    return document


def _clean(text: str) -> str:
    return text.replace("\x00", "").replace("\r\n", "\n").strip()


def _file(text: str) -> ContentFile[bytes]:
    return ContentFile(text.encode(), name="corrected-answers.md")


def _text(stored: bytes) -> str:
    try:
        return stored.decode()
    except UnicodeDecodeError:
        words = "Your document “Corrected answers” was replaced by a file that is no text. Delete it, then try again."
        raise CorrectionRefused("answer", words) from None
