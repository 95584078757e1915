"""Text that others wrote, made inert for a language model: it reads the same and can neither end nor pretend anything.

Only what the model is given is changed, never what people are shown. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatbots.citations.markers import MARKER_CONTENT, blank_out_code

_LINE_END = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
# Control characters, zero-width and bidirectional ones, annotations, and the invisible letters that text can be
# smuggled in. Joiners stay between letters that need them, as in Persian, and in emoji.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e01ef]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
# What could begin a tag or a model's own mark, such as <|im_start|> or </s>; not "a < b" or "x <5".
_TAG = re.compile(r"[<\uff1c\ufe64](?!\s*[\d=]|[ \t]+\w)")
# Marks in square brackets by which the models of Mistral, Llama 2 and GLM tell who is speaking.
_MARK = re.compile(
    r"\[(?=/?(?:INST|SYSTEM_PROMPT|SYSTEM|AVAILABLE_TOOLS|TOOL_\w+|THINK|PREFIX|MIDDLE|SUFFIX|IMG\w*|ARGS|CALL_ID"
    r"|BEGIN_\w+|AUDIO|[gs]?MASK|control_\d+)\])",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?<!\\)[\[【［]\s*{MARKER_CONTENT}\s*[\]】］]", re.IGNORECASE)
_AROUND = 20
"""Letters and digits beside a number in brackets that tell that it was copied along with them."""
_LEAST = 10


def sanitize(text: str) -> str:
    """The text without what cannot be seen, and without anything that could be taken for a tag or a model's mark."""
    text = _UNSEEN.sub("", _LINE_END.sub("\n", text))
    return _MARK.sub("[ ", _TAG.sub("&lt;", text))


def sanitize_source(text: str) -> str:
    """The same, with a backslash before numbers in brackets: a source's own footnotes are no citations of ours."""
    text = sanitize(text)
    spots = [match.start() for match in _NUMBER.finditer(blank_out_code(text))]
    for spot in reversed(spots):
        text = f"{text[:spot]}\\{text[spot:]}"
    return text


def sanitize_attribute(text: str) -> str:
    """The same on one line, as it may stand between quotation marks in a tag."""
    return (
        " ".join(sanitize_source(text).split())
        .replace('"', "&quot;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
    )


def escape_copied_numbers(answer: str, texts: Sequence[str]) -> str:
    """An answer in which numbers in brackets that the model copied out of these texts, along with the words beside
    them, have a backslash, so that they are not taken for citations: "as shown [3]" stands in the source like that."""
    own = {beside for text in texts for match in _NUMBER.finditer(text) for beside in _beside(text, match)}
    found = _NUMBER.finditer(blank_out_code(answer)) if own else ()
    parts, done = [], 0
    for match in found:
        if not own.isdisjoint(_beside(answer, match)):
            parts += [answer[done : match.start()], "\\"]
            done = match.start()
    return "".join([*parts, answer[done:]])


def _beside(text: str, match: re.Match[str]) -> list[tuple[str, str, str]]:
    """The number with the words before it and, at the beginning of a line, with the words after it."""
    line = text.rfind("\n", 0, match.start()) + 1
    begins = not text[line : match.start()][:_AROUND].strip(' \t>*-"“')
    number = ",".join(re.findall(r"\d+", match[0]))
    before = _letters(text[max(0, match.start() - 3 * _AROUND) : match.start()])[-_AROUND:]
    after = _letters(text[match.end() : match.end() + 3 * _AROUND])[:_AROUND] if begins else ""
    sides = (("before", before), ("after", after))
    return [(side, number, words) for side, words in sides if len(words) >= _LEAST]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
