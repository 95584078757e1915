"""Find the concepts of passages without a language model (G4)."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.passages import Passage
from learning.concepts.building import build
from learning.concepts.survey import survey
from learning.material import MAX_CONCEPTS, FoundConcept


def find_concepts(passages: Sequence[Passage], *, topic: str = "", language: str, most: int = 30) -> list[FoundConcept]:
    """Return the concepts of passages in teaching order, at most `most` and never more than MAX_CONCEPTS.

    `passages` are in reading order, one for each chunk of the chosen documents, or those that a search for `topic`
    found. Each concept has a definition that is a sentence of the passage `defined_in`, without its Markdown.
    """
    if not passages or most < 1:
        return []
    seen = survey(passages, topic=topic, language=language)
    return build(seen.candidates[: min(most, MAX_CONCEPTS)], seen)
