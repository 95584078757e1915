"""A question with what its answer is made from, the answer as it is made, and the events by which it grows.

Plain values, which know of no row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from chatbots.answering.query_rewriting import Exchange
from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.selected_text import SelectionPart
from corpus.search.fusion import SelectedPassage
from corpus.source_kinds import SourceKind
from engines.llm import LLM, Prompt


@dataclass(frozen=True)
class AnswerRequest:
    """A question with all that its answer is made from."""

    question: str
    llm: LLM
    refuses_with: str
    language: str = "en"
    instructions: str = ""
    history: Sequence[Exchange] = ()
    """What came before in the conversation, oldest first."""
    sources: Sequence[WeightedSource] = ()
    places: int = 5
    may_answer_generally: bool = False
    """From general knowledge, where the sources have nothing relevant."""
    selection: str | None = None
    """A selected text to answer from, and from nothing else: no search, no conversation, no instructions (T3)."""
    room: int | None = None
    """The tokens that a prompt may have; None for an answerer without a window."""
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a model is waited for before there are sources."""


@dataclass(frozen=True)
class Verification:
    """What the check of an answer's citations found, as it is stored with a message."""

    support: Mapping[str, Any] = field(default_factory=dict)
    unfounded: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Draft:
    """An answer as far as it is made, with all that is worth keeping of how it was made."""

    mode: str
    """A `Mode`; empty where nothing was found because a source could not be searched."""
    model: str = ""
    is_generated: bool = False
    """By a language model; else sentences are quoted, or it refuses without having asked anybody."""
    sources: tuple[SelectedPassage | SelectionPart, ...] = ()
    """Numbered from 1, those that did not fit the prompt included."""
    prompt: Prompt | None = None
    searched_for: str = ""
    unavailable: tuple[SourceKind, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    cited: tuple[int, ...] = ()
    verification: Verification = Verification()
    notices: tuple[str, ...] = ()
    finish_reason: str = ""
    """Why the model ended: one of `engines.llm.FINISH_REASONS`; empty where none was asked."""


@dataclass(frozen=True)
class SourcesFound:
    """The passages are found and the prompt is made; not a word is written yet."""

    draft: Draft


@dataclass(frozen=True)
class TextAdded:
    """Text for readers, its citations as they stay; empty when the model sends something that is not shown."""

    text: str


@dataclass(frozen=True)
class TextDropped:
    """The text so far is void: the model is asked once more."""


@dataclass(frozen=True)
class Finished:
    """The answer as it stays."""

    draft: Draft


Event = SourcesFound | TextAdded | TextDropped | Finished
