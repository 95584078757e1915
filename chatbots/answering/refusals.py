"""The fixed refusal sentences in the chatbot's language (C6), and how to recognise a model's refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping

from chatbots.models import ChatbotKind, Language

_FROM_SOURCES = {
    Language.ENGLISH: "I cannot answer this from the sources of this chatbot.",
    Language.GERMAN: "Das kann ich aus den Quellen dieses Chatbots nicht beantworten.",
    Language.FRENCH: "Je ne peux pas répondre à cette question à partir des sources de ce chatbot.",
    Language.SPANISH: "No puedo responder a esto con las fuentes de este chatbot.",
}
# Without a full stop: programs compare the English one letter by letter with that of the textbook pipeline.
_FROM_TEXTBOOK = {
    Language.ENGLISH: "I cannot answer based on the textbook content",
    Language.GERMAN: "Das kann ich anhand des Lehrbuchs nicht beantworten",
    Language.FRENCH: "Je ne peux pas répondre à partir du contenu du manuel",
    Language.SPANISH: "No puedo responder a partir del contenido del libro de texto",
}
_FROM_SELECTION = {
    Language.ENGLISH: "I cannot answer based on the selected text alone",
    Language.GERMAN: "Das kann ich allein anhand des ausgewählten Textes nicht beantworten",
    Language.FRENCH: "Je ne peux pas répondre à partir du seul texte sélectionné",
    Language.SPANISH: "No puedo responder solo a partir del texto seleccionado",
}
SELECTION = "selection"
"""The kind of refusal when the answer is restricted to a selected text, beside the kinds of chatbots."""

REFUSAL_SENTENCES: Mapping[str, Mapping[Language, str]] = {
    ChatbotKind.GENERAL: _FROM_SOURCES,
    ChatbotKind.TEXTBOOK: _FROM_TEXTBOOK,
    SELECTION: _FROM_SELECTION,
}

_UNSURE = {
    Language.ENGLISH: "No passage was found that surely answers this: check the answer against its sources.",
    Language.GERMAN: "Keine Textstelle beantwortet das sicher: Bitte die Antwort an ihren Quellen prüfen.",
    Language.FRENCH: "Aucun passage n’y répond avec certitude : vérifiez la réponse dans ses sources.",
    Language.SPANISH: "Ningún pasaje responde a esto con seguridad: compruebe la respuesta en sus fuentes.",
}
_HURRIED = {
    Language.ENGLISH: "Many ask at this moment, so the sources were searched but not read closely.",
    Language.GERMAN: "Gerade fragen viele, daher wurden die Quellen durchsucht, aber nicht genau gelesen.",
    Language.FRENCH: "Beaucoup posent des questions en ce moment : les sources ont été parcourues, mais non lues.",
    Language.SPANISH: "Muchos preguntan en este momento: se buscó en las fuentes, pero no se leyeron con detalle.",
}
_MARKERS = re.compile(r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")
_SHORT = 400
"""Longest answer, in characters, that can be a refusal in other words."""


def get_refusal_sentence(language: str, kind: str = ChatbotKind.GENERAL) -> str:
    """The fixed refusal of a kind of chatbot, or of SELECTION."""
    return REFUSAL_SENTENCES[kind][Language(language)]


def get_unsure_notice(language: str) -> str:
    """What is said beside the answer of a language model if no passage surely answers."""
    return _UNSURE[Language(language)]


def hurried_notice(language: str) -> str:
    """What is said beside an answer if so many waited that its passages were not read."""
    return _HURRIED[Language(language)]


def is_refusal(answer: str) -> bool:
    """Whether a model's answer is a refusal.

    It is if it is empty; if it has a fixed sentence, of any kind, language, formatting or case, and cites nothing
    beside it; or if it is short, cites nothing and says in other words that the sources do not answer. A fixed sentence
    beside cited text is a partial refusal, which stays an answer.
    """
    if not answer.strip():
        return True
    rest = _FIXED.sub(" ", answer)
    if _MARKERS.search(rest):
        return False
    return rest != answer or (len(answer) <= _SHORT and bool(_IN_OTHER_WORDS.search(_plain(answer))))


def is_partial_refusal(answer: str) -> bool:
    """Whether an answer contains a fixed refusal, for a part of the question."""
    return bool(_FIXED.search(answer))


def _build_pattern(sentence: str) -> str:
    """A pattern for a sentence in any formatting and punctuation, with the markers in and after it."""
    between = r"(?:[^\w\[]|_|\[\d{1,3}\])+"
    words = between.join(re.findall(r"\w+", sentence))
    return rf"\b{words}\b(?:[\s*_.!:)\"”»’]*\[\d{{1,3}}(?:\s*[,;]\s*\d{{1,3}})*\])*"


_FIXED = re.compile(
    "|".join(_build_pattern(text) for sentences in REFUSAL_SENTENCES.values() for text in sentences.values()),
    re.IGNORECASE,
)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`>#\"“”„«»]", " ", text.replace("’", "'")).split())


_EN = (
    r"sources?|passages?|documents?|selections?|texts?|textbooks?|excerpts?|context|materials?"
    r"|information (?:provided|given)"
)
_DE = r"Quellen?|Textstellen?|Passagen?|Dokumenten?|Texten?|Auszüge[n]?|Auswahl|Unterlagen|(?:Lehr|Schul)buche?s?"
_FR = r"sources?|passages?|documents?|textes?|extraits?|sélections?|manuels?"
_ES = r"fuentes?|pasajes?|documentos?|textos?|fragmentos?|selecci[oó]n|libros? de texto"
_IN_OTHER_WORDS = re.compile(
    # "The sources do not say", "None of the documents mention", "There is no information about … in the sources"
    rf"\b(?:{_EN})\b(?: \w+){{0,3}} (?:(?:do|does|did)(?: not|n't)|cannot) (?:\w+ )?"
    r"(?:answer|say|tell|mention|contain|provide|include|give|state|cover|address|specify|discuss|have)"
    rf"|\b(?:none|nothing|neither) (?:of|in) the (?:\w+ )?(?:{_EN})\b"
    rf"|\bthere is no (?:information|answer|mention)\b|\bnot (?:found|mentioned|stated|given) in the (?:\w+ )?(?:{_EN})"
    rf"|\bI (?:cannot|can't|could not|couldn't|am unable to|am not able to) (?:answer|find|tell)\b.*\b(?:{_EN})\b"
    # "Die Quellen enthalten keine …", "… geht aus den Quellen nicht hervor", "… steht nicht in den Quellen"
    rf"|\b(?:{_DE})\b(?: \w+){{0,2}} (?:enthalten|enthält|nennen|nennt|sagen|sagt|beantworten|beantwortet|erwähnen"
    r"|erwähnt|geben|gibt|machen)\b(?: \w+){0,4} (?:nicht|nichts|keine?n?)\b"
    rf"|\b(?:im|(?:in|aus) (?:den|der|dem|diesen)) (?:\w+ )?(?:{_DE})\b(?: \w+){{0,6}} (?:nicht|nichts|keine?n?)\b"
    rf"|\b(?:nicht|nichts|keine?n?)\b(?: \w+){{0,4}} (?:im|(?:in|aus) (?:den|der|dem|diesen)) (?:\w+ )?(?:{_DE})\b"
    # "Les sources ne répondent pas", "Aucun des documents"
    rf"|\b(?:{_FR})\b(?: \w+){{0,3}} (?:ne |n')\w+(?: \w+)? (?:pas|rien|aucune?)\b|\baucune? (?:des? )?(?:{_FR})\b"
    rf"|\bje ne (?:peux|trouve) pas\b.*\b(?:{_FR})\b"
    # "Las fuentes no dicen", "Ninguna de las fuentes", "No encuentro … en las fuentes"
    rf"|\b(?:{_ES})\b(?: \w+){{0,3}} no (?:\w+ )?(?:responden?|dicen?|mencionan?|contienen?|indican?|incluyen?|dan?)\b"
    rf"|\bningun[oa]? (?:de )?(?:l[oa]s )?(?:{_ES})\b|\bno (?:puedo|encuentro|hay)\b.*\b(?:{_ES})\b",
    re.IGNORECASE,
)
