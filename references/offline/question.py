"""A question as words: what is looked for in titles and texts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text.function_words import content_stems
from text.stemming import stems

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


@dataclass(frozen=True)
class QuestionWords:
    """The content words of a question by their stem, in order, and every run of words, which may be a title."""

    words: dict[str, str]
    names: tuple[str, ...]

    @classmethod
    def of(cls, question: str, language: str) -> QuestionWords:
        content = content_stems(question, language)
        every = _WORD.findall(question)
        words: dict[str, str] = {}
        for word in every:
            for stem in stems(word, language):
                if stem in content:
                    words.setdefault(stem, word)
        telling = [bool(content.intersection(stems(word, language))) for word in every]
        names = [
            " ".join(every[start:end])
            for start in range(len(every))
            for end in range(start + 1, min(start + 7, len(every)) + 1)
            if any(telling[start:end])
        ]
        return cls(words, tuple(dict.fromkeys(names)))
