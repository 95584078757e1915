"""The request, the draft and the events of an answer. Plain values without the ORM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chatbots.answering.query_rewriting import Exchange
from chatbots.answering.retrieval import ForeignQuestion, WeightedSource
from chatbots.answering.selected_text import SelectionPart
from chatbots.passages import AnswerPrompt
from chatbots.quoting.answerer import ExtractiveAnswerer
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import SourceKind
from engines.llm import LLM

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
    foreign: ForeignQuestion | None = None
    """Set if the question is in another language than the documents."""
    unavailable: tuple[SourceKind, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    reasoning: str = ""
    cited: tuple[int, ...] = ()
    verification: Verification = Verification()
    unverified: bool = False
    """Whether its claims are still to be compared with the passages: then `Verified` follows `Finished`."""
    model_text: str = ""
    """What the model wrote, if quotations take its place."""
    notices: tuple[str, ...] = ()
    finish_reason: str = ""
    """One of `engines.llm.FINISH_REASONS`; empty if no model was asked."""


@dataclass(frozen=True)
class SourcesFound:
    """The passages are found and the prompt is built; no text is written yet."""

    draft: Draft


@dataclass(frozen=True)
class TextAdded:
    """Text for readers with final citation numbers; empty if the model sent nothing to show."""

    text: str


@dataclass(frozen=True)
class ReasoningAdded:
    """Text of the model's reasoning, which is no part of the answer."""

    text: str


@dataclass(frozen=True)
class TextDropped:
    """The text so far is discarded: the model is asked again by this prompt, or quotations take its place."""

    prompt: AnswerPrompt | None = None


@dataclass(frozen=True)
class Finished:
    """The final answer."""

    draft: Draft


@dataclass(frozen=True)
class Verified:
    """The claims of a finished answer have been compared with the passages."""

    verification: Verification


Event = SourcesFound | TextAdded | ReasoningAdded | TextDropped | Finished | Verified
