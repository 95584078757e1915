"""Find what a summary is made from: a document or section that the question names, else the passages of a topic."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbots.answering.query_rewriting import Exchange, Search
from chatbots.answering.retrieval import Retrieval, WeightedSource, ask_sources
from chatbots.models import Language
from corpus.embedding.active_model import active_embedder
from corpus.search.fusion import Candidates, SelectedPassage, allocate
from text.summary_requests import SummaryRequest, summary_request

PLACES, OUTLINE_PLACES = 8, 16
"""Passages for the summary or the outline of a text, unless the chatbot has more places: a text has more parts than a
question has answers."""

NAMED, SECTION = 0.5, 1.0
"""How well the words of “What is X about?” must fit the name of a text, or of a section that is not called one, else
it is a question about X: “What does Newton’s third law say?”."""

_PART = {
    Language.ENGLISH: "This is made from {some} of the {all} passages, chosen to stand for the rest.",
    Language.GERMAN: "Dies ist aus {some} der {all} Textstellen gemacht, die für die übrigen stehen.",
    Language.FRENCH: "Ceci vient de {some} des {all} passages, choisis pour représenter les autres.",
    Language.SPANISH: "Esto procede de {some} de los {all} pasajes, elegidos para representar a los demás.",
}
_PART_OF_OUTLINE = {
    Language.ENGLISH: "These are the beginnings of {some} of the {all} sections.",
    Language.GERMAN: "Dies sind die Anfänge von {some} der {all} Abschnitte.",
    Language.FRENCH: "Voici le début de {some} des {all} sections.",
    Language.SPANISH: "Estos son los comienzos de {some} de las {all} secciones.",
}


@dataclass(frozen=True)
class SummaryMaterial:
    """What is summarised and the passages it is made from, in reading order.

    `topic` is what was searched for; it is empty if a text is summarised. That has `size` passages, in an outline
    sections, and a `title`, unless it is several documents.
    """

    retrieval: Retrieval
    topic: str = ""
    title: str = ""
    size: int = 0
    is_outline: bool = False

    def notice(self, language: str) -> str:
        """What is said beside a summary that is not made from the whole text; else an empty string."""
        some = len(self.retrieval.placed)
        words = _PART_OF_OUTLINE if self.is_outline else _PART
        return words[Language(language)].format(some=some, all=self.size) if some < self.size else ""

    def record(self) -> dict[str, object]:
        """How the passages were chosen, as JSON, if a text is summarised."""
        summarised = {"title": self.title, "passages": len(self.retrieval.placed), "size": self.size}
        summarised |= {"is_outline": True} if self.is_outline else {}
        return {"summarised": summarised} if self.size else {}


def retrieve_for_summary(
    question: str,
    earlier: Sequence[Exchange],
    sources: Sequence[WeightedSource],
    *,
    places: int,
    search: Search,
    outline: bool = False,
) -> SummaryMaterial | None:
    """What the question asks to be summarised; None if it asks for no summary.

    “Summarise it” is about what was asked before. With `outline` the passages are beginnings of sections. Raises what
    `search` raises.
    """
    asked = summary_request(question)
    if asked is None or not sources:
        return None
    if asked.refers_back and earlier:
        asked = _asked_before(earlier[-1])
    names = dict.fromkeys((asked.of, asked.name) if asked.name and not asked.refers_back else ("",))
    least = (0.0, 0.0) if asked.is_certain else (NAMED, NAMED if asked.names_part else SECTION)
    places = max(places, OUTLINE_PLACES if outline else PLACES)
    found = next(filter(None, (_named(name, sources, places, least, outline) for name in names)), None)
    if found or not asked.is_certain or not asked.name:
        return found
    topic = search(asked.of)
    return SummaryMaterial(replace(topic, placed=_in_reading_order(topic.placed)), asked.of)


def _asked_before(exchange: Exchange) -> SummaryRequest:
    before = exchange.searched_for or exchange.question
    return summary_request(before) or SummaryRequest(before)


def _named(
    name: str, sources: Sequence[WeightedSource], places: int, least: tuple[float, float], outline: bool
) -> SummaryMaterial | None:
    """What is named in the sources that fit the name best, if they fit it at least so well, a section as the second
    says."""
    begun = time.perf_counter()
    model = active_embedder().name
    answers = ask_sources(sources, lambda source: source.named(name, places, model=model, outline=outline))
    best = max((found.fit for found in answers.values() if found and found.fit >= least[found.is_section]), default=0.0)
    fitting = {i: found for i, found in answers.items() if found and found.fit == best}
    if not fitting or (best < 1 and len(fitting) > 1):
        return None  # a part of the names of two texts is a topic
    pools = [
        Candidates(one.weight, fitting[i].passages if i in fitting else (), one.fills_in)
        for i, one in enumerate(sources)
    ]
    placed = allocate(pools, places=places, threshold=0.0).placed
    titles = {found.title for found in fitting.values()}
    return SummaryMaterial(
        Retrieval(
            placed=_in_reading_order(placed),
            unavailable=tuple(one.source.kind for i, one in enumerate(sources) if i not in answers),
            timings={"search_ms": round((time.perf_counter() - begun) * 1000, 2)},
            places=places,
        ),
        title=titles.pop() if len(titles) == 1 else "",
        size=sum(found.size for found in fitting.values()),
        is_outline=outline,
    )


def _in_reading_order(placed: Sequence[SelectedPassage]) -> tuple[SelectedPassage, ...]:
    """Documents in the order of their best passages, each from its beginning to its end."""
    documents = list(dict.fromkeys(one.passage.origin for one in placed))
    return tuple(sorted(placed, key=lambda one: (documents.index(one.passage.origin), one.passage.position)))
