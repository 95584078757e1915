"""How a question is answered: correct its spelling, rewrite it, find passages, build a prompt, stream the model's text,
check its citations.

An `Answer` yields events. It reads and writes no rows: `chatbots.answering.recorder` stores the events and
`chatbots.streaming.jobs` says where it runs: one hop into a thread for everything before the text, and another for
everything after it; the model is read in an event loop. If the model fails, an EngineError is raised.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace

from chatbots.answering.draft import AnswerRequest, Draft, Event, Kind
from chatbots.answering.execution import Read
from chatbots.answering.explanations import build_search_record
from chatbots.answering.generation import Writing
from chatbots.answering.greetings import reply_to_manners
from chatbots.answering.prompts import build_general_prompt, build_grounded_prompt, build_selection_prompt
from chatbots.answering.query_rewriting import (
    Rewriting,
    RewrittenQuery,
    choose_quote_query,
    is_rewritten_by_model,
    rewrite,
    search_in_context,
)
from chatbots.answering.refusals import get_unsure_notice, hurried_notice
from chatbots.answering.retrieval import Retrieval, retrieve
from chatbots.answering.selected_text import convert_parts, is_shortened, weigh
from chatbots.answering.spelling import correct_spelling
from chatbots.answering.summaries import SummaryMaterial, retrieve_for_summary
from chatbots.models import Mode
from chatbots.passages import AnswerPrompt, NumberedPassage
from corpus.search.fusion import SelectedPassage
from corpus.search.reranking import is_unsure
from engines.errors import EngineError

SHORTENED = "The selected text is too long for the model: only its most relevant parts were given."


class Answer:
    """An answer in the making: the steps by which the question that `understand` reads is answered. `prepare`, `search`
    and `finish` block a thread; `rewrite` and `write` read a model, and never block."""

    draft = Draft("")
    must_rewrite = False
    """Whether a model must rewrite the question before the search."""
    must_write = False
    """Whether a model must write the answer; otherwise it has ended with the search."""
    _problem: EngineError | None = None
    """Why there can be no prompt."""
    _rewriting: Rewriting | None = None
    _spelled = ""
    _summary: SummaryMaterial | None = None
    _writing: Writing | None = None

    def __init__(self, understand: Callable[[], AnswerRequest]) -> None:
        self._understand = understand

    def prepare(self) -> Iterator[Event]:
        """Find the sources, unless a model must rewrite the question first. An answer without a model ends here, too:
        then the draft of its sources is whole."""
        self._started = time.perf_counter()
        request = self.request = self._understand()
        if request.selection is not None:
            self.draft = _from_selection(request, request.selection)
            yield from self._begin()
            return
        if said := reply_to_manners(
            request.question, request.sources if request.names_sources else (), request.language
        ):
            self.draft = Draft(Mode.MANNERS, text=said)
            yield from self._begin()
            return
        self._spelled = correct_spelling(request.question, request.sources, request.language)
        self._summary = retrieve_for_summary(
            self._spelled,
            request.history,
            request.sources,
            places=request.places,
            search=self._search_for,
            outline=not request.llm.generative,
        )
        is_rewritten = is_rewritten_by_model(request.question, request.history, request.llm)
        self.must_rewrite = is_rewritten and self._summary is None
        if not self.must_rewrite:
            yield from self.search()

    async def rewrite(self) -> None:
        """Let the model rewrite the question."""
        self._rewriting = await rewrite(self.request.question, self.request.history, llm=self.request.llm)

    def search(self) -> Iterator[Event]:
        """Find the sources."""
        self.must_rewrite = False
        self._search()
        yield from self._begin()

    async def write(self, read: Read) -> AsyncGenerator[Event]:
        """Yield what the model writes."""
        assert self._writing
        async with aclosing(self._writing.write(read)) as events:
            async for event in events:
                yield event

    def finish(self) -> Iterator[Event]:
        """Yield the end of what a model wrote, and the verdicts."""
        assert self._writing
        for event in self._writing.finish():
            yield replace(event, draft=self._timed(event.draft)) if event.draft else event

    def _begin(self) -> Iterator[Event]:
        draft, request = self.draft, self.request
        if self._problem or not draft.mode:
            yield Event(Kind.SOURCES, draft=draft)
            raise self._problem or EngineError(request.unsearched)
        if draft.prompt:
            self._writing = Writing(draft, request)
            self.must_write = draft.is_generated
        if self.must_write:
            yield Event(Kind.SOURCES, draft=draft)
            return
        try:
            whole = self._writing.quote() if self._writing else _as_it_is(draft, request)
        except EngineError:
            yield Event(Kind.SOURCES, draft=draft)
            raise
        whole = self._timed(whole)
        yield Event(Kind.SOURCES, draft=whole)
        yield Event(Kind.TEXT, whole.text)
        yield Event(Kind.DONE, draft=whole)

    def _search(self) -> None:
        request, spelled, summary = self.request, self._spelled, self._summary
        found = (
            RewrittenQuery("", summary.retrieval)
            if summary
            else search_in_context(
                request.question,
                request.history,
                spelled=spelled,
                language=request.language,
                search=self._search_for,
                rewriting=self._rewriting,
            )
        )
        retrieval, mode = found.retrieval, _mode(found.retrieval, request)
        asks = mode in (Mode.GROUNDED, Mode.GENERAL)
        draft = self.draft = Draft(
            mode,
            model=request.llm.name if asks else "",
            is_generated=asks and request.llm.generative,
            sources=retrieval.placed,
            searched_for=found.searched_for or _if_changed(spelled, request.question),
            unavailable=retrieval.unavailable,
            chosen=summary.record() if summary and summary.size else build_search_record(retrieval),
            notices=_notices(request, summary),
            timings=retrieval.timings,
        )
        try:
            prompt = _prompt(draft, request, spelled, summary) if asks else None
        except EngineError as too_long:
            self._problem = too_long  # the passages are shown all the same
            return
        unsure = (get_unsure_notice(request.language),) if prompt and prompt.is_unsure and draft.is_generated else ()
        self.draft = replace(draft, prompt=prompt, notices=(*draft.notices, *unsure))

    def _timed(self, draft: Draft) -> Draft:
        """The draft with the time that everything took."""
        took = {"total_ms": round((time.perf_counter() - self._started) * 1000, 2)}
        return replace(draft, timings={**draft.timings, **took})

    def _search_for(self, text: str, *, reads: bool = True) -> Retrieval:
        request = self.request
        return retrieve(text, request.sources, places=request.places, reads=reads and request.reads)


def _as_it_is(draft: Draft, request: AnswerRequest) -> Draft:
    return replace(draft, text=draft.text or request.refuses_with, is_whole=True)


def _notices(request: AnswerRequest, summary: SummaryMaterial | None) -> tuple[str, ...]:
    said = [
        summary.notice(request.language) if summary else "",
        hurried_notice(request.language) if request.is_hurried else "",
    ]
    return tuple(filter(None, said))


def _if_changed(spelled: str, question: str) -> str:
    return spelled if spelled != question else ""


def _mode(found: Retrieval, request: AnswerRequest) -> str:
    if found.placed:
        return Mode.GROUNDED
    if found.unavailable:
        return ""
    return Mode.GENERAL if request.may_answer_generally and request.llm.generative else Mode.REFUSED


def _prompt(draft: Draft, request: AnswerRequest, spelled: str, summary: SummaryMaterial | None) -> AnswerPrompt:
    """A language model reads the question as it was asked; sentences are selected by its corrected spelling."""
    history = [(exchange.question, exchange.answer) for exchange in request.history]
    if draft.mode == Mode.GENERAL:
        return build_general_prompt(
            question=request.question,
            instructions=request.instructions,
            history=history,
            language=request.language,
            room=request.max_tokens,
        )
    placed = [found for found in draft.sources if isinstance(found, SelectedPassage)]
    quote_for = choose_quote_query(spelled, draft.searched_for, request.language)
    return build_grounded_prompt(
        question=request.question,
        passages=[_numbered(number, found) for number, found in enumerate(placed, start=1)],
        instructions=request.instructions,
        history=history,
        language=request.language,
        refuses_with=request.refuses_with,
        quote_for=quote_for,
        quoted_language=placed[0].passage.language if placed else "",
        summarises=summary.topic if summary else None,
        unsure=summary is None and is_unsure(spelled, (found.passage for found in placed)),
        room=request.max_tokens,
    )


def _numbered(number: int, found: SelectedPassage) -> NumberedPassage:
    passage = found.passage
    return NumberedPassage(
        number,
        passage.document_title,
        passage.heading_path,
        passage.text,
        passage.excerpt,
        passage.relevance,
        passage.reading,
        passage.purpose,
    )


def _from_selection(request: AnswerRequest, text: str) -> Draft:
    """A language model gets all parts that fit and decides whether they suffice; otherwise their relevance decides."""
    weighed = weigh(request.question, text, language=request.language)
    parts = weighed.parts if request.llm.generative else weighed.quotable
    if not parts:
        return Draft(Mode.REFUSED, timings=weighed.timings)
    prompt = build_selection_prompt(
        question=request.question,
        passages=convert_parts(parts),
        language=request.language,
        refuses_with=request.refuses_with,
        room=request.max_tokens,
    )
    return Draft(
        Mode.SELECTION,
        model=request.llm.name,
        is_generated=request.llm.generative,
        sources=parts,
        prompt=prompt,
        notices=(SHORTENED,) if is_shortened(prompt, parts) else (),
        timings=weighed.timings,
    )
