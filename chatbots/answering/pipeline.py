"""How a question is answered: correct its spelling, rewrite it, find passages, build a prompt, stream the model's text,
check its citations.

`answer` yields events; the last one has the whole draft. It reads and writes no rows: `chatbots.answering.recorder`
stores the events and `chatbots.streaming.jobs` runs it. To stop it, close the generator. If the model fails it raises
an EngineError.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from functools import partial

from chatbots.answering.draft import AnswerRequest, Draft, Event, Finished, SourcesFound, TextAdded
from chatbots.answering.explanations import record_of
from chatbots.answering.foreign_questions import glossed_for_quotes, search_in_their_language
from chatbots.answering.generation import write_general, write_grounded
from chatbots.answering.prompts import general_prompt, grounded_prompt, selection_prompt
from chatbots.answering.query_rewriting import Rewritten, choose_quote_query, rewrite_and_search
from chatbots.answering.refusals import other_language_notice, unsure_notice
from chatbots.answering.retrieval import ForeignQuestion, Retrieval, retrieve
from chatbots.answering.selected_text import as_passages, is_shortened, weigh
from chatbots.answering.spelling import correct_spelling
from chatbots.answering.summaries import SummaryMaterial, retrieve_for_summary
from chatbots.models import Mode
from corpus.search.fusion import SelectedPassage
from corpus.search.reranking import is_unsure
from engines.errors import EngineError
from engines.llm import NumberedPassage, Prompt

SHORTENED = "The selected text is too long for the model: only its most relevant parts were given."


def answer(request: AnswerRequest) -> Generator[Event, None, None]:
    """Answer a question. Raises EngineError, after the sources if any were found."""
    started = time.perf_counter()
    if request.selection is None:
        draft, problem = _from_sources(request)
    else:
        draft, problem = _from_selection(request, request.selection), None
    yield SourcesFound(draft)
    if problem:
        raise problem
    if not draft.mode:
        raise EngineError(request.unsearched)
    draft = yield from _written(draft, request)
    spent = {"total_ms": round((time.perf_counter() - started) * 1000, 2)}
    yield Finished(replace(draft, timings={**draft.timings, **spent}))


def _from_sources(request: AnswerRequest) -> tuple[Draft, EngineError | None]:
    """The draft with its sources and prompt, and the error if there can be no prompt."""
    spelled = correct_spelling(request.question, request.sources, request.language)
    search = partial(_search, request)
    summary = retrieve_for_summary(spelled, request.history, request.sources, places=request.places, search=search)
    found = (
        Rewritten("", summary.retrieval)
        if summary
        else rewrite_and_search(
            request.question,
            request.history,
            spelled=spelled,
            language=request.language,
            llm=request.llm,
            search=search,
            waiting=request.waiting,
        )
    )
    retrieval, mode, foreign = found.retrieval, _mode(found.retrieval, request), found.retrieval.foreign
    asks = mode in (Mode.GROUNDED, Mode.GENERAL)
    draft = Draft(
        mode,
        model=request.llm.name if asks else "",
        is_generated=asks and request.llm.generative,
        sources=retrieval.placed,
        searched_for=(foreign.gloss if foreign else "") or found.searched_for or _if_changed(spelled, request.question),
        foreign=foreign,
        unavailable=retrieval.unavailable,
        chosen=summary.record() if summary and summary.size else record_of(retrieval),
        notices=_notices(request, mode, foreign, summary),
        timings=retrieval.timings,
    )
    try:
        prompt = _prompt(draft, request, spelled, summary) if asks else None
        unsure = (unsure_notice(request.language),) if prompt and prompt.is_unsure and draft.is_generated else ()
        return replace(draft, prompt=prompt, notices=(*draft.notices, *unsure)), None
    except EngineError as too_long:
        return draft, too_long  # the passages are shown all the same


def _notices(
    request: AnswerRequest, mode: str, foreign: ForeignQuestion | None, summary: SummaryMaterial | None
) -> tuple[str, ...]:
    said = [
        other_language_notice(foreign) if foreign and mode == Mode.REFUSED else "",
        summary.notice(request.language) if summary else "",
    ]
    return tuple(filter(None, said))


def _search(request: AnswerRequest, text: str, *, reads: bool = True) -> Retrieval:
    search = partial(retrieve, sources=request.sources, places=request.places, reads=reads and request.reads)
    return search_in_their_language(text, language=request.language, search=search)


def _if_changed(spelled: str, question: str) -> str:
    return spelled if spelled != question else ""


def _mode(found: Retrieval, request: AnswerRequest) -> str:
    if found.placed:
        return Mode.GROUNDED
    if found.unavailable:
        return ""
    return Mode.GENERAL if request.may_answer_generally and request.llm.generative else Mode.REFUSED


def _prompt(draft: Draft, request: AnswerRequest, spelled: str, summary: SummaryMaterial | None) -> Prompt:
    """A language model reads the question as it was asked; sentences are selected by its corrected spelling."""
    history = [(exchange.question, exchange.answer) for exchange in request.history]
    if draft.mode == Mode.GENERAL:
        return general_prompt(
            question=request.question,
            instructions=request.instructions,
            history=history,
            language=request.language,
            room=request.max_tokens,
        )
    placed = [found for found in draft.sources if isinstance(found, SelectedPassage)]
    quote_for = choose_quote_query(spelled, draft.searched_for, request.language)
    return grounded_prompt(
        question=request.question,
        passages=[_numbered(number, found) for number, found in enumerate(placed, start=1)],
        instructions=request.instructions,
        history=history,
        language=request.language,
        refuses_with=request.refuses_with,
        quote_for=glossed_for_quotes(quote_for, draft.foreign) if draft.foreign else quote_for,
        quoted_language=draft.foreign.documents if draft.foreign else "",
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
    )


def _from_selection(request: AnswerRequest, text: str) -> Draft:
    """A language model gets all parts that fit and decides whether they suffice; otherwise their relevance decides."""
    weighed = weigh(request.question, text, language=request.language)
    parts = weighed.parts if request.llm.generative else weighed.quotable
    if not parts:
        return Draft(Mode.REFUSED, timings=weighed.timings)
    prompt = selection_prompt(
        question=request.question,
        passages=as_passages(parts),
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


def _written(draft: Draft, request: AnswerRequest) -> Generator[Event, None, Draft]:
    if draft.prompt is None:
        yield TextAdded(request.refuses_with)
        return replace(draft, text=request.refuses_with)
    if draft.mode == Mode.GENERAL:
        return (yield from write_general(draft, draft.prompt, request))
    return (yield from write_grounded(draft, draft.prompt, request))
