"""Generate the text of an answer: stream it from the model, then number and check its citations."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import cast

from chatbots.answering.draft import AnswerRequest, Draft, ReasoningAdded, TextAdded, TextDropped, Verification
from chatbots.answering.refusals import is_partial_refusal, is_refusal
from chatbots.answering.sanitize import escape_copied_numbers
from chatbots.citations.claim_verification import find_unsupported_entities, verify_claims
from chatbots.citations.markers import CheckedAnswer, CitationFilter, check_citations, strip_partial_marker
from chatbots.models import Mode
from engines.embedding import get_embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.errors import EngineError
from engines.llm import LLM, NumberedPassage, Prompt
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

Pieces = Generator[TextAdded | ReasoningAdded | TextDropped, None, Draft]


@dataclass(frozen=True)
class _Written:
    """The model's output, raw and as shown to readers."""

    raw: str
    shown: str
    finish_reason: str
    notices: tuple[str, ...]
    reasoning: str = ""


def write_general(draft: Draft, prompt: Prompt, request: AnswerRequest) -> Pieces:
    """Write without sources: there are no citations to check."""
    written = yield from _write(prompt, request.llm)
    return replace(
        draft,
        text=written.shown,
        reasoning=written.reasoning,
        notices=written.notices,
        finish_reason=written.finish_reason,
    )


def write_grounded(draft: Draft, prompt: Prompt, request: AnswerRequest) -> Pieces:
    """Write from passages. If citations are wrong or missing, ask the model once more (C3)."""
    llm = request.llm
    written = yield from _write(prompt, llm)
    checked = _checked(written, prompt, llm)
    if _should_retry(checked, written, llm):
        yield TextDropped()
        try:
            written = yield from _write(prompt, llm)
            checked = _checked(written, prompt, llm)
        except EngineError:
            pass  # keep the first text, with its notices
    draft = replace(draft, finish_reason=written.finish_reason, reasoning=written.reasoning)
    if _refuses(checked, llm):
        return replace(draft, mode=Mode.REFUSED, text=request.refuses_with, notices=written.notices)
    return replace(
        draft,
        text=checked.text,
        cited=checked.cited,
        verification=verify(
            checked.text,
            prompt.passages,
            question=request.question,
            language=prompt.language if llm.generative else prompt.language_of_quotes,
        ),
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


def _write(prompt: Prompt, llm: LLM) -> Generator[TextAdded | ReasoningAdded, None, _Written]:
    """Stream the model's text with normalised citations. Text that is too long is cut."""
    markers = CitationFilter(len(prompt.passages), verbatim=not llm.generative)
    raw = shown = reasoning = ""
    finish_reason = "stop"
    with closing(cast("Generator[str, None, str | None]", llm.stream(prompt))) as pieces:
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                finish_reason = end.value or "stop"
                break
            if isinstance(piece, ReasoningPiece):
                thought = piece.reasoning.replace("\x00", "")[: MAX_ANSWER_CHARS - len(reasoning)]
                reasoning += thought
                yield ReasoningAdded(thought)
                continue
            text = piece.replace("\x00", "")
            kept = _cut(text, MAX_ANSWER_CHARS - len(raw))
            raw += text if kept is None else kept
            added = markers.feed(text if kept is None else kept)
            shown += added
            yield TextAdded(added)
            if kept is not None:
                rest = markers.finish()
                yield TextAdded(rest)
                return _Written(raw, shown + rest, "length", (TOO_LONG,), reasoning)
    if rest := markers.finish():
        yield TextAdded(rest)
    notices = (UNFINISHED[finish_reason],) if finish_reason in UNFINISHED else ()
    return _Written(raw, shown + rest, finish_reason, notices, reasoning)


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
