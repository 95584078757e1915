"""Prompts, and what is quoted for them, for the tests of quoted answers."""

import re

from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.answerer import ExtractiveAnswerer

HANDBOOK = """Homework is handed in on paper or through the portal. Work that is one day late loses ten percent of its
points. After five days it is no longer accepted. A doctor's note lifts the penalty.

- Phones stay in the lockers during lessons.
- The library lends books for three weeks."""
PHOTOSYNTHESIS = """Photosynthesis happens in the chloroplasts. The green pigment chlorophyll absorbs mostly red and
blue light. Water is split, and oxygen is set free."""
FEES = """The fees are due in September.

| Item | Price per year |
| --- | --- |
| Locker | 12.50 € |
| Sports kit | 30 € |"""


def prompt(question: str, *texts: str, language: str = "en") -> AnswerPrompt:
    """A prompt whose passages are found whole."""
    passages = [NumberedPassage(n, f"Document {n}", (), text, text) for n, text in enumerate(texts, start=1)]
    return AnswerPrompt((), question, tuple(passages), language)


def answer(asked: AnswerPrompt) -> str:
    return "".join(ExtractiveAnswerer().stream(asked))


def quotations(text: str) -> list[tuple[str, int]]:
    return [(words, int(number)) for words, number in re.findall(r"“(.*?)” \[(\d+)\]", text, re.DOTALL)]
