"""What a chatbot may read: the one place that decides it (H2)."""

from __future__ import annotations

from collections.abc import Sequence

from chatbots.answering.retrieval import WeightedSource
from chatbots.models import Chatbot, ChatbotSource
from corpus.source_kinds import Participation


def sources_for(chatbot: Chatbot, rows: Sequence[ChatbotSource] | None = None) -> list[WeightedSource]:
    """Everything this chatbot may read, and nothing else, with its shares as stored or as in `rows`.

    A source that is empty or off is left out. One that shares the places with a weight of 0 is left out, too, unless
    all that share have none.
    """
    filled = []
    for row in chatbot.all_sources() if rows is None else rows:
        search = row.source_kind.source_for
        source = search(chatbot) if search and row.participation != Participation.OFF else None
        if source and not source.is_empty():
            filled.append(WeightedSource(source, row.weight, fills_in=row.fills_in))
    sharing = [one for one in filled if not one.fills_in]
    weighted = [one for one in sharing if one.weight] or sharing
    return weighted + [one for one in filled if one.fills_in]
