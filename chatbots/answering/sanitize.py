"""Sanitise untrusted text for a language model: it reads the same, but cannot imitate delimiters or control tokens.

Only the prompt is changed, never what people see. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatbots.citations.markers import MARKER_CONTENT, blank_out_code
from chatbots.passages import NumberedPassage

_LINE_END = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
# Control, zero-width, bidirectional and annotation characters, and the invisible tag letters that can hide text.
# Joiners stay between letters that need them, as in Persian, and in emoji.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e01ef]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
# The beginning of a tag or a control token such as <|im_start|> or </s>; not "a < b" or "x <5".
_TAG = re.compile(r"[<\uff1c\ufe64](?!\s*[\d=]|[ \t]+\w)")
# Control tokens in square brackets of Mistral, Llama 2 and GLM.
_CONTROL_TOKEN = re.compile(
    r"\[(?=/?(?:INST|SYSTEM_PROMPT|SYSTEM|AVAILABLE_TOOLS|TOOL_\w+|THINK|PREFIX|MIDDLE|SUFFIX|IMG\w*|ARGS|CALL_ID"
    r"|BEGIN_\w+|AUDIO|[gs]?MASK|control_\d+)\])",
    re.IGNORECASE,
)
_OURS = re.compile(r"</?(?:sources?|question)\b[^>]*>", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<!\\)[\[【［]\s*{MARKER_CONTENT}\s*[\]】］]", re.IGNORECASE)
_CONTEXT, _MIN_CONTEXT = 20, 10
"""Letters and digits beside a number in brackets that are compared to tell that it was copied with them."""


def sanitize(text: str) -> str:
    """Remove invisible characters and break up tags and control tokens."""
    text = _INVISIBLE.sub("", _LINE_END.sub("\n", text))
    return _CONTROL_TOKEN.sub("[ ", _TAG.sub("&lt;", text))


def sanitize_source(text: str) -> str:
    """`sanitize`, with a backslash before numbers in brackets: a source's own footnotes are not our citations."""
    text = sanitize(text)
    positions = [match.start() for match in _NUMBER.finditer(blank_out_code(text))]
    for position in reversed(positions):
        text = f"{text[:position]}\\{text[position:]}"
    return text


def sanitize_attribute(text: str) -> str:
    """`sanitize_source` on one line, for an attribute between quotation marks."""
    return " ".join(sanitize_source(text).split()).replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def delimit_source(passage: NumberedPassage) -> str:
    """Return a passage as the element of a prompt, sanitised."""
    path = sanitize_attribute(" › ".join(passage.heading_path))
    section = f' section="{path}"' if path else ""
    opening = f'<source number="{passage.number}" title="{sanitize_attribute(passage.title)}"{section}>'
    return f"{opening}\n{sanitize_source(passage.text)}\n</source>"


def has_prompt_markup(answer: str) -> bool:
    """Whether a model's answer copies the delimiters of a prompt from sources, other than in code."""
    return bool(_OURS.search(blank_out_code(answer)))


def escape_copied_numbers(answer: str, texts: Sequence[str]) -> str:
    """Put a backslash before bracketed numbers that the model copied from these texts with the words beside them.

    Such as "as shown [3]" in a source: they must not be taken for citations.
    """
    own = {one for text in texts for match in _NUMBER.finditer(text) for one in _contexts(text, match)}
    found = _NUMBER.finditer(blank_out_code(answer)) if own else ()
    parts, done = [], 0
    for match in found:
        if not own.isdisjoint(_contexts(answer, match)):
            parts += [answer[done : match.start()], "\\"]
            done = match.start()
    return "".join([*parts, answer[done:]])


def _contexts(text: str, match: re.Match[str]) -> list[tuple[str, str, str]]:
    """(side, number, letters) of the words before the number and, at the start of a line, after it."""
    line = text.rfind("\n", 0, match.start()) + 1
    begins = not text[line : match.start()][:_CONTEXT].strip(' \t>*-"“')
    number = ",".join(re.findall(r"\d+", match[0]))
    before = _letters(text[max(0, match.start() - 3 * _CONTEXT) : match.start()])[-_CONTEXT:]
    after = _letters(text[match.end() : match.end() + 3 * _CONTEXT])[:_CONTEXT] if begins else ""
    sides = (("before", before), ("after", after))
    return [(side, number, words) for side, words in sides if len(words) >= _MIN_CONTEXT]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
