"""Hints first, without a language model: the beginning of the quotation, and the whole when it is asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatbots.passages import AnswerPrompt
from engines.llm import LLM, Prompt

_QUOTATION = re.compile(r"“([^”]+)” (\[\d+\])")
_GO_ON = {
    "en": "How does it go on? Try to say it. Ask again to see the whole, or open the source.",
    "de": "Wie geht es weiter? Versuch es zu sagen. Frag noch einmal, um alles zu sehen, oder öffne die Quelle.",
    "fr": "Quelle est la suite ? Essaie de la dire. Repose la question pour tout voir, ou ouvre la source.",
    "es": "¿Cómo sigue? Intenta decirlo. Pregunta otra vez para verlo todo, o abre la fuente.",
}
_MIN_WORDS = 8
"""Words of a quotation that a beginning is taken of: at most half of it, so that something is left to find."""


class HintsFirst:
    """Quotes the beginning of what `answerer` would quote first, unless the conversation has that hint already."""

    generative = False

    def __init__(self, answerer: LLM) -> None:
        self._answerer = answerer
        self.name = answerer.name

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield a hint, or the whole answer where it is short, has no quotation, or was hinted at before."""
        answer = "".join(self._answerer.stream(prompt))
        found = _QUOTATION.search(answer)
        words = found[1].split() if found else []
        beginning = " ".join(words[: len(words) // 2])
        said = [turn.content for turn in prompt.messages if turn.role == "assistant"]
        if not found or len(words) < _MIN_WORDS or any(beginning in turn for turn in said):
            yield answer
            return
        language = prompt.language if isinstance(prompt, AnswerPrompt) else ""
        yield f"“{beginning}” {found[2]} …\n\n{_GO_ON.get(language, _GO_ON['en'])}"
