"""Whether two passages say the same, so that one of them is enough. Pure."""

from __future__ import annotations

from text.lexemes import full_text_input

_AROUND = "*_#`|.,;:!?\"'“”„«»‘’…()[]{}。，、；：！？（）「」『』"


def wording(text: str) -> tuple[str, ...]:
    """The words of a text; two texts of equal words say the same.

    Case, mark-up, line breaks and the punctuation around words do not count. Everything else does, signs and figures
    too: a text of which one word has changed may correct the other, and hiding a contradiction between sources is worse
    than showing a passage twice.
    """
    words = (word.strip(_AROUND) for word in full_text_input(text).casefold().split())
    return tuple(word for word in words if word) or (text.strip(),)
