"""Hints first, without a language model: a hint at the idea of the answer, which comes when it is asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chatbots.passages import AnswerPrompt
from chatbots.quoting.candidates import begins_with_pronoun, find_statements
from engines.llm import LLM, Prompt
from text.definitions import definitions_in
from text.function_words import content_stems, function_words
from text.sections import sets_task
from text.stemming import stems
from text.tables import make_readable_line
from text.words import LANGUAGES, read_words

_QUOTATION = re.compile(r"“([^”]+)” \[(\d+)\]")
_STEP = re.compile(r"^- “([^”]+)” \[(\d+)\]", re.MULTILINE)
_LABEL = re.compile(r":\W+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_MIN_WORDS = 6
"""Words of a quotation that is hinted at."""


class HintsFirst:
    """Gives a hint at what `answerer` would quote, unless one was given when the same was asked before."""

    generative = False

    def __init__(self, answerer: LLM) -> None:
        self._answerer = answerer
        self.name = answerer.name

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield a hint, or the whole answer where it is short, has no quotation, or was hinted at before."""
        answer = "".join(self._answerer.stream(prompt))
        hint = _make_hint(answer, prompt) if isinstance(prompt, AnswerPrompt) and not _was_hinted_at(prompt) else ""
        yield hint or answer


def is_hint(text: str) -> bool:
    return text.startswith(tuple(read_words(language)["hints"]["begins"] for language in LANGUAGES))


def _was_hinted_at(prompt: AnswerPrompt) -> bool:
    """Say whether a question was answered by a hint before that is asked again, or that this one goes on from."""
    _, _, last = prompt.messages[-1].content.rpartition("</sources>")
    asked = f"{prompt.question}\n{last}"
    pairs = pairwise(prompt.messages)
    return any(is_hint(after.content) and before.content.strip(" ?.!¿¡") in asked for before, after in pairs)


def _make_hint(answer: str, prompt: AnswerPrompt) -> str:
    """Return a hint at the first quotation of an answer, "" if it is too short for one."""
    steps = _STEP.findall(answer)
    if len(steps) > 2:
        step, number = steps[0]
        return _say("step", step, number, prompt)
    quoted = (one for one in _QUOTATION.finditer(answer) if not sets_task(_LABEL.split(one[1])[-1]))
    found = next(quoted, None)
    if found is None or len(found[1].split()) < _MIN_WORDS:
        return ""
    language = prompt.language_of_quotes
    asked = content_stems(prompt.question, language)
    for one in definitions_in(plain := make_readable_line(found[1]), language):
        start = one.ends - len(one.term)
        if plain[start : one.ends] == one.term and not content_stems(one.term, language) & asked:
            return _say("gap", f"{plain[:start]}____{plain[one.ends :]}", found[2], prompt)
    if other := _find_contrast(plain, asked, prompt):
        return _say("contrast", other[0], other[1], prompt)
    cues = ", ".join(f"“{word}”" for word in _choose_cues(plain, prompt.question, language))
    return _say("words", cues, found[2], prompt) if cues else ""


def _say(kind: str, text: str, number: int | str, prompt: AnswerPrompt) -> str:
    words = read_words(prompt.language)["hints"]
    return f"{words['begins']} {words[kind].format(text, number)} {words['ends']}"


def _find_contrast(quotation: str, asked: set[str], prompt: AnswerPrompt) -> tuple[str, int] | None:
    """Return the definition of something else, and its number, if the quotation is one and names it, or has a like
    name: improper and proper fractions."""
    language = prompt.language_of_quotes
    if not any(content_stems(one.term, language) <= asked for one in definitions_in(quotation, language)):
        return None
    named = set(stems(quotation, language)) - asked
    for candidate in find_statements(prompt.passages, language):
        text = make_readable_line(candidate.text)
        if candidate.row or text in quotation or begins_with_pronoun(candidate):
            continue
        for one in definitions_in(text, language):
            words = content_stems(one.term, language)
            if words <= named or (words & asked and not words <= asked):
                return text, candidate.passage.number
    return None


def _choose_cues(quotation: str, question: str, language: str) -> list[str]:
    """Return the words to think about, in their order: the three longest that the question has not."""
    little = {*function_words(language), *re.findall(r"\w+", question.casefold())}
    words = [word for word in dict.fromkeys(_WORD.findall(quotation)) if word.casefold() not in little]
    chosen = sorted(words, key=lambda word: (-len(word), word))[:3]
    return [word for word in words if word in chosen]
