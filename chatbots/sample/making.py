"""Services: make the sample chatbot of a teacher, and throw it away with its document."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F

from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chatbot
from chatbots.services import create_chatbot, set_personal_documents
from corpus.ingestion import uploads
from knowledge import services as knowledge
from knowledge.models import PersonalDocument, PersonalDocumentQuerySet
from schools.models import Membership

NAME = "Sample: the water cycle"
_TEXT = Path(__file__).with_name("the-water-cycle.md")


def make_sample(member: Membership) -> Chatbot:
    """The member's sample chatbot, which is made if there is none. Raises UploadRefused.

    Its text is uploaded like any other file, so it is read by the worker.
    """
    known = Chatbot.objects.for_member(member).filter(is_sample=True).first()
    if known is not None:
        return known
    document, _ = knowledge.upload(member=member, file=ContentFile(_text(), name=_TEXT.name))
    with transaction.atomic():
        chatbot = create_chatbot(
            member=member,
            name=NAME,
            description="Ask about the water cycle. It answers from one short text that comes with Lectern.",
            is_sample=True,
        )
        set_personal_documents(chatbot=chatbot, member=member, documents=[document.pk])
    return chatbot


@transaction.atomic
def throw_away(member: Membership) -> bool:
    """Erase the sample chatbot with its conversations, and its document. Whether the document is gone, too.

    It stays where another chatbot reads it. Other documents that the teacher has given to the sample stay as well. An
    earlier sample that was only deleted goes with it.
    """
    samples = Chatbot.objects.for_member_with_deleted(member).filter(is_sample=True)
    texts = list(_sample_texts(member).filter(chatbot_links__chatbot__in=samples).distinct())
    for sample in samples:
        erase_chatbot(sample)
    unused = [document for document in texts if not document.chatbot_links.exists()]
    for document in unused:
        uploads.delete(document)
    return len(unused) == len(texts)


def _sample_texts(member: Membership) -> PersonalDocumentQuerySet:
    """The member's documents that still are our text: one that was replaced is the teacher's own."""
    current = PersonalDocument.objects.for_member(member)
    return current.filter(versions__number=F("version"), versions__content_hash=_content_hash())


@cache
def _text() -> bytes:
    return _TEXT.read_bytes()


@cache
def _content_hash() -> str:
    return hashlib.sha256(_text()).hexdigest()
