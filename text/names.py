"""Names of concepts: which words can be one, and by which key its variants are told to be the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from text.function_words import function_words
from text.languages import configuration_of
from text.stemming import stem

Key = tuple[str, ...]
"""The words of a name without case, articles and plural; variants of one name share it."""

WORD = re.compile(r"[^\W_]+(?:[-‐–'’][^\W_]+)*")
MOST_WORDS = 6

_LINKS = {
    "en": {"of", "in", "for", "to", "at", "by", "per", "as"},
    "de": {"der", "des", "von", "im", "zur", "zum", "für", "mit"},
    "fr": {"de", "du", "des", "d", "à", "en", "l", "la", "par", "le"},
    "es": {"de", "del", "la", "las", "los", "en", "por", "el"},
}
_GENERIC = {
    "en": """
    example figure table problem step section chapter module unit equation formula value result number thing way case
    part
    object point reason question answer goal purpose idea concept term word definition difference side kind type
    form process system method amount quantity set group list line lot fact use role place time level change effect
    cause
    solution image picture diagram video box note tip student teacher class book people person man woman car ball
    world life day year second minute hour name symbol sign letter introduction summary overview conclusion review
    background history importance application applications basics fundamentals today future information data property
    properties characteristic characteristics feature features advantage disadvantage rest total sum order
    key main important first second third last next new old good great small large big long short high low common basic
    simple general special different several certain possible real same other more most less many much one two three
    four
    five six seven eight nine ten following previous above below best better full whole right left true false only final
    initial early late top bottom model direction action situation condition experiment activity study learning
    discussion analysis strategy check up down tool something anything nothing everything everyone someone
    """,
    "de": """
    beispiel abbildung tabelle aufgabe schritt abschnitt kapitel modul einheit gleichung formel wert ergebnis zahl ding
    art weise fall teil objekt punkt grund frage antwort ziel zweck idee begriff wort definition unterschied seite typ
    form vorgang methode menge gruppe liste linie tatsache rolle ort zeit wirkung ursache lösung bild schüler lehrer
    klasse buch mensch menschen mann frau welt leben tag jahr name zeichen buchstabe einleitung einführung
    zusammenfassung überblick fazit hintergrund geschichte bedeutung anwendung grundlagen eigenschaft eigenschaften
    merkmal merkmale vorteil nachteil rest summe wichtig erste zweite dritte letzte nächste neu alt gut groß klein
    ein zwei drei vier fünf allgemeines sonstiges folge aufbau
    """,
    "fr": """
    exemple figure tableau problème étape section chapitre module unité équation formule valeur résultat nombre chose
    façon cas partie objet point raison question réponse but idée concept terme mot définition différence côté type
    forme
    processus système méthode quantité groupe liste ligne fait rôle lieu temps effet cause solution image élève
    enseignant classe livre homme femme monde vie jour année nom symbole signe lettre introduction résumé conclusion
    histoire importance application bases propriété propriétés caractéristique caractéristiques avantage ensemble
    premier
    première deuxième dernier nouveau grand petit un deux trois généralités
    """,
    "es": """
    ejemplo figura tabla problema paso sección capítulo módulo unidad ecuación fórmula valor resultado número cosa
    manera
    caso parte objeto punto razón pregunta respuesta objetivo idea concepto término palabra definición diferencia lado
    tipo forma proceso sistema método cantidad grupo lista línea hecho papel lugar tiempo efecto causa solución imagen
    alumno profesor clase libro hombre mujer mundo vida día año nombre símbolo signo letra introducción resumen
    conclusión historia importancia aplicación bases propiedad propiedades característica características ventaja
    conjunto primero primera segundo último nuevo grande pequeño uno dos tres generalidades
    """,
}
_ARTICLES = re.compile(
    r"^(?:the|an?|any|der|die|das|dem|den|des|eine?[rnms]?|les?|la|une?|l['’]|d['’]|el|los|las|un[ao]?|"
    r"lo)\s*(?<=[\s'’])",
    re.IGNORECASE,
)
_SYMBOL = re.compile(r"(?<=[a-z])\s[A-Z][a-z0]?$")
_HEADING_VERB = re.compile(
    r"^(?:defining|understanding|calculating|introducing|describing|exploring|measuring|representing|graphing|"
    r"introduction to|overview of|concepts related to|properties of|types of|examples of|what (?:is|are)|the role of|"
    r"calculations? (?:involving|related to|based on)|"
    r"was (?:ist|sind)|einführung in|arten von|grundlagen der|qu['’]est-ce qu(?:e|['’])|introduction à|"
    r"qué (?:es|son)|¿qué (?:es|son)|introducción a|tipos de)\s+(?:(?:the|an?|die|der|das|une?|l[ae]|el)\s+)?",
    re.IGNORECASE,
)
_NUMBERING = re.compile(
    r"^(?:(?:module|chapter|section|unit|part|lesson|kapitel|abschnitt|teil|chapitre|partie|capítulo|unidad|parte|tema|"
    r"leçon)\s+[\divxlc]+|§?\s*\d+(?:\.\d+)*|[ivxlc]+)\s*[.:)–—-]?\s+",
    re.IGNORECASE,
)


def without_article(name: str) -> str:
    """Return a name without an article before it, a symbol such as F or Fc after it, and signs around it."""
    return _SYMBOL.sub("", _ARTICLES.sub("", name.strip(" \"'“”„«».,;:!()[]")).strip())


def heading_names(heading: str) -> list[str]:
    """Return what a heading may be about: without numbering and verbs, and each side of an "and"."""
    whole = _HEADING_VERB.sub("", _NUMBERING.sub("", heading.strip())).strip(" ?:.")
    parts = re.split(r"\s*(?:,|;|:|\bvs?\.|\bversus\b|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|&)\s*", whole)
    return [without_article(part) for part in dict.fromkeys([whole, *parts]) if part]


def key_of(name: str, language: str) -> Key:
    """Return the key of a name, () if it has no words."""
    plain = unicodedata.normalize("NFKC", without_article(name))
    return tuple(word_key(word, language) for word in WORD.findall(plain))


@lru_cache(maxsize=200_000)
def word_key(word: str, language: str) -> str:
    """Return a word without case and plural, with plain hyphens and apostrophes; the stem in German."""
    word = word.casefold().translate(str.maketrans("‐–’", "--'")).removesuffix("'")
    language = language[:2]
    if language == "en":
        return _singular_english(word)
    if language in ("fr", "es"):
        word = re.sub(r"^(?:l|d|qu)'", "", word)
        return _singular_romance(word, language)
    return stem(word, configuration_of(language))


def is_name(name: str, language: str) -> bool:
    """Say whether words can be the name of a concept: a noun or a short phrase around one, as far as words tell."""
    words = WORD.findall(name)
    if (
        not words
        or len(words) > MOST_WORDS
        or not re.fullmatch(r"[^\W_].*[^\W_]", name)
        or re.search(r"[$=+<>|,;/\\]", name)
    ):
        return False
    lower = [word.casefold() for word in words]
    little, links, generic = function_words(language), _LINKS.get(language[:2], set()), _generic(language)
    if lower[0] in little or lower[-1] in little or any(word in little and word not in links for word in lower[1:-1]):
        return False
    if any(len(word) == 1 for word in words if word.casefold() not in links) or sum(map(str.isalpha, name)) < 3:
        return False
    if words[0][0].isdigit() or all(word in generic or word in little for word in map(_stripped(language), lower)):
        return False
    content = [word for word in lower if word not in little]
    before_link = next((one for one, link in pairwise(lower) if link in little), content[-1])
    if any(_stripped(language)(word) in _LABELS for word in (content[0], before_link, content[-1])):
        return False
    owned = any(re.search(r"['’]s?$", word) and word[0].islower() for word in words)
    is_participle = len(words) == 1 and len(words[0]) > 5 and lower[0].endswith("ed")
    return not (language.startswith("en") and (owned or is_participle or lower[0].endswith("ly")))


_LABELS = frozenset(
    """
    example figure table step section chapter module way thing reason question answer other another first second third
    following previous different several certain important new main many most more best such same two three four five
    six
    case goal purpose lot key aspect meaning problem advantage disadvantage benefit issue result majority importance
    article essay author distinction typical major greatest largest controversial
    beispiel abbildung tabelle schritt abschnitt kapitel grund frage antwort unit formula symbol einheit formel
    formelzeichen unité formule unidad fórmula
    exemple tableau étape chapitre raison question réponse ejemplo tabla paso capítulo razón pregunta respuesta
    """.split()  # noqa: SIM905
)


@lru_cache
def _generic(language: str) -> frozenset[str]:
    return frozenset(_GENERIC.get(language[:2], _GENERIC["en"]).split())


def _stripped(language: str) -> Callable[[str], str]:
    return (lambda word: word) if language.startswith("de") else (lambda word: word_key(word, language))


def _singular_english(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ics", "'s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _singular_romance(word: str, language: str) -> str:
    if language == "fr" and word.endswith("aux") and len(word) > 4:
        return f"{word[:-3]}al"
    if language == "es" and len(word) > 4 and word.endswith("es") and word[-3] in "lnrdzj":
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith(("s", "x")) and not word.endswith("ss") else word
