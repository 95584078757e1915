"""Generate the text of an answer: stream it from the model, then number and check its citations."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

from chatbots.answering import execution
from chatbots.answering.draft import (
    AnswerRequest,
    Draft,
    Finished,
    ReasoningAdded,
    TextAdded,
    TextDropped,
    Verification,
    Verified,
)
from chatbots.answering.refusals import is_partial_refusal, is_refusal
from chatbots.answering.sanitize import escape_copied_numbers
from chatbots.citations.claim_verification import find_unsupported_entities, verify_claims
from chatbots.citations.markers import CheckedAnswer, CitationFilter, check_citations, strip_partial_marker
from chatbots.models import Mode
from engines.embedding import get_embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.errors import EngineError
from engines.llm import LLM, EndPiece, NumberedPassage, Prompt
from engines.reasoning import ReasoningPiece

logger = logging.getLogger(__name__)

MAX_ANSWER_CHARS = 32_000
"""About ten pages. It stops a model that repeats itself endlessly."""

MAX_WORD_CHARS = 100
"""How far beyond the limit a cut may go to reach the end of a word."""

TOO_LONG = "The answer became too long and was cut here."
UNFINISHED = {
    "length": "The model reached its length limit: the end is missing.",
    "content_filter": "The model’s content filter ended this answer: it may be incomplete.",
    "incomplete": "The model stopped without an end signal: the end may be missing.",
}
"""Notices by finish reason, for answers that did not end normally."""

Events = AsyncGenerator[TextAdded | ReasoningAdded | TextDropped | Finished | Verified]


@dataclass(frozen=True)
class _Written:
    """The model's output, raw and as shown to readers."""

    raw: str = ""
    shown: str = ""
    finish_reason: str = "stop"
    notices: tuple[str, ...] = ()
    reasoning: str = ""


async def write_general(draft: Draft, prompt: Prompt, request: AnswerRequest) -> Events:
    """Write without sources: there are no citations to check."""
    writer = _Writer(prompt, request.llm)
    async for event in writer.write():
        yield event
    written = writer.written
    yield Finished(
        replace(
            draft,
            text=written.shown,
            reasoning=written.reasoning,
            notices=written.notices,
            finish_reason=written.finish_reason,
        )
    )


async def write_grounded(draft: Draft, prompt: Prompt, request: AnswerRequest) -> Events:
    """Write from passages. If citations are wrong or missing, ask the model once more (C3).

    Quotations are verified at once. What a model wrote is verified after the end, so that nobody waits for it.
    """
    llm = request.llm
    writer = _Writer(prompt, llm)
    async for event in writer.write():
        yield event
    checked = _checked(writer.written, prompt, llm)
    if _should_retry(checked, writer.written, llm):
        yield TextDropped()
        again = _Writer(prompt, llm)
        with suppress(EngineError):  # then the first text is kept, with its notices
            async for event in again.write():
                yield event
            writer, checked = again, _checked(again.written, prompt, llm)
    draft = await execution.in_pool(_whole, draft, writer.written, checked, prompt, request)
    yield Finished(draft)
    if draft.unverified:
        yield Verified(
            await execution.in_pool(
                verify, draft.text, prompt.passages, question=request.question, language=prompt.language
            )
        )


def _whole(draft: Draft, written: _Written, checked: CheckedAnswer, prompt: Prompt, request: AnswerRequest) -> Draft:
    llm = request.llm
    draft = replace(draft, finish_reason=written.finish_reason, reasoning=written.reasoning)
    if _refuses(checked, llm):
        return replace(draft, mode=Mode.REFUSED, text=request.refuses_with, notices=written.notices)
    quotes = Verification()
    if not llm.generative:
        language = prompt.language_of_quotes
        quotes = verify(checked.text, prompt.passages, question=request.question, language=language)
    return replace(
        draft,
        text=checked.text,
        cited=checked.cited,
        verification=quotes,
        unverified=llm.generative,
        notices=(*written.notices, *_faults(checked, llm), *draft.notices),
    )


def verify(text: str, passages: Sequence[NumberedPassage], *, question: str, language: str) -> Verification:
    """Check every cited claim against its passages, and every number and name against all passages.

    If the check fails, the answer is kept without its result.
    """
    try:
        embedder = get_embedder()
        known = embedder.languages == ANY_LANGUAGE or language in embedder.languages
        verdicts = verify_claims(text, passages, language=language, embedder=embedder if known else None)
        found = find_unsupported_entities(text, passages, question=question, language=language)
    except Exception:
        logger.exception("The citations of an answer could not be checked")
        return Verification()
    return Verification(
        support={str(place): [one.state, one.better] for place, one in verdicts.items()},
        unfounded=tuple((one.start, one.end) for one in found),
    )


class _Writer:
    """Streams the model's text with normalised citations. Text that is too long is cut."""

    def __init__(self, prompt: Prompt, llm: LLM) -> None:
        self.written = _Written()
        self._prompt, self._llm = prompt, llm
        self._raw = self._shown = self._reasoning = ""

    async def write(self) -> AsyncGenerator[TextAdded | ReasoningAdded]:
        """Yield what is added; `written` is the whole at the end. Raises EngineError."""
        markers = CitationFilter(len(self._prompt.passages), verbatim=not self._llm.generative)
        reason = "stop"
        notices: tuple[str, ...] = ()
        async with aclosing(execution.pieces_of(self._llm, self._prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, EndPiece):
                    reason = piece.finish_reason
                    notices = (UNFINISHED[reason],) if reason in UNFINISHED else ()
                    break
                if isinstance(piece, ReasoningPiece):
                    yield self._thought(piece)
                    continue
                text = piece.replace("\x00", "")
                kept = _cut(text, MAX_ANSWER_CHARS - len(self._raw))
                yield self._added(markers, text if kept is None else kept)
                if kept is not None:
                    reason, notices = "length", (TOO_LONG,)
                    break
        if rest := markers.finish():
            self._shown += rest
            yield TextAdded(rest)
        self.written = _Written(self._raw, self._shown, reason, notices, self._reasoning)

    def _thought(self, piece: ReasoningPiece) -> ReasoningAdded:
        thought = piece.reasoning.replace("\x00", "")[: MAX_ANSWER_CHARS - len(self._reasoning)]
        self._reasoning += thought
        return ReasoningAdded(thought)

    def _added(self, markers: CitationFilter, text: str) -> TextAdded:
        self._raw += text
        added = markers.feed(text)
        self._shown += added
        return TextAdded(added)


def _checked(written: _Written, prompt: Prompt, llm: LLM) -> CheckedAnswer:
    text = written.raw
    if llm.generative:
        text = escape_copied_numbers(strip_partial_marker(text), [one.text for one in prompt.passages])
    return check_citations(text, len(prompt.passages), verbatim=not llm.generative)


def _refuses(checked: CheckedAnswer, llm: LLM) -> bool:
    return is_refusal(checked.text) if llm.generative else not checked.text.strip()


def _should_retry(checked: CheckedAnswer, written: _Written, llm: LLM) -> bool:
    """Whether to ask the model again. Not after a cut: it would be cut again."""
    if not llm.generative or written.notices or _refuses(checked, llm):
        return False
    return bool(checked.unknown) or not checked.cited


def _faults(checked: CheckedAnswer, llm: LLM) -> tuple[str, ...]:
    """Notices about the citations."""
    if checked.unknown:
        return ("The model cited sources that do not exist; those markers were removed.",)
    if not checked.cited:
        return ("The model named no source for this answer. Check it against the passages.",)
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
