"""Answers, sources and passages as plain values for the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chatbots.answering.explanations import build_search_record, explain_choice
from chatbots.answering.retrieval import Retrieval
from chatbots.citations.markers import MARKER, blank_out_code
from chatbots.conversations.disclosure import disclose_answers
from chatbots.models import Message, MessageSource, Mode, SourceSnapshot
from corpus.certainty import get_passage_level
from corpus.passages import Passage
from corpus.search.fusion import SelectedPassage

_WORST = ("not found", "weak", "supported")


def present_sources(message: Message) -> dict[str, object]:
    """The sources of a message, before it has a text; prefetch them."""
    return {
        "message_id": message.pk,
        "chat_id": message.chat_id,
        "mode": Mode.SELECTION.value if message.is_about_selection else message.mode,
        "sources": [present_source(source) for source in _list_sources(message)],
        "unavailable": message.unavailable,
    }


def present_answer(message: Message) -> dict[str, object]:
    """A message with its sources; prefetch them."""
    return {
        **present_sources(message),
        "question": message.question,
        "page": {"source": asked["kind"], "title": asked["title"]} if (asked := message.asked_page) else None,
        "status": message.status,
        "answer": message.answer,
        "refused": message.mode == Mode.REFUSED,
        "near_misses": present_near_misses(message) if message.mode == Mode.REFUSED else [],
        "citations": present_citations(message, _list_sources(message)),
        "unfounded": [message.answer[start:end] for start, end in message.unfounded],
        **_filled(message.chosen),
        "model": message.model,
        "disclosure": disclose_answers([message]),
        "notice": message.notice,
        "model_text": message.model_text,
        "finish_reason": message.finish_reason,
        "searched_for": message.searched_for,
        "timings": message.timings,
        "created_at": message.created_at,
        "finished_at": message.finished_at,
        "version_of": message.version_of_id,
    }


def _list_sources(message: Message) -> list[MessageSource]:
    return sorted(message.sources.all(), key=lambda source: source.number)


def present_near_misses(message: Message) -> list[dict[str, str]]:
    """The passages that are shown with a refusal."""
    chosen = explain_choice(message.chosen)
    return [
        {"source": one.kind, "title": one.title, "where": one.where, "excerpt": one.excerpt, "reason": one.reason}
        for one in (chosen.nearest if chosen else ())
    ]


def present_source(source: MessageSource) -> dict[str, Any]:
    """A stored source of an answer."""
    return {
        "number": source.number,
        "source": source.kind,
        **present_place(source),
        "excerpt": source.excerpt,
        "relevance": source.relevance,
        "certainty": source.certainty,
        "level": source.level,
        "answer_words": source.answer_words,
        "weight": source.weight,
        "cited": source.is_cited,
        "given": source.was_given,
    }


def present_citations(message: Message, sources: Iterable[MessageSource]) -> list[dict[str, object]]:
    """The cited sources in order of first mention, each with the worst verdict of its markers."""
    known = {source.number: source for source in sources}
    states: dict[int, list[str]] = {}
    for place, number in enumerate(map(int, MARKER.findall(blank_out_code(message.answer)))):
        if number in known:
            states.setdefault(number, [])
            if verdict := message.support.get(str(place)):
                states[number].append(verdict[0])
    return [
        {"number": number, **present_place(known[number]), "support": _worst(found)} for number, found in states.items()
    ]


def present_search_results(found: Retrieval, searched_for: str, total_ms: float) -> dict[str, object]:
    """The passages of a search without an answer."""
    return {
        "searched_for": searched_for,
        "passages": [_passage(rank, placed) for rank, placed in enumerate(found.placed, start=1)],
        "unavailable": [kind.value for kind in found.unavailable],
        **_filled(build_search_record(found)),
        "timings": {
            "embed_ms": found.timings.get("embed_ms", 0.0),
            "search_ms": found.timings.get("search_ms", 0.0),
            "read_ms": found.timings.get("read_ms", 0.0),
            "total_ms": round(total_ms, 2),
        },
    }


def _filled(record: Mapping[str, Any]) -> dict[str, list[str]]:
    pools = [pool for pool in record.get("pools", ()) if pool["fills_in"] and pool["taken"]]
    return {"filled_in": [pool["kind"] for pool in pools], "not_needed": record.get("not_needed", [])}


def _passage(rank: int, placed: SelectedPassage) -> dict[str, object]:
    passage = placed.passage
    return {
        "rank": rank,
        "source": passage.kind.value,
        **present_place(passage),
        "text": passage.text,
        "excerpt": passage.excerpt,
        "relevance": passage.relevance,
        "certainty": passage.certainty,
        "level": get_passage_level(passage),
        "answer_words": passage.answer_words,
        "weighted": placed.weighted,
    }


def present_place(found: SourceSnapshot | Passage) -> dict[str, object]:
    """Where a passage or a stored source is from, as `PlaceSerializer` has it."""
    kind = found.kind if isinstance(found, Passage) else found.source_kind
    document = {"id": found.document_id, "title": found.document_title, "version": found.version}
    return {
        "title": found.document_title,
        "uri": kind.uri(found),
        "address": found.address,
        "revision": found.revision,
        "read_at": found.read_at,
        "document": document if found.document_id else None,
        "heading_path": list(found.heading_path),
        "label": found.label,
        "file_path": found.file_path,
        "page": found.page,
        "page_label": found.page_label,
        "line_range": list(found.lines) if found.lines else None,
    }


def _worst(states: Iterable[str]) -> str | None:
    found = set(states)
    return next((state.replace(" ", "_") for state in _WORST if state in found), None)
