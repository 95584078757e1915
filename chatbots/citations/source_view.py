"""Open a stored source: the document at the passage if it still contains it, else the stored text (C4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString

from chatbots.citations.rendering import locate_passage
from chatbots.citations.table_citations import find_cited_rows, find_quotations
from chatbots.models import Message, MessageSource, SourceSnapshot
from corpus.certainty import Level
from corpus.models import Chunk, Document
from corpus.reading.blocks import block_text, blocks_around, file_info, find_excerpt, find_section, find_span
from corpus.reading.rendering import render_marked
from corpus.source_kinds import SELECTION, list_document_kinds
from schools.models import Membership
from text.sentences import split_sentences
from text.tables import drop_tables


def open_source(source: SourceSnapshot, member: Membership, *, answer: str) -> dict[str, Any]:
    """Template context: the source, its document if the member may see it, the text and its state.

    `answer` is the text that cites the source, so that rows and quotations in it are marked; "" for none.

    `state` is "same", "changed" (a newer version has the passage, too), "rewritten" (it has not), "gone" (deleted,
    withdrawn or unreadable) or "private" (a personal document of the colleague who shares the chatbot). A source that
    is not a document is "selected" (part of a selected text) or "read".

    `link` is a link to the source. `was` is the stored text as HTML. If the passage was rewritten, `now` is the block
    under its headings. The passage is found by its text, since a document may be chunked again without a new version.
    In tables the cited rows are marked.
    """
    kind = source.source_kind
    context: dict[str, Any] = {"source": source, "was": "", "now": None}
    if kind.documents_for is None:
        state = "selected" if kind == SELECTION else "read"
        was = render_stored_text(source, answer, anchor=True)
        context |= {"document": kind.document(member, source), "link": kind.open(member, source)}
        return context | {"state": state, "blocks": [], "was": was}
    read = _read(source, member)
    if read is None:
        was = render_stored_text(source, answer, anchor=True)
        state = "private" if is_of_colleague(source, member) else "gone"
        return context | {"document": None, "state": state, "blocks": [], "was": was}
    document, chunks = read
    context["link"] = kind.open(member, source)
    place = find_excerpt(chunks, source.excerpt, headings=source.heading_path, position=source.position)
    same = document.answering_version == source.version
    if place is None:
        return context | {"document": document, "state": "rewritten"} | _since(source, answer, document, chunks)
    state = "same" if same else "changed"
    text = block_text(chunks, place.block)
    place = replace(place, within=_marks(source, answer, text, place.start, place.end))
    blocks = blocks_around(chunks, place, info=file_info(document))
    return context | {"document": document, "state": state, "blocks": blocks}


def is_of_colleague(source: SourceSnapshot, member: Membership) -> bool:
    """Whether an answer of a shared chatbot took it from a document that only the owner of the chatbot may open."""
    return source.source_kind.is_private and isinstance(source, MessageSource) and _is_shared(source.message, member)


def _is_shared(message: Message, member: Membership) -> bool:
    """Whether its chatbot belongs to a colleague."""
    chatbot = message.chat.chatbot
    return chatbot is not None and chatbot.owner_id != member.user_id


def find_changes(messages: Iterable[Message], member: Membership) -> dict[UUID, str]:
    """The state of these messages' sources by id, unless the version is the same.

    It is "unchanged" if a newer version has the passage, "changed" if it has not, or "gone". Of documents that only a
    colleague may open nothing is said.
    """
    changes: dict[UUID, str] = {}
    sources = [
        source
        for message in messages
        for source in message.sources.all()
        if not (source.source_kind.is_private and _is_shared(message, member))
    ]
    for kind in list_document_kinds():
        of_kind = [source for source in sources if source.kind == kind.value]
        if not of_kind:
            continue
        assert kind.documents_for
        keys = {source.document_id for source in of_kind}
        found = kind.documents_for(member).filter(pk__in=keys).only("answering_version")
        answering = {document.pk: document for document in found}
        updated: dict[UUID, list[MessageSource]] = {}
        for source in of_kind:
            document = answering.get(source.document_id)
            if document is None or document.answering_version is None:
                changes[source.pk] = "gone"
            elif document.answering_version != source.version:
                updated.setdefault(document.pk, []).append(source)
        for pk, cited in updated.items():
            blocks = _flat_blocks(answering[pk])
            still = {excerpt: _is_in(excerpt, blocks) for excerpt in {source.excerpt for source in cited}}
            for source in cited:
                changes[source.pk] = "unchanged" if still[source.excerpt] else "changed"
    return changes


def _is_in(excerpt: str, blocks: Iterable[str]) -> bool:
    words = _flat(excerpt)  # a quick test before the exact search
    return any(find_span(excerpt, block) for block in blocks if words in block)


def _flat_blocks(document: Document) -> list[str]:
    rows = document.chunks.order_by("position").values_list("block", "text")
    return [_flat("".join(text for _, text in group)) for _, group in groupby(rows, key=itemgetter(0))]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _read(source: SourceSnapshot, member: Membership) -> tuple[Document, list[Chunk]] | None:
    """The document and the chunks of its version; None if it cannot be read any more.

    If a new version is published between the two queries, both are repeated.
    """
    document = source.source_kind.document(member, source)
    while document is not None and document.answering_version is not None:
        version = document.answering_version
        chunks = list(document.chunks.defer("embedding", "search").order_by("position"))
        document = source.source_kind.document(member, source)
        if document is not None and document.answering_version == version:
            return document, chunks
    return None


def _since(source: SourceSnapshot, answer: str, document: Document, chunks: Sequence[Chunk]) -> dict[str, object]:
    """The section as it was and, if there is still one under its headings, as it is now."""
    place = find_section(chunks, source.heading_path, position=source.position)
    blocks = blocks_around(chunks, place, mark=False, info=file_info(document))
    now = next((block for block in blocks if place and block.number == place.block), None)
    return {"blocks": blocks, "was": render_stored_text(source, answer, anchor=True), "now": now}


def render_stored_text(source: SourceSnapshot, answer: str, *, anchor: bool) -> SafeString:
    """The stored section with the passage marked; the passage alone if the section does not contain it."""
    text, start, end = locate_passage(source)
    return render_marked(text, _marks(source, answer, text, start, end) or [(start, end)], anchor=anchor)


def _marks(source: SourceSnapshot, answer: str, text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The positions of what the answer took from a passage: cited table rows and quotations, else the sentence with the
    words that answer; empty for the whole passage."""
    cited = find_cited_rows(text, start, end, answer=answer, number=source.number)
    spans = [(one.row.start, one.row.end) for one in cited]
    prose = _flat(drop_tables(text[start:end]))
    for words in find_quotations(answer):
        found = find_span(words, text[start:end]) if _flat(words) in prose else None
        if found:
            spans.append((start + found[0], start + found[1]))
    return _apart(spans) or _answering_sentence(source, text, start, end)


def _apart(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The spans in order, without those that overlap an earlier one."""
    kept: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not kept or kept[-1][1] <= span[0]:
            kept.append(span)
    return tuple(kept)


def _answering_sentence(source: SourceSnapshot, text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    words = source.answer_words if isinstance(source, MessageSource) and source.level == Level.ANSWERS else ""
    place = find_span(words, text[start:end])
    if place is None:
        return ()
    sentences = split_sentences(text[start:end], "")
    found = next((one for one in sentences if one.start <= place[0] and place[1] <= one.end), None)
    return ((start + found.start, start + found.end),) if found else ()
