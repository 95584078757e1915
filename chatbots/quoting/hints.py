"""Hints first, without a language model: a hint at the idea of the answer, which comes when it is asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chatbots.passages import AnswerPrompt
from chatbots.quoting.candidates import find_statements
from engines.llm import LLM, Prompt
from text.definitions import definitions_in
from text.function_words import content_stems
from text.stemming import stems
from text.tables import make_readable_line

_QUOTATION = re.compile(r"“([^”]+)” \[(\d+)\]")
_STEP = re.compile(r"^- “([^”]+)” \[(\d+)\]", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_HINTS = {
    "en": (
        "A hint:",
        "it begins with this step: “{0}” [{1}]. What comes next?",
        "which word is missing? “{0}” [{1}]",
        "compare it with this: “{0}” [{1}]. What is different?",
        "think of {0} [{1}]. What is the connection?",
        "Try it, or ask again to see the answer.",
    ),
    "de": (
        "Ein Hinweis:",
        "Es beginnt mit diesem Schritt: „{0}“ [{1}]. Was kommt danach?",
        "Welches Wort fehlt? „{0}“ [{1}]",
        "Vergleiche es damit: „{0}“ [{1}]. Was ist anders?",
        "Denk an {0} [{1}]. Was ist der Zusammenhang?",
        "Versuch es, oder frag noch einmal, um die Antwort zu sehen.",
    ),
    "fr": (
        "Un indice :",
        "cela commence par cette étape : « {0} » [{1}]. Qu’est-ce qui vient après ?",
        "quel mot manque ? « {0} » [{1}]",
        "compare avec ceci : « {0} » [{1}]. Qu’est-ce qui est différent ?",
        "pense à {0} [{1}]. Quel est le rapport ?",
        "Essaie, ou repose la question pour voir la réponse.",
    ),
    "es": (
        "Una pista:",
        "empieza con este paso: «{0}» [{1}]. ¿Qué viene después?",
        "¿qué palabra falta? «{0}» [{1}]",
        "compáralo con esto: «{0}» [{1}]. ¿En qué se diferencia?",
        "piensa en {0} [{1}]. ¿Qué relación hay?",
        "Inténtalo, o pregunta otra vez para ver la respuesta.",
    ),
}
"""How a hint begins, what it is, and how it ends: by a first step, a gap, a contrast, or words."""

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
    return text.startswith(tuple(words[0] for words in _HINTS.values()))


def _was_hinted_at(prompt: AnswerPrompt) -> bool:
    """Say whether a question was answered by a hint before that is asked again, or that this one goes on from."""
    asked = f"{prompt.question}\n{prompt.messages[-1].content}"
    pairs = pairwise(prompt.messages)
    return any(is_hint(after.content) and before.content.strip(" ?.!¿¡") in asked for before, after in pairs)


def _make_hint(answer: str, prompt: AnswerPrompt) -> str:
    """Return a hint at the first quotation of an answer, "" if it is too short for one."""
    begins, step, gap, contrast, words, ends = _HINTS.get(prompt.language, _HINTS["en"])
    steps = _STEP.findall(answer)
    if len(steps) > 2:
        return f"{begins} {step.format(*steps[0])} {ends}"
    found = _QUOTATION.search(answer)
    if found is None or len(found[1].split()) < _MIN_WORDS:
        return ""
    language = prompt.language_of_quotes
    asked = content_stems(prompt.question, language)
    for one in definitions_in(plain := make_readable_line(found[1]), language):
        start = one.ends - len(one.term)
        if plain[start : one.ends] == one.term and not content_stems(one.term, language) & asked:
            return f"{begins} {gap.format(f'{plain[:start]}____{plain[one.ends :]}', found[2])} {ends}"
    if other := _find_contrast(found[1], answer, asked, prompt):
        return f"{begins} {contrast.format(*other)} {ends}"
    cues = ", ".join(f"“{word}”" for word in _choose_cues(found[1], prompt.question))
    return f"{begins} {words.format(cues, found[2])} {ends}" if cues else ""


def _find_contrast(quotation: str, answer: str, asked: set[str], prompt: AnswerPrompt) -> tuple[str, int] | None:
    """Return the definition of something else that the quotation of a definition names, and its number."""
    language = prompt.language_of_quotes
    if not any(content_stems(one.term, language) <= asked for one in definitions_in(quotation, language)):
        return None
    named = set(stems(quotation, language)) - asked
    for candidate in find_statements(prompt.passages, language):
        text = make_readable_line(candidate.text)
        for one in () if candidate.row or text in make_readable_line(answer) else definitions_in(text, language):
            if content_stems(one.term, language) <= named:
                return text, candidate.passage.number
    return None


def _choose_cues(quotation: str, question: str) -> list[str]:
    """Return the words to think about, in their order: the three longest that the question has not."""
    words = [word for word in dict.fromkeys(_WORD.findall(quotation)) if word.casefold() not in question.casefold()]
    chosen = sorted(words, key=lambda word: (-len(word), word))[:3]
    return [word for word in words if word in chosen]
