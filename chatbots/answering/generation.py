"""The text of an answer: streamed from the model, its citations put in order and checked."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import cast

from chatbots.answering.draft import AnswerRequest, Draft, TextAdded, TextDropped, Verification
from chatbots.answering.refusals import is_partial_refusal, is_refusal
from chatbots.answering.sanitize import escape_copied_numbers
from chatbots.citations.claim_verification import find_unsupported_entities, verify_claims
from chatbots.citations.markers import CheckedAnswer, CitationFilter, check_citations, strip_partial_marker
from chatbots.models import Mode
from engines.embedding import get_embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.errors import EngineError
from engines.llm import LLM, NumberedPassage, Prompt

logger = logging.getLogger(__name__)

MAX_ANSWER_CHARS = 32_000
"""Characters of an answer at most, some ten pages. A model that repeats itself without end would otherwise write until
its server gives up, and each piece of it would be sent, saved, checked and put into the next prompts."""

MAX_WORD_CHARS = 100
"""Characters for which the end of a word is waited for when an answer is cut."""

TOO_LONG = "The answer became too long and was ended here."
UNFINISHED = {
    "length": "The model reached the longest answer that it may write: the end is missing.",
    "content_filter": "The model’s content filter ended this answer: there may be more to say.",
    "incomplete": "The model broke off without saying that it was done: the end may be missing.",
}
"""What readers are told of an answer that did not end by itself, by its finish reason."""

Pieces = Generator[TextAdded | TextDropped, None, Draft]


@dataclass(frozen=True)
class _Written:
    """What a model wrote, as it wrote it and as readers have seen it."""

    raw: str
    shown: str
    finish_reason: str
    notices: tuple[str, ...]


def write_general(draft: Draft, prompt: Prompt, request: AnswerRequest) -> Pieces:
    """Write without sources: there is nothing to cite and nothing to check."""
    written = yield from _write(prompt, request.llm)
    return replace(draft, text=written.shown, notices=written.notices, finish_reason=written.finish_reason)


def write_grounded(draft: Draft, prompt: Prompt, request: AnswerRequest) -> Pieces:
    """Write from passages; wrong or no citations are asked for once more (C3)."""
    llm = request.llm
    written = yield from _write(prompt, llm)
    checked = _checked(written, prompt, llm)
    if _is_worth_another(checked, written, llm):
        yield TextDropped()
        try:
            written = yield from _write(prompt, llm)
            checked = _checked(written, prompt, llm)
        except EngineError:
            pass  # the first one stands, with its faults said
    draft = replace(draft, finish_reason=written.finish_reason)
    if _refuses(checked, llm):
        return replace(draft, mode=Mode.REFUSED, text=request.refuses_with, notices=written.notices)
    return replace(
        draft,
        text=checked.text,
        cited=checked.cited,
        verification=verify(checked.text, prompt.passages, question=request.question, language=prompt.language),
        notices=(*written.notices, *_faults(checked, llm), *draft.notices),
    )


def verify(text: str, passages: Sequence[NumberedPassage], *, question: str, language: str) -> Verification:
    """Hold every cited statement against the passages it cites, and every number and name against all of them.

    An answer that cannot be checked stands without it: it is no less grounded for that.
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


def _write(prompt: Prompt, llm: LLM) -> Generator[TextAdded, None, _Written]:
    """Stream the model's text, its citations put in order. What the model writes without end is cut."""
    markers = CitationFilter(len(prompt.passages), verbatim=not llm.generative)
    raw = shown = ""
    finish_reason = "stop"
    with closing(cast("Generator[str, None, str | None]", llm.stream(prompt))) as pieces:
        while True:
            try:
                text = next(pieces).replace("\x00", "")
            except StopIteration as end:
                finish_reason = end.value or "stop"
                break
            kept = _cut(text, MAX_ANSWER_CHARS - len(raw))
            raw += text if kept is None else kept
            added = markers.feed(text if kept is None else kept)
            shown += added
            yield TextAdded(added)
            if kept is not None:
                rest = markers.finish()
                yield TextAdded(rest)
                return _Written(raw, shown + rest, "length", (TOO_LONG,))
    if rest := markers.finish():
        yield TextAdded(rest)
    notices = (UNFINISHED[finish_reason],) if finish_reason in UNFINISHED else ()
    return _Written(raw, shown + rest, finish_reason, notices)


def _checked(written: _Written, prompt: Prompt, llm: LLM) -> CheckedAnswer:
    text = written.raw
    if llm.generative:
        text = escape_copied_numbers(strip_partial_marker(text), [one.text for one in prompt.passages])
    return check_citations(text, len(prompt.passages), verbatim=not llm.generative)


def _refuses(checked: CheckedAnswer, llm: LLM) -> bool:
    return is_refusal(checked.text) if llm.generative else not checked.text.strip()


def _is_worth_another(checked: CheckedAnswer, written: _Written, llm: LLM) -> bool:
    """Whether the model is asked once more. One that was cut off would be again."""
    if not llm.generative or written.notices or _refuses(checked, llm):
        return False
    return bool(checked.unknown) or not checked.cited


def _faults(checked: CheckedAnswer, llm: LLM) -> tuple[str, ...]:
    """What readers are told of the citations."""
    if checked.unknown:
        return ("The model cited sources that do not exist; those marks were removed.",)
    if not checked.cited:
        return ("The model named no source for this answer. Check it against the passages beside it.",)
    if llm.generative and is_partial_refusal(checked.text):
        return ("The model says that the sources answer only a part of the question.",)
    return ()


def _cut(text: str, room: int) -> str | None:
    """What is kept, to the end of a word, of a piece that takes an answer beyond its length; None while it fits."""
    if len(text) <= room:
        return None
    end = _SPACE.search(text, max(room, 0))
    if end and end.start() <= room + MAX_WORD_CHARS:
        return text[: end.start()]
    return text[: room + MAX_WORD_CHARS] if len(text) >= room + MAX_WORD_CHARS else None


_SPACE = re.compile(r"\s")
