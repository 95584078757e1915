"""What a wiki is asked for: the words of a question that carry its subject. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from text.function_words import content_stems
from text.question_types import expected_answer
from text.stemming import stems

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")


def keywords(question: str, language: str) -> list[str]:
    """The words of a question but for function words and what only asks (“which year”), each once, in its order.

    A wiki wants all words of a search in one page, and reads signs as operators, so there are none.
    """
    wanted = content_stems(question, language, ignored=expected_answer(question).cue)
    words: dict[tuple[str, ...], str] = {}
    for word in _WORD.findall(question):
        own = tuple(stems(word, language))
        if own and wanted.issuperset(own):
            words.setdefault(own, word)
    return list(words.values())[:12]


def searches(words: Sequence[str]) -> list[str]:
    """What to search for, each if the one before finds nothing: all words, two names or long words, then one.

    Names and long words are likely to be rare. In German every noun counts as a name, which does no harm.
    """
    longest = sorted(words, key=len, reverse=True)
    names = sorted(longest, key=lambda word: not word[0].isupper())
    relaxed = [[word for word in words if word in rare[:most]] for most in (2, 1) for rare in (names, longest)]
    return list(dict.fromkeys(" ".join(chosen) for chosen in (words, *relaxed) if chosen))
