"""Decide what a chatbot may read. No other module does (H2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chatbots.answering.retrieval import WeightedSource
from chatbots.models import Chatbot, ChatbotSource, Participant
from corpus.source_kinds import Participation, SourceKind
from corpus.sources import PageUnavailable, Source

_TutorSource = Callable[[Chatbot, Participant | None], Source]
_tutor_source: list[_TutorSource] = []


def register_tutor_source(source: _TutorSource) -> None:
    """Say what a tutor reads when this person asks it. Called once, by the app of study plans."""
    _tutor_source[:] = [source]


def sources_for(
    chatbot: Chatbot, rows: Sequence[ChatbotSource] | None = None, *, participant: Participant | None = None
) -> list[WeightedSource]:
    """Exactly the sources that this chatbot may read, with the stored shares or those in `rows`.

    Sources that are empty, off or not allowed by the school are left out. So are sources with a weight of 0, unless all
    have that weight. A tutor reads its study plan for `participant`, and nothing else.
    """
    if chatbot.is_tutor:
        return [WeightedSource(source(chatbot, participant), 100) for source in _tutor_source]
    filled = []
    for row in chatbot.all_sources() if rows is None else rows:
        search = row.source_kind.source_for if row.participation != Participation.OFF else None
        source = search(chatbot) if search and row.is_allowed else None
        if source and not source.is_empty():
            filled.append(WeightedSource(source, row.weight, fills_in=row.fills_in))
    sharing = [one for one in filled if not one.fills_in]
    weighted = [one for one in sharing if one.weight] or sharing
    return weighted + [one for one in filled if one.fills_in]


def source_of_page(chatbot: Chatbot, kind: SourceKind, page: str) -> Source:
    """A single page, by the id that its passages carry, if the school allows its kind. Raises PageUnavailable."""
    if kind.page_source is None or not kind.is_allowed_for(chatbot.school):
        raise PageUnavailable(f"A single page of {kind.plural} cannot be asked about.")
    return kind.page_source(chatbot, page)
