"""What a question asks for, and which sentences have it: a name, a date, a number, a meaning.

For English, German, French and Spanish.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

AnswerType = Literal["name", "date", "number", "formula", ""]
"""What a question asks for. A name is that of a person or a place."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(patterns) + r")(?!\w)", re.IGNORECASE)


_DATE = _any(
    r"when",
    r"(?:what|which) (?:exact |calendar )?(?:year|date|day|month|century|decade|time|era|period)",
    r"wann|(?:welche[mnrs]?) (?:jahr|datum|tag|monat|jahrhundert|jahrzehnt)|wie ?viel uhr",
    r"quand|quelle? (?:année|date|jour|mois|siècle|heure)",
    r"cuándo|qué (?:año|fecha|día|mes|siglo|hora)",
)
_NUMBER = _any(
    r"how (?:many|much|long|old|high|far|strong|hot|cold|fast|deep|large|often|big|tall|wide|heavy|thick|warm|loud)",
    r"(?:what|which) (?:percent\w*|number|price|temperature|size|length|age|amount|share|fraction|proportion)",
    r"wie ?(?:viele?[rn]?|lange?|alt|hoch|weit|stark|heiß|warm|schnell|tief|groß|oft|teuer|schwer|breit|dick)",
    r"combien|quelle? (?:nombre|prix|température|taille|âge|vitesse|distance|pourcentage)",
    r"cuánt[oa]s?|qué (?:número|precio|temperatura|tamaño|edad|velocidad|porcentaje)",
)
_NAME = _any(
    r"who(?:m|se)?|where",
    r"(?:what|which) (?:person|man|woman|city|town|country|state|region|place|river|king|queen|company|university)",
    r"(?:what|which) (?:\w+ ){0,2}names?",
    r"wer|wen|wem|wessen|wo(?:hin|her)?",
    r"où|(?:^|(?<=à )|(?<=de )|(?<=par )|(?<=avec )|(?<=pour ))qui",
    r"quién(?:es)?|a?dónde",
)

_MONTHS = (
    "january february march april may june july august september october november december "
    "januar jänner februar märz mai juni juli oktober dezember "
    "janvier février mars avril juin juillet août septembre octobre novembre décembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday "
    "montags? dienstags? mittwochs? donnerstags? freitags? samstags? sonntags? "
    "lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo"
)
_HAS_DATE = _any(
    r"\d{3,4}s?",
    r"\d{1,2}[:.h]\d\d",
    r"\d{1,2}(?:st|nd|rd|th)?(?:\.|º|er)? (?:century|uhr|jahrhundert|siècle)",
    r"(?:century|siècle|siglo) [xvi\d]+",
    *_MONTHS.split(),
    *_DAYS.split(),
)
_HAS_NUMBER = _any(
    r"[\d½¼¾][\d.,:]*",
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundreds?|thousands?|"
    r"millions?|billions?|half|twice|(?<!at )once|dozens?|third|quarter|percent|per cent",
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend|halb\w*|\w+mal|prozent",
    r"deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille|moitié|fois",
    r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cien|mil|mitad|veces",
)
_FORMULA = _any(
    r"formulas?|formulae|equations?|calculat\w+|work(?:ing|ed)? out",
    r"formeln?|gleichung(?:en)?|berechne[nt]?|rechne[nt]? man|ausrechnen",
    r"formules?|équations?|calcul\w+",
    r"fórmulas?|ecuación|ecuaciones|calcul\w+",
)
_HAS_FORMULA = re.compile(
    r"[=×÷√→]|\b(?:divided by|multiplied by|times|geteilt durch|mal|divisé par|multiplié par)\b"
    r"|\bdividid[oa] (?:por|entre)\b",
    re.IGNORECASE,
)
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
_ASKS = _any(
    r"who(?:m|se)?|what(?:['’]?s)?|which|when|where",
    r"how (?:many|much|long|old|high|far|strong|hot|cold|fast|deep|large|often|big|tall|wide|heavy|thick|warm|loud)",
    r"wer|wen|wem|wessen|was|welche[mnrs]?|wann|wo(?:hin|her|mit|für|ran|durch)?|wie ?viele?",
    r"qui|que|quoi|quelle?s?|quand|où|combien",
    r"quién(?:es)?|qué|cuál(?:es)?|cuándo|a?dónde|cuánt[oa]s?",
)
_ALLOWS = _any(
    r"may|must|shall|should|ought to|(?:have|has|need|needs) to|allowed|permitted|forbidden",
    r"darf|dürfen|muss|müssen|soll(?:en|te)?|erlaubt|verboten",
    r"peu(?:t|vent)|doi(?:t|vent)|faut|autorisée?s?|interdite?s?",
    r"puede[ns]?|debe[ns]?|hay que|permitid[oa]s?|prohibid[oa]s?",
)
_COMPARES = _any(
    r"compare[ds]?|comparison|differences?|differ(?:s|ent)?|versus|vs|alike|in common|both|than|better|worse",
    r"vergleich\w*|unterschiede?|unterscheide\w*|beide[ns]?|besser|schlechter",
    r"comparez|comparer|différences?|diffère\w*|les deux|mieux|pire",
    r"compar[ae]r?|diferencias?|diferente|amb[oa]s|mejor|peor",
)
_LISTS = _any(
    r"list|name (?:all|the|two|three|four|five)|all (?:the|of)|what are (?:all )?the|which \w+s (?:are|were)",
    r"everything|steps|stages",
    r"liste|nenne|zähle|alle|welche \w+e[nr]? (?:sind|waren)|schritte|stufen",
    r"cite[rz]?|énumère[rz]?|tou(?:s|tes) les|quel(?:le)?s sont|étapes",
    r"enumera|nombra|tod[oa]s l[oa]s|cuáles son|pasos|etapas",
)
_QUESTION = re.compile(r"[^?？]*\w[^?？]*[?？]+")
_AND_ASKS = re.compile(
    r",?\s+(?:and|und|et|y)\s+(?=(?:what|when|where|which|who|why|how|was|wann|wo|welche[rsmn]?|wer|warum|wie|"
    r"que|quand|où|quelles?|quels?|qui|pourquoi|comment|combien|"
    r"qué|cuándo|dónde|cuáles|cuál|quién|por qué|cómo|cuánt[oa]s?)(?!\w))",
    re.IGNORECASE,
)
_POINTS = _any(
    "its?|they|them|their|he|him|his|she|her|this|that",
    "er|ihn|ihm|sie|ihr|seine?",
    "ils?|elles?|lui",
    "él|ell[oa]s?|su",
)
# A question word on its own asks at the beginning of a question or clause; elsewhere it may join two clauses.
_BARE = _any("when|wann|quand|cuándo|who(?:m|se)?|where|wer|wen|wem|wo|où|quién(?:es)?|a?dónde")
_ASKS_AFTER = re.compile(
    r"(?:^|[,;:.!?]|(?:^|\s)(?:and|or|by|from|since|until|to|with|for|of|und|oder|ab|bis|seit|von|an|mit|für|et|ou|depuis|"
    r"à|de|par|avec|pour|y|o|a|con|desde|hasta|para|is|was|are|were))\W*$",
    re.IGNORECASE,
)
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
    return bool(_ASKS.search(question)) and not (_ALLOWS.search(question) or _COMPARES.search(question))


def asks_for_list(question: str) -> bool:
    """Say whether a question asks for several things: “list all …”, “what are the …”, “the steps”."""
    return bool(_LISTS.search(question))


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
    patterns: dict[AnswerType, re.Pattern[str]] = {"formula": _FORMULA, "date": _DATE, "number": _NUMBER, "name": _NAME}
    found = [
        (match.start(), kind, match[0])
        for kind, pattern in patterns.items()
        for match in pattern.finditer(question)
        if not _BARE.fullmatch(match[0]) or _ASKS_AFTER.search(question, 0, match.start())
    ]
    _, kind, cue = min(found, default=(0, "", ""))
    words = frozenset(word.lower() for word in _WORD.findall(question))
    return ExpectedAnswer(kind, cue, words)
