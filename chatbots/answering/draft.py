"""The request, the draft and the events of an answer. Plain values without the ORM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from chatbots.answering.query_rewriting import Exchange
from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.selected_text import SelectionPart
from chatbots.passages import AnswerPrompt
from chatbots.quoting.answerer import ExtractiveAnswerer
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import SourceKind
from engines.llm import LLM

if TYPE_CHECKING:
    from chatbots.models import Message

UNSEARCHED = "Your sources could not be searched just now. Your question is kept: please try again."


@dataclass(frozen=True)
class AnswerRequest:
    """A question and everything that its answer depends on."""

    question: str
    llm: LLM
    refuses_with: str
    language: str = "en"
    instructions: str = ""
    history: Sequence[Exchange] = ()
    """The conversation so far, oldest first."""
    sources: Sequence[WeightedSource] = ()
    places: int = 5
    reads: bool = True
    """Whether a reader reads the passages that are found."""
    names_sources: bool = True
    """Whether a greeting may be answered with the titles of documents: not to guests, whose answers may show none."""
    is_hurried: bool = False
    """Whether so many wait that the passages are not read."""
    may_answer_generally: bool = False
    """From general knowledge, if the sources have nothing relevant."""
    selection: str | None = None
    """Answer only from this text: no search, no conversation, no instructions (T3)."""
    max_tokens: int | None = None
    """The token budget of the prompt; None if the model has no limit."""
    quoter: LLM = field(default_factory=partial(ExtractiveAnswerer, closes=False))
    """What answers in the place of a model whose answer cannot be used."""
    unsearched: str = UNSEARCHED
    """What to say if nothing could be searched."""


@dataclass(frozen=True)
class Verification:
    """The result of the citation check, as it is stored with a message."""

    support: Mapping[str, Any] = field(default_factory=dict)
    unfounded: tuple[tuple[int, int], ...] = ()
    contradicts: bool = False
    """Whether the passages say otherwise than half of the claims. This is not stored: quotations take their place."""


@dataclass(frozen=True)
class Draft:
    """An answer in progress, with the record of how it is made."""

    mode: str
    """A `Mode`; empty if nothing was found because a source could not be searched."""
    model: str = ""
    is_generated: bool = False
    """Whether a language model writes it; otherwise it quotes sentences or refuses."""
    sources: tuple[SelectedPassage | SelectionPart, ...] = ()
    """Numbered from 1, including those that did not fit the prompt."""
    prompt: AnswerPrompt | None = None
    searched_for: str = ""
    unavailable: tuple[SourceKind, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    reasoning: str = ""
    cited: tuple[int, ...] = ()
    verification: Verification = Verification()
    model_text: str = ""
    """What the model wrote, if quotations take its place."""
    notices: tuple[str, ...] = ()
    is_whole: bool = False
    """Whether the text is complete: nothing but storing it is left to do."""
    finish_reason: str = ""
    """One of `engines.llm.FINISH_REASONS`; empty if no model was asked."""


class Kind(StrEnum):
    """What has changed."""

    QUEUED = "queued"
    SOURCES = "sources"
    TEXT = "text"
    REASONING = "reasoning"
    DROPPED = "dropped"
    DONE = "done"


@dataclass(frozen=True)
class Event:
    """One change of an answer, from the pipeline to the wire.

    `SOURCES` means that the passages are stored, `DROPPED` that the text so far is discarded, since the model is asked
    again or quotations take its place, `DONE` that the answer has ended and its claims are compared with the passages.
    """

    kind: Kind
    text: str = ""
    """What is added to the text, or to the reasoning of the model, after so many characters: `offset`."""
    offset: int = 0
    queued: int = 0
    """How many other questions are prepared first."""
    draft: Draft | None = field(default=None, repr=False)
    """With `SOURCES` and `DONE`: what is stored. This and what follows stay in the process that writes the answer."""
    prompt: AnswerPrompt | None = field(default=None, repr=False)
    """With `DROPPED`: what the model is asked now, if it is."""
    message: Message | None = field(default=None, compare=False, repr=False)
    """Its row with its sources, for readers in this process who may still read it."""
