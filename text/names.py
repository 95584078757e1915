"""Names of concepts: which words can be one, and by which key its variants are told to be the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from text.function_words import function_words
from text.languages import get_configuration
from text.stemming import stem
from text.words import LANGUAGES, read_words

Key = tuple[str, ...]
"""The words of a name without case, articles and plural; variants of one name share it."""

WORD = re.compile(r"[^\W_]+(?:[-‐–'’][^\W_]+)*")
MAX_WORDS = 6

_MONTHS = frozenset(month for code in LANGUAGES for month in read_words(code)["questions"]["months"])
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


def strip_article(name: str) -> str:
    """Return a name without an article before it, a symbol such as F or Fc after it, and signs around it."""
    return _SYMBOL.sub("", _ARTICLES.sub("", name.strip(" \"'“”„«».,;:!()[]")).strip())


def heading_names(heading: str) -> list[str]:
    """Return what a heading may be about: without numbering and verbs, and each side of an "and"."""
    whole = _HEADING_VERB.sub("", _NUMBERING.sub("", heading.strip())).strip(" ?:.")
    parts = re.split(r"\s*(?:,|;|:|\bvs?\.|\bversus\b|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|&)\s*", whole)
    return [strip_article(part) for part in dict.fromkeys([whole, *parts]) if part]


def make_name_key(name: str, language: str) -> Key:
    """Return the key of a name, () if it has no words."""
    plain = unicodedata.normalize("NFKC", strip_article(name))
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
    return stem(word, get_configuration(language))


def is_name(name: str, language: str) -> bool:
    """Say whether words can be the name of a concept: a noun or a short phrase around one, as far as words tell."""
    words = WORD.findall(name)
    if (
        not words
        or len(words) > MAX_WORDS
        or not re.fullmatch(r"[^\W_].*[^\W_]", name)
        or re.search(r"[$=+<>|,;/\\]", name)
    ):
        return False
    lower = [word.casefold() for word in words]
    little, known = function_words(language), read_words(language)["names"]
    links, generic = known["links"] if language[:2] in LANGUAGES else (), known["generic"]
    if lower[0] in little or lower[-1] in little or any(word in little and word not in links for word in lower[1:-1]):
        return False
    if any(len(word) == 1 for word in words if word.casefold() not in links) or sum(map(str.isalpha, name)) < 3:
        return False
    if any(map(str.isdigit, name)) and any(word in _MONTHS for word in lower):
        return False  # a date
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
        return re.sub("ion$", "ión", word[:-2])
    return word[:-1] if len(word) > 3 and word.endswith(("s", "x")) and not word.endswith("ss") else word
