"""Decide what a chatbot may read. No other module does (H2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from chatbots.answering.retrieval import WeightedSource
from chatbots.guests import get_guest_terms
from chatbots.models import Chatbot, ChatbotSource, Participant
from corpus.passages import Passage
from corpus.search.steps import SearchInSteps
from corpus.source_kinds import Participation, SourceKind
from corpus.sources import NamedPassages, PageUnavailable, Query, Source, Vocabulary
from engines.llm import LLM
from plugins import load_hooks


@dataclass(frozen=True)
class Tutoring:
    """What a plug-in of tutors says, as its hook `tutors`: what one reads when this person asks it after these answers
    of the conversation, and what writes."""

    source: Callable[[Chatbot, Participant | None, Sequence[str]], Source]
    answerer: Callable[[Chatbot, Participant, LLM], LLM]


def choose_answerer(chatbot: Chatbot | None, participant: Participant, llm: LLM) -> LLM:
    """What writes the answers of a chatbot: this answerer, to which a tutor may add its own manner."""
    if chatbot and chatbot.is_tutor:
        for tutoring in _load_tutoring():
            llm = tutoring.answerer(chatbot, participant, llm)
    return llm


def _load_tutoring() -> list[Tutoring]:
    return load_hooks("tutors")


def select_sources(
    chatbot: Chatbot,
    rows: Sequence[ChatbotSource] | None = None,
    *,
    participant: Participant | None = None,
    answers: Sequence[str] = (),
) -> list[WeightedSource]:
    """Exactly the sources that this chatbot may read, with the stored shares or those in `rows`.

    Sources that are empty, off or not allowed by the school are left out. So are sources with a weight of 0, unless all
    have that weight. For a colleague with whom the chatbot is shared the owner's documents are left out, unless the
    owner lets colleagues have answers from them (ADR 26); which web pages these are from stays with the owner.
    Without a participant the owner asks. A guest gets the kinds that the rules of guests allow.

    A tutor reads its study plan for `participant`, and nothing else. The `answers` of the conversation so far may have
    asked them something.
    """
    kinds = get_guest_terms(participant).kinds
    if chatbot.is_tutor:
        sources = [tutoring.source(chatbot, participant, answers) for tutoring in _load_tutoring()]
        if participant and participant.user_id != chatbot.owner_id:
            sources = [_ForOthers(source, kinds) for source in sources]
        return [WeightedSource(source, 100) for source in sources]
    filled = []
    private = participant is None or chatbot.uses_private_sources_for(participant.user_id)
    for row in chatbot.all_sources() if rows is None else rows:
        takes_part = row.participation != Participation.OFF and (private or not row.source_kind.is_private)
        takes_part = takes_part and (kinds is None or row.kind in kinds)
        search = row.source_kind.source_for if takes_part else None
        source = search(chatbot) if search and row.is_allowed else None
        if source and not source.is_empty():
            if row.source_kind.is_private and participant and participant.user_id != chatbot.owner_id:
                source = _ForOthers(source)
            filled.append(WeightedSource(source, row.weight, fills_in=row.fills_in))
    sharing = [one for one in filled if not one.fills_in]
    weighted = [one for one in sharing if one.weight] or sharing
    return weighted + [one for one in filled if one.fills_in]


class _ForOthers(Source):
    """What the owner reads, for somebody else, who gets passages of these kinds: not the web pages that private
    documents were fetched from."""

    def __init__(self, source: Source, kinds: frozenset[str] | None = None) -> None:
        self._source, self._kinds = source, kinds
        self.is_indexed, self.deadline_ms = source.is_indexed, source.deadline_ms

    @property
    def kind(self) -> SourceKind:
        return self._source.kind

    @property
    def lacks_some(self) -> bool:  # type: ignore[override]
        return self._source.lacks_some

    def is_empty(self) -> bool:
        return self._source.is_empty()

    def languages(self) -> Collection[str]:
        return self._source.languages()

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return self._given(self._source.search(query, limit))

    def prepared(self, query: Query, limit: int) -> Callable[[], Sequence[Passage]]:
        search = self._source.prepared(query, limit)
        return search.then(self._given) if isinstance(search, SearchInSteps) else partial(self.search, query, limit)

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        return self._source.vocabulary(words) if self._kinds is None else Vocabulary()  # of all kinds

    def named(self, name: str, limit: int, *, model: str, outline: bool = False) -> NamedPassages | None:
        found = self._source.named(name, limit, model=model, outline=outline)
        return replace(found, passages=tuple(self._given(found.passages))) if found else None

    def _given(self, passages: Sequence[Passage]) -> list[Passage]:
        return [
            replace(passage, address="", read_at=None) if passage.kind.is_private else passage
            for passage in passages
            if self._kinds is None or passage.kind.value in self._kinds
        ]


def find_page_source(chatbot: Chatbot, kind: SourceKind, page: str) -> Source:
    """A single page, by the id that its passages carry, if the school allows its kind. Raises PageUnavailable."""
    if kind.page_source is None or not kind.is_allowed_for(chatbot.school):
        raise PageUnavailable(f"A single page of {kind.plural} cannot be asked about.")
    return kind.page_source(chatbot, page)
