"""Hints first, without a language model: words of the quotation to think about; the whole when it is asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatbots.passages import AnswerPrompt
from engines.llm import LLM, Prompt

_QUOTATION = re.compile(r"“([^”]+)” (\[\d+\])")
_WORD = re.compile(r"[^\W\d_]{4,}")
_HINTS = {
    "en": "A hint: think of {} {}. What is the connection? Ask again to see the answer, or open the source.",
    "de": "Ein Hinweis: Denk an {} {}. Was ist der Zusammenhang? Frag noch einmal, um die Antwort zu sehen.",
    "fr": "Un indice : pense à {} {}. Quel est le rapport ? Repose la question pour voir la réponse.",
    "es": "Una pista: piensa en {} {}. ¿Qué relación hay? Pregunta otra vez para ver la respuesta.",
}
_MIN_WORDS = 8
"""Words of a quotation that is hinted at."""


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
        asked, language = (prompt.question, prompt.language) if isinstance(prompt, AnswerPrompt) else ("", "")
        cues = ", ".join(f"“{word}”" for word in _choose_cues(found[1] if found else "", asked))
        said = [turn.content for turn in prompt.messages if turn.role == "assistant"]
        if not found or len(found[1].split()) < _MIN_WORDS or not cues or any(cues in turn for turn in said):
            yield answer
        else:
            yield _HINTS.get(language, _HINTS["en"]).format(cues, found[2])


def _choose_cues(quotation: str, question: str) -> list[str]:
    """Return the words to think about, in their order: the three longest that the question has not."""
    words = [word for word in dict.fromkeys(_WORD.findall(quotation)) if word.casefold() not in question.casefold()]
    chosen = sorted(words, key=lambda word: (-len(word), word))[:3]
    return [word for word in words if word in chosen]
