"""Generate the text of an answer: stream it from the model, number and check its citations, and quote the sources
where the model's text cannot be used."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace

from chatbots.answering import execution
from chatbots.answering.draft import AnswerRequest, Draft, Event, Kind, Verification
from chatbots.answering.execution import Read
from chatbots.answering.prompts import build_retry_prompt
from chatbots.answering.refusals import is_partial_refusal, is_refusal
from chatbots.answering.sanitize import escape_copied_numbers, has_prompt_markup
from chatbots.answering.selected_text import SelectionPart, select_quotable_parts
from chatbots.citations.claim_verification import find_unsupported, verify_claims
from chatbots.citations.markers import (
    CheckedAnswer,
    CitationFilter,
    blank_out_code,
    check_citations,
    strip_markers,
    strip_partial_marker,
)
from chatbots.models import Mode
from chatbots.passages import AnswerPrompt, NumberedPassage
from engines.errors import EngineError
from engines.llm import LLM, EndPiece
from engines.reasoning import ReasoningPiece
from text.repetition import is_repetitive
from text.sections import sets_task

logger = logging.getLogger(__name__)

MAX_ANSWER_CHARS = 32_000
"""About ten pages."""

MAX_WORD_CHARS = 100
"""How far beyond the limit a cut may go to reach the end of a word."""

TOO_LONG = "The answer became too long and was cut here."
UNFINISHED = {
    "length": "The model reached its length limit: the end is missing.",
    "content_filter": "The model’s content filter ended this answer: it may be incomplete.",
    "incomplete": "The model stopped without an end signal: the end may be missing.",
}
"""Notices by finish reason, for answers that did not end normally."""

QUOTED, NOT_QUOTED = "These are quotations instead.", "No sentence of the sources could be quoted instead."
CONTRADICTS = "The sources say otherwise than the model."
_MIN_GROWTH = 80
"""Characters after which the growing text of a model is looked at again, and at least a tenth of the text."""


@dataclass(frozen=True)
class _Fault:
    """What is wrong with a model's text: what the model is told, and readers if quotations must take its place."""

    told: str
    notice: str = ""


UNCITED = _Fault("it named no source", "The model named no source for its answer.")
REPETITIVE = _Fault("it said the same again and again", "The model repeated itself without end.")
_ECHO = _Fault("it copied marks of this message", "The model copied its instructions.")
_UNKNOWN = _Fault("it cited numbers that no source has", "The model cited only sources that do not exist.")
_PARTLY_UNKNOWN = _Fault(_UNKNOWN.told)


@dataclass(frozen=True)
class _ModelOutput:
    """The model's output, raw and as shown to readers."""

    raw: str = ""
    shown: str = ""
    finish_reason: str = "stop"
    notices: tuple[str, ...] = ()
    reasoning: str = ""
    timings: Mapping[str, float] = field(default_factory=dict)


class Writing:
    """The text of an answer. `write` reads the model, `finish` does what is left: quoting, checking and verifying.

    A model is asked once more if its text is at fault, then quotations take its place (C3, C11). So they do if the
    passages say otherwise.
    """

    def __init__(self, draft: Draft, request: AnswerRequest) -> None:
        assert draft.prompt
        self._draft, self._request, self._prompt, self._llm = draft, request, draft.prompt, request.llm
        self._written, self._checked = _ModelOutput(), CheckedAnswer("", (), ())
        self._fault: _Fault | None = None

    async def write(self, read: Read) -> AsyncGenerator[Event]:
        """Yield what a model adds to the text. Raises EngineError."""
        writer = _Writer(self._prompt, self._llm)
        async for event in writer.write(read):
            yield event
        self._take(writer)
        if self._fault and not self._written.notices:  # one that was cut would be cut again
            again = _Writer(build_retry_prompt(self._prompt, self._fault.told), self._llm)
            yield Event(Kind.DROPPED, prompt=again.prompt)
            with suppress(EngineError):  # then the first text counts
                async for event in again.write(read):
                    yield event
                self._take(again)

    def quote(self) -> Draft:
        """Quote, and return the whole draft. Raises EngineError."""
        writer = _Writer(self._prompt, self._llm)
        for _ in execution.run_here(writer.write(execution.read_here)):
            pass
        self._take(writer)
        return self._whole()

    def finish(self) -> Iterator[Event]:
        """Yield the end of the answer. This takes the processor, and the embedder."""
        if self._fault and self._fault.notice:
            yield Event(Kind.DROPPED)
            yield from self._quote_instead(self._fault.notice)
        draft = self._whole()
        if draft.verification.contradicts and self._llm.generative:
            yield Event(Kind.DROPPED)
            yield from self._quote_instead(CONTRADICTS)
            draft = self._whole()
        yield Event(Kind.DONE, draft=draft)

    def _take(self, writer: _Writer) -> None:
        self._written = writer.written
        if self._draft.mode != Mode.GENERAL:
            self._checked = _checked(writer.written, self._prompt, self._llm)
            self._fault = _find_fault(self._checked, writer.written, self._llm)

    def _quote_instead(self, notice: str) -> Iterator[Event]:
        request, text, reasoning = self._request, self._checked.text, self._written.reasoning
        draft = replace(self._draft, model=request.quoter.name, model_text=text, reasoning=reasoning)
        self._llm, self._prompt = request.quoter, _quotable(self._prompt, draft, request)
        writer = _Writer(self._prompt, self._llm)
        with suppress(EngineError):  # then it is refused
            yield from execution.run_here(writer.write(execution.read_here))
        self._take(writer)
        said = QUOTED if self._checked.text.strip() else NOT_QUOTED
        self._draft = replace(draft, notices=(notice, said, *draft.notices))

    def _whole(self) -> Draft:
        if self._draft.mode != Mode.GENERAL:
            draft = _whole(self._draft, self._written, self._checked, self._prompt, self._request, self._llm)
            return replace(draft, is_whole=True)
        written = self._written
        return replace(
            self._draft,
            text=written.shown,
            reasoning=written.reasoning,
            notices=written.notices,
            finish_reason=written.finish_reason,
            timings={**self._draft.timings, **written.timings},
            is_whole=True,
        )


def _whole(
    draft: Draft, written: _ModelOutput, checked: CheckedAnswer, prompt: AnswerPrompt, request: AnswerRequest, llm: LLM
) -> Draft:
    draft = replace(
        draft,
        finish_reason=written.finish_reason,
        reasoning=draft.reasoning or written.reasoning,
        timings={**draft.timings, **written.timings},
    )
    if _refuses(checked, llm):
        notices = draft.notices if draft.model_text else written.notices
        return replace(draft, mode=Mode.REFUSED, text=request.refuses_with, notices=notices)
    language = prompt.language if llm.generative else prompt.language_of_quotes
    found = verify(checked.text, prompt.passages, question=request.question, language=language)
    if not llm.generative:  # what stands around the quotations is ours, and a question claims nothing
        support = {} if sets_task(strip_markers(checked.text)) else found.support
        found = replace(found, unfounded=(), support=support)
    return replace(
        draft,
        text=checked.text,
        cited=checked.cited,
        verification=found,
        notices=(*written.notices, *_faults(checked, llm), *draft.notices),
    )


def verify(text: str, passages: Sequence[NumberedPassage], *, question: str, language: str) -> Verification:
    """Check every cited claim against its passages, and every other sentence, number and name against all passages.

    If the check fails, the answer is kept without its result.
    """
    try:
        verdicts = verify_claims(text, passages, language=language)
        found = find_unsupported(text, passages, question=question, language=language)
    except Exception:
        logger.exception("The citations of an answer could not be checked")
        return Verification()
    return Verification(
        support={str(place): [one.state, one.better] for place, one in verdicts.items()},
        unfounded=tuple(found),
        contradicts=2 * sum(one.contradicts for one in verdicts.values()) >= max(1, len(verdicts)),
    )


class _Writer:
    """Streams the model's text with normalised citations. Text that is too long is cut."""

    def __init__(self, prompt: AnswerPrompt, llm: LLM) -> None:
        self.written = _ModelOutput()
        self.prompt, self._llm = prompt, llm
        self._raw = self._shown = self._reasoning = ""
        self._looked_at = 0

    async def write(self, read: Read) -> AsyncGenerator[Event]:
        """Yield what is added; `written` is the whole at the end. A model that goes round in circles is stopped.
        Raises EngineError."""
        markers = CitationFilter(_last_number(self.prompt), verbatim=not self._llm.generative)
        reason = "stop"
        notices: tuple[str, ...] = ()
        timings: dict[str, float] = {}
        began = time.perf_counter()
        async with aclosing(read(self._llm, self.prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, EndPiece):
                    reason = piece.finish_reason
                    notices = (UNFINISHED[reason],) if reason in UNFINISHED else ()
                    break
                if self._llm.generative and (piece or isinstance(piece, ReasoningPiece)):
                    timings.setdefault("first_token_ms", round((time.perf_counter() - began) * 1000, 2))
                if isinstance(piece, ReasoningPiece):
                    yield self._thought(piece)
                    continue
                text = piece.replace("\x00", "")
                kept = _cut(text, MAX_ANSWER_CHARS - len(self._raw))
                yield self._fed(markers, text if kept is None else kept)
                if kept is not None:
                    reason, notices = "length", (TOO_LONG,)
                    break
                if self._must_stop():
                    if not self.prompt.passages:  # nothing is written in its place
                        reason, notices = "incomplete", (REPETITIVE.notice,)
                    break
        if rest := markers.finish():
            yield self._added(rest)
        self.written = _ModelOutput(self._raw, self._shown, reason, notices, self._reasoning, timings)

    def _must_stop(self) -> bool:
        grown = len(self._raw) - self._looked_at
        if not self._llm.generative or grown < max(_MIN_GROWTH, self._looked_at // 10):
            return False
        self._looked_at = len(self._raw)
        return is_repetitive(blank_out_code(self._raw))

    def _thought(self, piece: ReasoningPiece) -> Event:
        thought = piece.reasoning.replace("\x00", "")[: MAX_ANSWER_CHARS - len(self._reasoning)]
        event = Event(Kind.REASONING, thought, offset=len(self._reasoning))
        self._reasoning += thought
        return event

    def _fed(self, markers: CitationFilter, text: str) -> Event:
        self._raw += text
        return self._added(markers.feed(text))

    def _added(self, text: str) -> Event:
        event = Event(Kind.TEXT, text, offset=len(self._shown))
        self._shown += text
        return event


def _checked(written: _ModelOutput, prompt: AnswerPrompt, llm: LLM) -> CheckedAnswer:
    text = written.raw
    if llm.generative:
        text = escape_copied_numbers(strip_partial_marker(text), [one.text for one in prompt.passages])
    return check_citations(text, _last_number(prompt), verbatim=not llm.generative)


def _last_number(prompt: AnswerPrompt) -> int:
    return max((passage.number for passage in prompt.passages), default=0)


def _refuses(checked: CheckedAnswer, llm: LLM) -> bool:
    return is_refusal(checked.text) if llm.generative else not checked.text.strip()


def _find_fault(checked: CheckedAnswer, written: _ModelOutput, llm: LLM) -> _Fault | None:
    """What is wrong with a text; nothing with quotations and refusals."""
    if not llm.generative or _refuses(checked, llm):
        return None
    if has_prompt_markup(written.raw):
        return _ECHO
    if is_repetitive(blank_out_code(written.raw) + "\n"):
        return REPETITIVE
    if not checked.cited:
        return _UNKNOWN if checked.unknown else UNCITED
    return _PARTLY_UNKNOWN if checked.unknown else None


def _quotable(prompt: AnswerPrompt, draft: Draft, request: AnswerRequest) -> AnswerPrompt:
    """The prompt for quotations: of a selected text only with the parts that may be quoted."""
    if request.selection is None:
        return prompt
    parts = [one for one in draft.sources if isinstance(one, SelectionPart)]
    numbers = {one.number for one in select_quotable_parts(parts, request.question, request.language)}
    return replace(prompt, passages=tuple(one for one in prompt.passages if one.number in numbers))


def _faults(checked: CheckedAnswer, llm: LLM) -> tuple[str, ...]:
    """Notices about the citations."""
    if checked.unknown:
        return ("The model cited sources that do not exist; those markers were removed.",)
    if llm.generative and is_partial_refusal(checked.text):
        return ("The model says that the sources answer only a part of the question.",)
    return ()


def _cut(text: str, limit: int) -> str | None:
    """The start of a piece that exceeds the limit, up to the end of a word; None if the piece fits."""
    if len(text) <= limit:
        return None
    end = _SPACE.search(text, max(limit, 0))
    if end and end.start() <= limit + MAX_WORD_CHARS:
        return text[: end.start()]
    return text[: limit + MAX_WORD_CHARS] if len(text) >= limit + MAX_WORD_CHARS else None


_SPACE = re.compile(r"\s")
