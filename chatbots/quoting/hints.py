"""Hints first, without a language model: words of the quotation to think about; the whole when it is asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatbots.passages import AnswerPrompt
from engines.llm import LLM, Prompt

_QUOTATION = re.compile(r"“([^”]+)” (\[\d+\])")
_WORD = re.compile(r"[^\W\d_]{4,}")
_HINTS = {
    "en": "A hint: think of {words} {marker}. What do these have to do with it? Try to say it in your own words. "
    "Ask again to see the answer, or open the source.",
    "de": "Ein Hinweis: Denk an {words} {marker}. Was hat das damit zu tun? Versuch es mit eigenen Worten. "
    "Frag noch einmal, um die Antwort zu sehen, oder öffne die Quelle.",
    "fr": "Un indice : pense à {words} {marker}. Quel est le rapport ? Essaie de le dire avec tes mots. "
    "Repose la question pour voir la réponse, ou ouvre la source.",
    "es": "Una pista: piensa en {words} {marker}. ¿Qué tienen que ver? Intenta decirlo con tus palabras. "
    "Pregunta otra vez para ver la respuesta, o abre la fuente.",
}
_MIN_WORDS = 8
"""Words of a quotation that is hinted at."""

_CUES = 3
"""Words of it that the hint names: the longest that the question has not."""


class HintsFirst:
    """Names words of what `answerer` would quote first, unless the conversation has that hint already."""

    generative = False

    def __init__(self, answerer: LLM) -> None:
        self._answerer = answerer
        self.name = answerer.name

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield a hint, or the whole answer where it is short, has no quotation, or was hinted at before."""
        answer = "".join(self._answerer.stream(prompt))
        found = _QUOTATION.search(answer)
        language = prompt.language if isinstance(prompt, AnswerPrompt) else ""
        cues = _choose_cues(found[1], prompt.question if isinstance(prompt, AnswerPrompt) else "") if found else []
        words = ", ".join(f"“{word}”" for word in cues)
        said = [turn.content for turn in prompt.messages if turn.role == "assistant"]
        if not found or len(found[1].split()) < _MIN_WORDS or not cues or any(words in turn for turn in said):
            yield answer
            return
        yield _HINTS.get(language, _HINTS["en"]).format(words=words, marker=found[2])


def _choose_cues(quotation: str, question: str) -> list[str]:
    """Return the words to think about, in their order."""
    asked = {word.casefold() for word in _WORD.findall(question)}
    words = [word for word in dict.fromkeys(_WORD.findall(quotation)) if word.casefold() not in asked]
    chosen = sorted(words, key=lambda word: (-len(word), word))[:_CUES]
    return [word for word in words if word in chosen]
