"""The passages that an answer cites by number, and the prompt that an answer is made from.

Pure: imports engines only. Whoever writes or checks answers from passages may import it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engines.llm import Prompt
from engines.reader.reading import Reading
from text.sections import Purpose


@dataclass(frozen=True)
class NumberedPassage:
    """A passage an answer may cite as [number]: `excerpt` was found, `text` is the section around it.

    `relevance` says how surely it is evidence, from 0 to 1; `reading` what a reader makes of `text`, if it was read.
    """

    number: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    excerpt: str
    relevance: float = 0.5
    reading: Reading | None = field(default=None, compare=False, repr=False)
    purpose: Purpose = Purpose.STATES


@dataclass(frozen=True)
class AnswerPrompt(Prompt):
    """A prompt that also says what an answerer without a language model needs: what is asked, and the passages."""

    question: str
    passages: tuple[NumberedPassage, ...]
    language: str = "en"
    quoted_language: str = ""
    """The language of the passages, if it is not that of the answer."""
    is_unsure: bool = False
    """Whether reading found no passage that surely answers."""
    asks_for_summary: bool = False
    """Whether the passages, in their order, are to be summarised or outlined."""

    @property
    def language_of_quotes(self) -> str:
        """Return the language that an answerer that quotes reads."""
        return self.quoted_language or self.language
