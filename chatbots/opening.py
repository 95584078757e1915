"""Opening a source of an answer: the document at the passage where it still stands, else the record of it (C4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chatbots.models import Message, MessageSource
from corpus.models import Document
from corpus.passages import SourceKind
from corpus.reading import blocks
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership


def open_source(source: MessageSource, member: Membership) -> dict[str, Any]:
    """Template context: the source, its document if the member may see it, the text, and what has become of it.

    `state` is "same", "changed" (the passage stands in a newer version too), "rewritten" (it does not) or "gone"
    (deleted, withdrawn, or not answering any more). For the last two the stored excerpt is all there is.
    """
    document = _document(source, member)
    if document is None or document.answering_version is None:
        return {"source": source, "document": None, "state": "gone", "blocks": []}
    position: int | None = source.position
    state = "same"
    if document.answering_version != source.version:
        position = _same_text(document, source.excerpt)
        state = "rewritten" if position is None else "changed"
    text = blocks(document, passage=position)
    return {"source": source, "document": document, "state": state, "blocks": text}


def tell_changes(messages: Iterable[Message], member: Membership) -> list[Message]:
    """Set `has_become` of each message's sources: "" while the document is as it was, "changed" or "gone"."""
    told = list(messages)
    sources = [source for message in told for source in message.sources.all()]
    answering = {
        (kind, key): version
        for kind, documents in _doors(member).items()
        for key, version in documents.filter(
            pk__in={source.document_id for source in sources if source.kind == kind}
        ).values_list("pk", "answering_version")
    }
    for source in sources:
        version = answering.get((SourceKind(source.kind), source.document_id))
        source.has_become = "gone" if version is None else "" if version == source.version else "changed"
    return told


def _doors(member: Membership) -> dict[SourceKind, Any]:
    """What of each kind the member may see."""
    return {
        SourceKind.PERSONAL: PersonalDocument.objects.for_member(member),
        SourceKind.SCHOOL: SchoolDocument.objects.for_member(member).published(),
    }


def _document(source: MessageSource, member: Membership) -> Document | None:
    found: Document | None = _doors(member)[SourceKind(source.kind)].filter(pk=source.document_id).first()
    return found


def _same_text(document: Document, excerpt: str) -> int | None:
    wanted = " ".join(excerpt.split())
    for position, text in document.chunks.order_by("position").values_list("position", "text"):
        if " ".join(text.split()) == wanted:
            return int(position)
    return None
