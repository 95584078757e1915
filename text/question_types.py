"""What a question asks for, and which sentences have it: a name, a date, a number, a meaning.

For English, German, French and Spanish.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from text.function_words import function_words
from text.words import LANGUAGES, join_patterns, read_words

AnswerType = Literal["name", "date", "number", "formula", "unit", "reason", ""]
"""What a question asks for. A name is that of a person or a place, a unit one in which something is measured."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(patterns) + r")(?!\w)", re.IGNORECASE)


_TERM = r"(?P<term>[^\W\d_][\w’'-]*+(?: [^\W\d_][\w’'-]*+){0,2})"  # up to three words
_DATE = _any(join_patterns("questions", "date"))
_NUMBER = _any(join_patterns("questions", "number"))
_NAME = _any(join_patterns("questions", "name"))

_HAS_DATE = _any(
    r"\d{3,4}s?",
    r"\d{1,2}(?:[:.]| ?h ?)\d\d",
    r"\d{1,2}(?:st|nd|rd|th)?(?:\.|º|er)? (?:century|uhr|jahrhundert|siècle)",
    r"(?:century|siècle|siglo) [xvi\d]+",
    join_patterns("questions", "months"),
    join_patterns("questions", "days"),
)
_HAS_NUMBER = _any(r"[\d½¼¾][\d.,:]*", join_patterns("questions", "has_number"))
_FORMULA = _any(join_patterns("questions", "formula"))
_HAS_FORMULA = re.compile(
    r"[=×÷√→]|\b(?:divided by|multiplied by|times|geteilt durch|mal|divisé par|multiplié par)\b"
    r"|\bdividid[oa] (?:por|entre)\b",
    re.IGNORECASE,
)
_UNIT = _any(join_patterns("questions", "unit"))
_HAS_UNIT = _any(r"in \w+(?: \w+){0,2} \([^()\s]{1,6}\)", join_patterns("questions", "has_unit"))
_REASON = _any(join_patterns("questions", "reason"))
_HAS_REASON = _any(join_patterns("questions", "has_reason"))
_HAS_EFFECT = _any(join_patterns("questions", "has_effect"))
_TRUTH = _any(join_patterns("questions", "truth"))
_WHETHER = re.compile(
    r"(?:^|[.,;:!?–-]\s*|\b(?:and|but|so|if|or|und|aber|wenn|et|mais|si|y|pero)\s+)[¿\s]*(?:"
    r"(?:is|are|am|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)(?:n['’]t)?\s+"
    r"(?:i|we|you|he|she|it|they|there|anyone|everyone|the|an?|my|our|your|his|her|their|this|that|these|those|any"
    r"|all|every|some|no|\w+s)\b"
    r"|(?:darf|dürfen|muss|müssen|kann|können|soll|sollen|ist|sind|war|waren|hat|haben|wird|werden|gibt)\s"
    r"|est-ce qu|(?:peut|peuvent|doit|doivent|faut|est|sont|a|ont)-(?:on|il|elle|ils|elles|je|nous|vous)\b"
    r"|(?:puede[ns]?|puedo|podemos|debe[ns]?|debo|debemos|hay que|es|son|está[n]?)\s)"
    r"|\b(?:allowed to|is it (?:ok|okay|allowed|possible|true)|ok(?:ay)? to)\b",
    re.IGNORECASE,
)
_ASKS = _any(join_patterns("questions", "asks"))
_ALLOWS = _any(join_patterns("questions", "allows"))
_COMPARES = _any(join_patterns("questions", "compares"))
PRONOUN = re.compile(
    r"(?:it|its|they|their|he|his|she|her|this|these|such|both|"
    r"er|sie|es|ihre?|seine?|dies(?:e[rs]?)?|beide|"
    r"il|elle|ils|elles|ce|cela|ces|celui-ci|celle-ci|son|sa|ses|leurs?|"
    r"él|ella|ellos|ellas|esto|este|esta|estos|estas|su|sus)\b",
    re.IGNORECASE,
)
"""What a sentence begins with that speaks of what the one before names."""
_SUBJECT = re.compile(r"i|we|you|people|ich|wir|du|man|je|nous|vous|on|tu|yo|nosotr[oa]s", re.IGNORECASE)
_WEIGHS = _any(join_patterns("questions", "weighs"))
_LISTS = _any(join_patterns("questions", "lists"))
_QUESTION = re.compile(r"[^?？]*\w[^?？]*[?？]+")
_AND_ASKS = re.compile(
    r",?\s+(?:and|und|et|y)\s+(?=(?:what|when|where|which|who|why|how|was|wann|wo|welche[rsmn]?|wer|warum|wie|"
    r"que|quand|où|quelles?|quels?|qui|pourquoi|comment|combien|"
    r"qué|cuándo|dónde|cuáles|cuál|quién|por qué|cómo|cuánt[oa]s?)(?!\w))",
    re.IGNORECASE,
)
_POINTS = _any(join_patterns("questions", "points"))
# A question word on its own asks at the beginning of a question or clause; elsewhere it may join two clauses.
_BARE = _any("when|wann|quand|cuándo|who(?:m|se)?|where|wer|wen|wem|wo|où|quién(?:es)?|a?dónde")
_ASKS_AFTER = re.compile(
    r"(?:^|[,;:.!?]|(?:^|\s)(?:and|or|by|from|since|until|to|with|for|of|und|oder|ab|bis|seit|von|an|mit|für|et|ou|depuis|"
    r"à|de|par|avec|pour|y|o|a|con|desde|hasta|para|is|was|are|were))\W*$",
    re.IGNORECASE,
)


def _compile_terms(name: str) -> list[re.Pattern[str]]:
    """Return what is asked of a thing, in all languages."""
    kind = _TERM.replace("<term>", "<kind>")
    patterns = (one for code in LANGUAGES for one in read_words(code)["questions"][name])
    filled = (one.replace("TERM", _TERM).replace("KIND", kind) for one in patterns)
    return [re.compile(rf"\W*(?:{one})\W*", re.IGNORECASE) for one in filled]


_MEANINGS, _CLASSES = _compile_terms("meanings"), _compile_terms("classes")
_NO_TERM = frozenset[str]().union(*(read_words(code)["function_words"] for code in LANGUAGES))
_WORD = re.compile(r"[^\W_](?:[^\W_]|[’'.-](?=[^\W_]))*")
_CAPITAL = re.compile(r"(?<![^\W_])[^\W\d_a-zà-öø-ÿ](?:[^\W_]|[’'.-](?=[^\W_]))*")
_BEGINS = re.compile(r"(?:^|[.!?:|•*“\"])\s*$")


@dataclass(frozen=True)
class ExpectedAnswer:
    """What a question asks for, the words that say so (“how many”), and all its words in lower case."""

    type: AnswerType
    cue: str
    words: frozenset[str]

    def is_in(self, sentence: str, language: str) -> bool:
        """Return whether a sentence has something of this type that the question itself does not have."""
        match self.type:
            case "date":
                return self._has(_HAS_DATE, sentence)
            case "number":
                return self._has(_HAS_NUMBER, sentence)
            case "name":
                return self._has_name(sentence, language)
            case "formula":
                return bool(_HAS_FORMULA.search(sentence))
            case "unit":
                return bool(_HAS_UNIT.search(sentence))
            case "reason":
                return bool(_HAS_REASON.search(sentence) or _HAS_EFFECT.search(sentence))
        return False

    def _has(self, pattern: re.Pattern[str], sentence: str) -> bool:
        return any(match[0].lower() not in self.words for match in pattern.finditer(sentence))

    def _has_name(self, sentence: str, language: str) -> bool:
        """Look for a capitalised word within the sentence; in German, where nouns are, for two in a row."""
        names = [
            match
            for match in _CAPITAL.finditer(sentence)
            if match[0].lower() not in self.words and not _BEGINS.search(sentence, 0, match.start())
        ]
        if not language.startswith("de"):
            return bool(names)
        return any(sentence[one.end() : other.start()] == " " for one, other in pairwise(names))


def asks_whether(question: str) -> bool:
    """Say whether a question can be answered with yes or no: whether something is so, or is allowed."""
    return bool(_WHETHER.search(question))


def asks_for_rule(question: str) -> bool:
    """Say whether a question asks what may or must be done, or whether something is so."""
    return asks_whether(question) or bool(_ALLOWS.search(question))


def is_settled_by_a_span(question: str) -> bool:
    """Say whether a few words of a text in a row can answer a question.

    Not where there is no question word, where a reason, a way, yes or no, a rule or a comparison is asked for, or where
    a question is joined with those before it: there what a reader finds confirms, but its silence proves nothing.
    """
    if asks_whether(question) or " / " in question:
        return False
    return bool(_ASKS.search(question)) and not (weighs(question) or _ALLOWS.search(question))


def weighs(question: str) -> bool:
    """Say whether a question compares things: which is better, or what they have in common."""
    return bool(_COMPARES.search(question) or _WEIGHS.search(question))


def find_comparison(question: str) -> str:
    """Return the word by which a question asks for a comparison, such as “difference”, "" if it asks for none."""
    found = _COMPARES.search(question)
    return found[0] if found else ""


def find_list_request(question: str) -> str:
    """Return the words by which a question asks for several things: “list …”, “what are the …”, “steps”; "" if none."""
    return " ".join(found[0] for found in _LISTS.finditer(question))


def asks_for_meaning(question: str) -> bool:
    """Say whether a question asks what a thing is, or means, that it names in up to three words: “What is a lever?”"""
    return bool(find_asked_term(question))


def find_asked_term(question: str) -> str:
    """Return the thing of up to three words whose meaning a question asks for, "" if it asks for none."""
    return _find_term(_MEANINGS, question)


def find_classified(question: str) -> str:
    """Return the thing of which a question asks whether it is one of a kind: “Is momentum a vector?”, "" if none."""
    return _find_term(_CLASSES, question)


def _find_term(patterns: Sequence[re.Pattern[str]], question: str) -> str:
    terms = (match["term"] for pattern in patterns if (match := pattern.fullmatch(question)))
    return next((term for term in terms if _NO_TERM.isdisjoint(re.findall(r"[^\W_]+", term.lower()))), "")


def find_explained(sentence: str) -> list[str]:
    """Return the parts of a sentence that it gives reasons for: before “because …” and after “so” and “causes”, or all
    of it where nothing, or a pronoun, stands there."""
    parts = [sentence[: one.start()] for one in _HAS_REASON.finditer(sentence)]
    parts += [sentence[one.end() :] for one in _HAS_EFFECT.finditer(sentence)]
    return [sentence if not re.search(r"\w", one) or PRONOUN.match(one.strip()) else one for one in parts]


def is_pronoun(word: str) -> bool:
    """Say whether a word is a pronoun that may be a subject."""
    return _SUBJECT.fullmatch(word) is not None or PRONOUN.fullmatch(word) is not None


def may_be_verb(word: str, language: str) -> bool:
    """Say whether the word after a subject may be its verb, by its ending: in “the lever part” it is none."""
    endings = {"en": ("s", "ed"), "de": ("t", "en", "te")}.get(language[:2], ("",))
    return not word.isalpha() or word.lower() in function_words(language) or word.endswith(endings)


def split_questions(question: str) -> list[str]:
    """Return the questions that are asked at once: "Where …? When …?", or "Where …, and when …?"."""
    parts = [part.strip() for part in _QUESTION.findall(question) if len(part.split()) > 1] or [question]
    if len(parts) > 1:
        return parts
    clauses = _AND_ASKS.split(question)
    is_each_whole = all(len(one.split()) > 2 for one in clauses) and not any(map(_POINTS.search, clauses[1:]))
    return clauses if is_each_whole else parts


def expected_answer(question: str) -> ExpectedAnswer:
    """Return what a question asks for, by its first question word."""
    patterns: dict[AnswerType, re.Pattern[str]] = {
        "formula": _FORMULA,
        "date": _DATE,
        "number": _NUMBER,
        "name": _NAME,
        "unit": _UNIT,
        "reason": _REASON,
        "": _TRUTH,
    }
    found = [
        (match.start(), kind, match[0])
        for kind, pattern in patterns.items()
        for match in pattern.finditer(question)
        if not _BARE.fullmatch(match[0]) or _ASKS_AFTER.search(question, 0, match.start())
    ]
    _, kind, cue = min(found, default=(0, "", ""))
    words = frozenset(word.lower() for word in _WORD.findall(question))
    return ExpectedAnswer(kind, cue, words)
