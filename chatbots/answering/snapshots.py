"""Store a found passage with the answer."""

from __future__ import annotations

from collections.abc import Mapping

from chatbots.answering.explanations import standing_of
from chatbots.models import Message, MessageSource
from corpus.search.fusion import SelectedPassage
from engines.llm import NumberedPassage


def snapshot_of(
    message: Message, number: int, placed: SelectedPassage, given: Mapping[int, NumberedPassage] | None
) -> MessageSource:
    """A copy of a passage as it is now. If it was cut to fit the prompt, the copy has the cut text."""
    passage, read = placed.passage, (given or {}).get(number)
    return MessageSource(
        school_id=message.school_id,
        message=message,
        number=number,
        kind=passage.kind.value,
        also_in=[f"{twin.kind.label}: {twin.document_title}"[:300] for twin in placed.also],
        document_id=passage.document_id,
        document_title=passage.document_title[:200],
        version=passage.version,
        address=passage.address,
        external_id=passage.external_id,
        revision=passage.revision[:100],
        read_at=passage.read_at,
        media_type=passage.media_type,
        heading_path=list(passage.heading_path),
        page=passage.page,
        line_start=passage.lines[0] if passage.lines else None,
        line_end=passage.lines[1] if passage.lines else None,
        file_path=passage.file_path,
        label=passage.label,
        position=passage.position,
        excerpt=read.excerpt if read else passage.excerpt,
        text=read.text if read else passage.text,
        relevance=passage.relevance,
        weight=placed.weight,
        standing=standing_of(passage),
        was_given=given is None or number in given,
        is_recognised=passage.is_recognised,
    )
