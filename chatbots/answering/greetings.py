"""One friendly line for a greeting, thanks or “Who are you?”, in the language of the words, that says what was read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatbots.answering.retrieval import WeightedSource, ask_sources
from chatbots.models import Language
from corpus.embedding.active_model import active_embedder

MAX_TITLES = 4
_MAX_LENGTH = 60

_MANNERS = {
    Language.ENGLISH: (
        r"hello|hi|hey|good (?:morning|afternoon|evening)(?: everyone| there)?",
        r"(?:many )?thanks(?: a lot| very much)?|thank you(?: very much| so much)?",
        r"(?:who|what) are you|what can you do|how can you help(?: me)?|how are you|bye|goodbye",
        (
            "Hello!",
            "You are welcome!",
            "I answer from what I have read: {titles}. What would you like to know?",
            "my sources",
        ),
    ),
    Language.GERMAN: (
        r"hallo|hi|hey|moin|servus|grü(?:ß|ss) gott|guten (?:morgen|tag|abend)",
        r"(?:vielen |herzlichen )?dank|danke(?: schön| sehr)?|dankeschön",
        r"wer bist du|wer sind (?-i:Sie)|was bist du|was kannst du|was können (?-i:Sie)|wie geht(?: e|['’])s(?: dir)?|"
        r"tschü(?:ss|ß)",
        (
            "Hallo!",
            "Gern geschehen!",
            "Ich antworte aus dem, was ich gelesen habe: {titles}. Was möchten Sie wissen?",
            "meine Quellen",
        ),
    ),
    Language.FRENCH: (
        r"bonjour|bonsoir|salut|coucou",
        r"merci(?: beaucoup| bien)?",
        r"qui (?:es[- ]tu|êtes[- ]vous)|tu es qui|que (?:peux[- ]tu|pouvez[- ]vous) faire|ça va|au revoir",
        (
            "Bonjour !",
            "Avec plaisir !",
            "Je réponds d’après ce que j’ai lu : {titles}. Que voulez-vous savoir ?",
            "mes sources",
        ),
    ),
    Language.SPANISH: (
        r"hola|buen[oa]s (?:d[íi]as|tardes|noches)",
        r"(?:muchas )?gracias",
        r"qui[ée]n eres|qui[ée]n es usted|qu[ée] eres|qu[ée] puedes hacer|c[óo]mo est[áa]s|adi[óo]s",
        ("¡Hola!", "¡De nada!", "Respondo con lo que he leído: {titles}. ¿Qué quiere saber?", "mis fuentes"),
    ),
}
"""By language what is a greeting, thanks and a question about the chatbot, and the replies to them."""


def reply_to_manners(question: str, sources: Sequence[WeightedSource], language: str) -> str:
    """Return the line; empty unless the question is nothing but such words. In doubt they are in `language`. `sources`
    are those that may be named."""
    words = " ".join(re.findall(r"[\w'’-]+", question))  # “Wer sind sie?” asks for others, “Wer sind Sie?” does not
    for code in (Language(language), *Language) if 0 < len(words) <= _MAX_LENGTH else ():
        greets, thanks, asks, (hello, welcome, line, unnamed) = _MANNERS[code]
        if re.fullmatch(rf"(?:(?:{greets}|{thanks}|{asks})(?: |$))+", words, re.IGNORECASE):
            first = welcome if re.search(rf"\b(?:{thanks})\b", words, re.IGNORECASE) else hello
            return f"{first} {line.format(titles=_name_what_was_read(sources) or unnamed)}"
    return ""


def _name_what_was_read(sources: Sequence[WeightedSource]) -> str:
    model = active_embedder().name
    found = ask_sources(sources, lambda source: source.named("", 4 * MAX_TITLES, model=model))
    titles = {f"“{one.document_title}”": None for named in found.values() if named for one in named.passages}
    whole = {one.source.kind.plural: None for i, one in enumerate(sources) if not found.get(i)}
    shown = [*titles, *whole]
    return ", ".join([*shown[:MAX_TITLES], *["…"][: len(shown) > MAX_TITLES]])
