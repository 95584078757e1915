"""Questions written by a language model: asked for as JSON, read strictly, and asked for once more where refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engines.errors import EngineError
from engines.llm import LLM, ChatMessage, Prompt, read_reply
from learning.material import DraftQuestion
from learning.questions.checking.checks import DropReason
from learning.questions.model.prompts import BROKEN, questions_prompt, refused_message
from learning.questions.model.replies import read_questions
from learning.questions.sources import ConceptSources

MAX_REPLY, MAX_REPLY_SHOWN = 30_000, 8_000
"""Characters of a reply that are read, since a model may never stop, and that it is shown when asked once more."""


def ask_for_questions(
    sources: ConceptSources,
    llm: LLM,
    count: int,
    *,
    accept: Callable[[DraftQuestion], DropReason | None],
    drop: Callable[[DropReason], None],
) -> None:
    """Ask for `count` questions and offer each to `accept`; what it refuses is asked for once more, then dropped.

    A reply that is no JSON is asked for once more too. An error of the model is dropped as NO_MODEL.
    """
    try:
        prompt = questions_prompt(sources, count)
        prompt, reply, drafts = _ask(llm, prompt)
        refused = _offer(drafts, llm, accept)
        if refused:
            _, _, drafts = _ask(llm, _followed(prompt, reply[:MAX_REPLY_SHOWN], refused_message(refused)))
            for _, reason in _offer(drafts[: len(refused)], llm, accept):
                drop(reason)
    except EngineError:
        drop(DropReason.NO_MODEL)


def _offer(
    drafts: list[DraftQuestion | None], llm: LLM, accept: Callable[[DraftQuestion], DropReason | None]
) -> list[tuple[str, DropReason]]:
    """Offer each question; those refused, with the reason. One that could not be read is malformed."""
    refused: list[tuple[str, DropReason]] = []
    for draft in drafts:
        if draft is None:
            refused.append(("a question without the right form", DropReason.MALFORMED))
        elif reason := accept(replace(draft, made_by=llm.name)):
            refused.append((draft.prompt, reason))
    return refused


def _ask(llm: LLM, prompt: Prompt) -> tuple[Prompt, str, list[DraftQuestion | None]]:
    """The prompt that was answered, its reply, and the questions in it. Raises EngineError."""
    reply = read_reply(llm, prompt, MAX_REPLY)
    drafts = read_questions(reply)
    if drafts is None:
        prompt = _followed(prompt, reply[:MAX_REPLY_SHOWN], BROKEN)
        reply = read_reply(llm, prompt, MAX_REPLY)
        drafts = read_questions(reply)
    return prompt, reply, [None] if drafts is None else drafts


def _followed(prompt: Prompt, reply: str, message: str) -> Prompt:
    said = (ChatMessage("assistant", reply or "…"), ChatMessage("user", message))
    return replace(prompt, messages=(*prompt.messages, *said))
