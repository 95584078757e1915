"""Questions that ask for a summary: “Summarise the chapter on rivers”, “Worum geht es in …?”."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OF = r"(?P<of>.*)"
_ASKED = r"(?:please,? |pls |(?:can|could|would|will) you (?:please )?|i (?:want|need|would like) )?"
_ORDERS = (
    rf"{_ASKED}tell (?:me|us) the (?:whole )?story of {_OF}",
    rf"{_ASKED}(?:summari[sz]e|sum up|recap|condense|tl;?dr)(?: of\b)?:?\s*{_OF}",
    rf"{_ASKED}sum {_OF} up",
    rf"{_ASKED}(?:(?:give|write|make|show|get|create) (?:me |us )?)?(?:(?:an?|the) )?(?:[\w-]+ ){{0,2}}?"
    rf"(?:summary|overview|synopsis|recap)(?: (?:of|on|about|for|from)\b)?{_OF}",
    r"(?:(?:what (?:are|is) )?the )?(?:main|key|central|most important)"
    r" (?:points?|ideas?|messages?|things?|takeaways?|topics?)"
    rf"(?: (?:of|in|from|about)\b)?{_OF}",
    rf"(?:bitte )?fass(?:e|t|en sie)? (?:bitte |mir |uns )*{_OF} zusammen",
    rf"(?:kannst du|können sie|könntest du) (?:bitte |mir |uns )*{_OF} zusammenfassen",
    r"(?:bitte )?(?:(?:gib|geben sie|schreibe?|mache?) (?:mir |uns )?)?(?:(?:eine[nr]?|die|den) )?(?:\w+ )?"
    rf"(?:zusammenfassung|überblick)(?: (?:von|vom|über|zu|zum|zur|des|der)\b)?{_OF}",
    r"was sind die (?:wichtigsten|zentralen) (?:punkte|aussagen|gedanken|themen)"
    rf"(?: (?:von|vom|in|im|des|der|aus)\b)?{_OF}",
    rf"(?:peux-tu |pouvez-vous |tu peux )?résume[rz]?(?:-moi|-nous)? {_OF}",
    r"(?:(?:fais|faites|donne|donnez|écris|écrivez)(?:-moi|-nous)? )?(?:un|le) (?:\w+ )?résumé"
    rf" (?:de |du |des |d['’]){_OF}",
    r"quel(?:le)?s sont les (?:principaux |principales )?(?:points|idées)"
    rf"(?: (?:essentiels|principaux|principales|clés))? (?:de |du |des |d['’]){_OF}",
    rf"(?:puedes |podrías |puede )?resum(?:e|a|ir|en)(?:me|nos)? {_OF}",
    rf"(?:(?:haz|haga|dame|deme|escribe)(?:me|nos)? )?(?:un|el) (?:\w+ )?resumen (?:de |del |sobre ){_OF}",
    rf"cuáles son (?:los puntos|las ideas) (?:principales|más importantes) (?:de |del ){_OF}",
)
_MAY_ASK = (
    rf"{_ASKED}tell (?:me|us) (?:about|all about|everything about) {_OF}",
    r"(?:.*\b)?(?P<of>(?:lesson|chapter|section|unit|module|lektion|kapitel) \d+)\b.*\bwhat['’ ]i?s it about"
    r"(?: in short)?",
    rf"what(?: is|['’]s| are) {_OF} about",
    rf"what (?:do|does) {_OF} (?:say|cover|deal with|tell us)",
    rf"(?:worum geht es|wovon handel[nt]) (?:(?:in|im|bei|beim) )?{_OF}",
    rf"de quoi (?:parle|traite)(?:nt)? {_OF}",
    rf"de quoi s['’]agit-il dans {_OF}",
    rf"de qué tratan? {_OF}",
)
_LIMITS = re.compile(
    r"[\s,]*\b(?:in (?:\w+ ){1,3}(?:sentences?|words?|points?|lines?|paragraphs?)|in (?:simple|plain|short)(?: words)?"
    r"|for (?:me|us|my (?:\w+ )?\w+|an? (?:\w+ )?\w+|pupils|students|beginners|parents)"
    r"|briefly|shortly|in short|please|pls|bitte|kurz"
    r"|in (?:\w+ )?sätzen"
    r"|s['’]il (?:te|vous) plaît|en (?:\w+ )?(?:phrases|frases)|por favor)\s*$",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?:it|this|that|them|these|those|(?:your|the|that|this) (?:last )?answer|what you (?:just )?said|es|das|dies"
    r"|(?:deine|die|diese) antwort|ça|cela|ceci|(?:ta|cette|la) réponse|esto|eso|(?:tu|la|esta) respuesta|)",
    re.IGNORECASE,
)
_PARTS = """
document documents file files text texts chapter chapters section sections unit lesson book textbook note notes part
page pages source sources material materials everything all
dokument dokumente dokuments dokumenten datei texte textes kapitel kapitels abschnitt abschnitts abschnitte lektion buch
lehrbuch buchs seite quelle quellen unterlagen alles
fichier chapitre leçon livre manuel cours tout
documento documentos archivo texto textos capítulo sección lección libro página fuentes apuntes todo
"""
_SMALL = """
the a an this that these those my our your of on about in from for titled called named with entitled
der die das den dem des ein eine einen einer dieser diese dieses diesen mein meine unsere über zu zum zur von vom im mit
le la les l un une ce cet cette ces mon ma mes sur de du d
el los las una este esta estos mi mis sobre del
"""
_ONLY_PARTS, _ONLY_SMALL = frozenset(_PARTS.split()), frozenset(_SMALL.split())


@dataclass(frozen=True)
class SummaryRequest:
    """What is to be summarised, as it was written; empty for everything.

    `is_certain` is False for questions such as “What is X about?”, which ask for a summary only if X is a text.
    `refers_back` says that it is what was said before: “Summarise it”.
    """

    of: str
    is_certain: bool = True
    refers_back: bool = False

    @property
    def names_part(self) -> bool:
        """Whether it calls a text so: “the chapter on rivers”."""
        return not _ONLY_PARTS.isdisjoint(self.of.lower().split())

    @property
    def name(self) -> str:
        """The words that name a text, without those that every text has: “rivers” for “the chapter on rivers”."""
        words = re.findall(r"[^\s\"“”„«»'’,;:()]+", self.of)
        kept = [word for word in words if word.lower() not in _ONLY_SMALL]
        named = [word for i, word in enumerate(kept) if word.lower() not in _ONLY_PARTS or _is_numbered(kept, i)]
        return " ".join(named)


def summary_request(question: str) -> SummaryRequest | None:
    """Return what a question in English, German, French or Spanish asks to be summarised; None if it does not.

    The rules are patterns of whole requests, so that a question about summaries is none.
    """
    text = " ".join(question.split()).strip(" ¿¡?!.")
    if not text or len(text) > 300 or re.search(r"[.!?] \S", text):
        return None
    for patterns, is_certain in ((_COMPILED_ORDERS, True), (_COMPILED_MAY_ASK, False)):
        for pattern in patterns:
            if found := pattern.fullmatch(text):
                of = _without_limits(found["of"].strip(" :,"))
                return SummaryRequest(of, is_certain, refers_back=bool(_BACK.fullmatch(of)))
    return None


def _without_limits(of: str) -> str:
    """Leave out “what happens in”, how long and for whom the summary is to be, and “, I have to cover it”."""
    of = re.sub(r"^what (?:happens|happened|is said|we did|we do) (?:in|at|during) ", "", of, flags=re.IGNORECASE)
    of = re.sub(r",\s+(?:i|we|ich|wir|je|nous|yo)\b.*", "", of, flags=re.IGNORECASE)
    while (shorter := _LIMITS.sub("", of)) != of:
        of = shorter
    return of


def _is_numbered(words: list[str], place: int) -> bool:
    """Whether a number follows, so that “chapter 3” stays whole."""
    return any(character.isdigit() for word in words[place + 1 : place + 2] for character in word)


_COMPILED_ORDERS = [re.compile(pattern, re.IGNORECASE) for pattern in _ORDERS]
_COMPILED_MAY_ASK = [re.compile(pattern, re.IGNORECASE) for pattern in _MAY_ASK]
