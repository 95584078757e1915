"""That a program answers and can be wrong, in the language of the chatbot (EU AI Act, article 50)."""

from __future__ import annotations

from collections.abc import Iterable

from chatbots.models import Language, Message
from chatbots.quoting.answerer import ExtractiveAnswerer
from engines.llm import get_llm

_MODEL = {
    Language.ENGLISH: "A language model writes the answers. It can be wrong.",
    Language.GERMAN: "Ein Sprachmodell schreibt die Antworten. Es kann sich irren.",
    Language.FRENCH: "Un modèle de langage rédige les réponses. Il peut se tromper.",
    Language.SPANISH: "Un modelo de lenguaje escribe las respuestas. Puede equivocarse.",
}
_QUOTATIONS = {
    Language.ENGLISH: "A program answers with quotations. It can pick the wrong ones.",
    Language.GERMAN: "Ein Programm antwortet mit Zitaten. Es kann die falschen auswählen.",
    Language.FRENCH: "Un programme répond par des citations. Il peut choisir les mauvaises.",
    Language.SPANISH: "Un programa responde con citas. Puede elegir las equivocadas.",
}


def disclose(language: str = Language.ENGLISH) -> str:
    """Say what answers here now."""
    return _choose(_MODEL if get_llm().generative else _QUOTATIONS, language)


def disclose_answers(messages: Iterable[Message], language: str = Language.ENGLISH) -> str:
    """Say what has written these answers: a language model, a program that quotes, or one and the other."""
    wrote = {message.model not in ("", ExtractiveAnswerer.name) for message in messages}
    return " ".join(_choose(_MODEL if generative else _QUOTATIONS, language) for generative in sorted(wrote))


def _choose(sentences: dict[Language, str], language: str) -> str:
    return sentences[Language(language)]
