"""Opening a source of an answer: the document at the passage where it still stands, else the record of it (C4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from chatbots.models import Message, MessageSource
from corpus.comparing import counterpart, differences, text_at
from corpus.models import Document
from corpus.passages import SourceKind
from corpus.reading import around, find, media_type_of, span_of
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership


def open_source(source: MessageSource, member: Membership) -> dict[str, Any]:
    """Template context: the source, its document if the member may see it, the text, and what has become of it.

    `state` is "same", "changed" (the passage stands in a newer version too), "rewritten" (it does not) or "gone"
    (deleted, withdrawn, or not answering any more). The passage is found by its words, for a document may be cut
    anew without a new version. `was` is what the answerer read: before, within and after the passage. `now` is, of a
    rewritten one, the block in which the text that has taken its place stands, and `differences` is in which words.
    """
    context = {"source": source, "was": _as_it_was(source), "now": None}
    read = _read(source, member)
    if read is None:
        return context | {"document": None, "state": "gone", "blocks": []}
    document, chunks = read
    place = find(chunks, source.excerpt, headings=source.heading_path, position=source.position)
    same = document.answering_version == source.version
    if place is None:
        return context | {"document": document, "state": "rewritten"} | _since(source, document, chunks)
    state = "same" if same else "changed"
    blocks = around(chunks, place, media_type=media_type_of(document))
    return context | {"document": document, "state": state, "blocks": blocks}


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


def _read(source: MessageSource, member: Membership) -> tuple[Document, list[Any]] | None:
    """The document and the chunks of the version that it names; None when there is nothing to see any more.

    A new version may come into place between the two queries: then both are read again.
    """
    document = _document(source, member)
    while document is not None and document.answering_version is not None:
        version = document.answering_version
        chunks = list(document.chunks.defer("embedding", "search").order_by("position"))
        document = _document(source, member)
        if document is not None and document.answering_version == version:
            return document, chunks
    return None


def _since(source: MessageSource, document: Document, chunks: Sequence[Any]) -> dict[str, Any]:
    """Of a passage that does not stand in these chunks any more: what has taken its place, if anything has."""
    place = counterpart(chunks, source.excerpt, headings=source.heading_path, position=source.position)
    blocks = around(chunks, place, mark=False, media_type=media_type_of(document))
    if place is None:
        return {"blocks": blocks}
    now = next(block for block in blocks if block.number == place.block)
    return {
        "blocks": blocks,
        "now": now,
        "differences": differences(source.excerpt.strip(), text_at(chunks, place).strip()),
    }


def _as_it_was(source: MessageSource) -> tuple[str, str, str]:
    """The section that the answerer read: before, within and after the passage; the passage alone if not in it."""
    span = span_of(source.excerpt, source.text)
    if span is None:
        return "", source.excerpt, ""
    start, end = span
    return source.text[:start], source.text[start:end], source.text[end:]
