"""Patterns of sentences that define, with how surely they do, in English, German, French and Spanish.

The groups are `term`, `det` (its article), `note` (in brackets after it) and `synonym`.
"""

from __future__ import annotations

import re

TERM = r"(?P<term>[^\W_][\w'’\-–]*(?:\s[\w'’\-–]+){0,6}?)"
NOTE = r"(?:\s\((?P<note>[^()]{1,60})\))?"


def _rules(*rules: tuple[float, str]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, re.compile(pattern.replace("TERM", TERM).replace("NOTE", NOTE))) for weight, pattern in rules)


_EN_OPENING = r"(?:(?:In|For|By|Expressed in) (?!this|these|our|the |other)[^,.;:]{3,30}, )?(?:The term [\"“]?)?"
_EN_START = rf"^{_EN_OPENING}(?:(?P<det>An?|The|Any|Every|One|a|an|the)\s)?TERM[\"”]?"
_EN_ALIAS = (
    r"(?:, (?:(?:also|sometimes|often|commonly) )?(?:called|known as|referred to as|or) (?:the |an? )?"
    r"(?P<synonym>[\w'’\- ]{3,40}?),?)?"
)
_EN_SUBJECT = _EN_START + _EN_ALIAS + r"NOTE(?:,\s?[^\s,]{1,6},)?(?:\sof an?\s\w+(?:\s\w+)?)?"
_EN_END = (
    r"(?=\s?[,.;:—(]|\s(?:and|because|when|since|if|in|or|for|where|which|that|after|by|to|of the)\b|"
    r"\s[^\W\d_][.,;]|$)"
)
_EN_OFTEN = r"(?:often |usually |commonly |generally |simply |therefore |what is )*"
_EN_MERELY = r"(?:simply |just |basically |actually |then |now |any |one of )*"
_EN_NO_NOUN = (
    r"(?!(?:not|called|known|given|shown|used|very|more|less|always|also|at|on|from|to|in|by|for|done|equal|important|"
    r"kept|made|held|found|seen|left|sold|built|paid|set|put|lost|told|thought|brought|taught|felt|sent|split|"
    r"\w+(?:ed|en|ing|ly|able|ible|al|ive|ous|ful|ant|ent|ic|less))\b)"
)
_EN_MASS_NOUN = (
    r"\w+(?:sion|tion|ment|ness|ance|ence|ture|sis|ism)|speed|energy|force|matter|heat|work|power|water|rock|time|light|"
    r"sound|electricity|air"
)
"""Nouns without an article that say what kind of thing something is: “Abrasion is erosion by stones”."""

_EN_SAYS = (
    "means(?! that)|refers to|(?:simply )?refers to|denotes|is when|occurs when|consists of|is made up of|"
    "describes|measures|"
    "states that|says that|is called|studies|considers|deals with|occurs in|opposes"
)
_EN_PEOPLE = "We|Physicists|Scientists|Biologists|Chemists|Mathematicians|Economists"
_EN = _rules(
    (3.0, _EN_SUBJECT + r"\s(?:is|are|can be|may be)\s(?:defined (?:as|to be|by)|the term)\b"),
    (3.0, rf"^(?:{_EN_PEOPLE}) (?:can )?(?:define|call)\s(?:the )?TERM\s(?:as|to be)\b"),
    (2.2, _EN_SUBJECT + rf"\s(?:is|are)\s{_EN_MERELY}(?:an?|the|any|one|two|those|how)\s"),
    (1.8, _EN_SUBJECT + rf",?\s(?:simply )?(?:{_EN_SAYS})\s"),
    (1.9, _EN_SUBJECT + rf"\sare\s{_EN_NO_NOUN}" + r"(?:[a-z-]+\s){1,3}?(?:that|in which|which|where|with|of|made)\s"),
    (
        1.9,
        _EN_SUBJECT + rf"\sis\s{_EN_MERELY}(?:{_EN_MASS_NOUN})\s(?:by|of|in|from|between|with|without|through|that)\s",
    ),
    (1.0, _EN_SUBJECT + rf"\s(?:is|are)\s{_EN_MERELY}{_EN_NO_NOUN}(?=\w)"),
    (
        2.0,
        rf"\b(?:is|are)\s{_EN_OFTEN}(?:called|known as|termed|referred to as|named)\s"
        rf"(?:an?\s|the\s|its\s)?TERM{_EN_END}",
    ),
    (
        0.0,
        _EN_START + r"NOTE\s(?:is|are)\s(?:also|sometimes)\s(?:called|known as|referred to as)\s(?:an?\s|the\s)?"
        r"(?P<synonym>[\w'’\- ]{3,40}?)(?=[,.;(]|$)",
    ),
    (1.3, r",\s(?:which (?:is|are) )?(?:called|known as|termed)\s(?:an?\s|the\s)?TERM" + _EN_END),
    (1.4, r"(?:^|,\s|\s)(?:an?\s|the\s)?TERM,\s(?:which|that) (?:is|are|means|refers to|describes|measures)\s"),
    (
        1.0,
        _EN_SUBJECT + r"\s(?:is|are)\s(?:characterized by|composed of|made (?:up )?of|used to|produced (?:by|when)|"
        r"caused by|formed (?:by|when|from))\s",
    ),
    (1.0, r"^(?:In|During) an?\sTERM,\s(?:the|an?|one|two|both|all|no)\s"),
    (2.0, r"^We call (?:the|an?)\s.{12,120}?\s(?:the|an?)\sTERM(?=[.,;]| because)"),
    (
        0.9,
        r"^(?!An? example|Examples?|One |Two ).{4,120}?\s(?:is|are)\s(?:an?\s|the\s)?TERM,\s(?:where|in which|which)\s",
    ),
    (0.4, r",\sor\s(?:the\s)?TERM\.$"),
    (0.4, r"^(?:The|An?)\s(?:(?!is\s|are\s|while\s)[^\s,]+\s){4,20}is\s(?:an?\s|the\s|its\s)TERM\.$"),
)
_DE_START = r"^(?:(?P<det>Ein|Eine|Der|Die|Das)\s)?TERM"
_DE_END = r"(?=\s?[,.;:(]|\s(?:und|oder|weil|wenn)\b|$)"
_DE_ALIAS = r"(?:,? (?:(?:auch|oft|kurz) )?(?P<synonym>[\w\- ]{3,40}?) genannt,?)?"
_DE = _rules(
    (3.0, r"^(?:Als|Mit)\s(?:(?:ein|eine|einen|der|die|das|dem)\s)?TERM\s(?:bezeichnet|nennt)\sman\b"),
    (3.0, r"^Unter\s(?:(?:eine[rmn]?|der|dem|den)\s)?TERM\sversteht\sman\b"),
    (2.2, _DE_START + _DE_ALIAS + r"NOTE\s(?:ist|sind)\s(?:definiert|ein(?:e[nrms]?)?|der|die|das|jede[rs]?)\b"),
    (
        1.8,
        _DE_START
        + _DE_ALIAS
        + r"NOTE\s(?:bezeichnet|bezeichnen|bedeutet|besagt,|besagen,|beschreibt|umfasst|gibt an)(?!\w)",
    ),
    (
        1.9,
        _DE_START + _DE_ALIAS + r"NOTE\s(?:ist|sind)\s(?:[a-zäöüß]+\s)?[A-ZÄÖÜ]\w+,\s"
        r"(?:der|die|das|dem|denen|deren|dessen|in|bei|mit|durch|an|auf|aus|wo)\s",
    ),
    (1.0, _DE_START + _DE_ALIAS + r"NOTE\s(?:ist|sind|besteht aus|bestehen aus)\s(?!nicht|auch|sehr|immer|in|an|zu)"),
    (2.0, r"\bnennt\sman\s(?:auch\s|daher\s)?(?:(?:das|die|den|der|eine?n?)\s)?TERM" + _DE_END),
    (2.0, r"\b(?:heißt|heißen)\s(?:auch\s|daher\s)?(?:(?:das|die|der|eine?)\s)?TERM" + _DE_END),
    (2.0, r"\b(?:wird|werden)\s(?:auch\s|oft\s)?(?:als\s)?(?:(?:das|die|der|eine?)\s)?TERM\s(?:bezeichnet|genannt)\b"),
)
_FR_ART = r"(?:(?:un|une|le|la|les|du|de la)\s|l['’]|de l['’])"
_FR_START = r"^(?:(?P<det>Une?\s|Le\s|La\s|Les\s|L['’]))?TERM"
_FR_END = r"(?=\s?[,.;:(]|\s(?:et|ou|car|quand|lorsque)\b|$)"
_FR_ALIAS = r"(?:,? (?:(?:aussi|également|parfois) )(?:appelée?s?|nommée?s?) (?P<synonym>[\w'’\- ]{3,40}?),?)?"
_FR = _rules(
    (3.0, rf"^On\s(?:appelle|nomme)\s{_FR_ART}?TERM\s(?=(?:une?|les?|la|tout\w*|ce|l['’])\b)"),
    (3.0, rf"^(?:On entend par|Par)\s{_FR_ART}?TERM,?\s(?:on entend\s)?(?=(?:une?|les?|la|l['’])\b)"),
    (3.0, _FR_START + _FR_ALIAS + r"NOTE\s(?:est|sont|se)\s(?:définie?s?|définit|définissent)\b"),
    (2.2, _FR_START + _FR_ALIAS + r"NOTE\s(?:est|sont)\s(?:(?:une?|les?|la|des|ce|celle|celui|tout\w*)\b|l['’])"),
    (1.8, _FR_START + _FR_ALIAS + r"NOTE\s(?:désigne|signifie|représente|correspond|consiste|décrit|comprend)\w*\b"),
    (1.0, _FR_START + _FR_ALIAS + r"NOTE\s(?:est|sont)\s(?!pas|très|aussi|dans|en|à|appel|nomm)"),
    (2.0, rf"\b(?:est|sont|s['’])\s?(?:aussi\s)?(?:appelle(?:nt)?|appelée?s?|nommée?s?)\s{_FR_ART}?TERM" + _FR_END),
    (1.5, rf"\b(?:qu['’]on|que l['’]on)\s(?:appelle|nomme)\s{_FR_ART}?TERM" + _FR_END),
)
_ES_ART = r"(?:(?:un|una|el|la|los|las)\s)"
_ES_START = r"^(?:(?P<det>Una?|El|La|Los|Las)\s)?TERM"
_ES_END = r"(?=\s?[,.;:(]|\s(?:y|o|porque|cuando)\b|$)"
_ES_ALIAS = (
    r"(?:,? (?:(?:también|a veces) )(?:llamad|conocid|denominad)[oa]s? (?:como )?(?P<synonym>[\w\- ]{3,40}?),?)?"
)
_ES = _rules(
    (
        3.0,
        rf"^Se\s(?:llama|denomina|conoce como|entiende por|define como)\s{_ES_ART}?TERM\s"
        r"(?=(?:a|al|el|la|los|las|una?|cuando|aquel\w*)\b)",
    ),
    (3.0, _ES_START + _ES_ALIAS + r"NOTE\sse\s(?:define|definen)\b"),
    (
        2.2,
        _ES_START + _ES_ALIAS + r"NOTE\s(?:es|son)\s(?:(?:una?|el|la|los|las|lo|aquel\w*|cualquier|cada|definid\w+)\b)",
    ),
    (
        1.8,
        _ES_START + _ES_ALIAS + r"NOTE\s(?:significa|designa|consiste en|se refiere a|describe|representa|comprende)\b",
    ),
    (1.9, _ES_START + _ES_ALIAS + r"NOTE\s(?:es|son)\s\w+\s(?:que|donde|en (?:el|la|los|las) que|con|de)\s"),
    (1.0, _ES_START + _ES_ALIAS + r"NOTE\s(?:es|son)\s(?!no|muy|también|en|a )"),
    (2.0, rf"\bse\s(?:le\s)?(?:llaman?|denominan?|conocen? como)\s{_ES_ART}?TERM" + _ES_END),
    (1.5, rf"\b(?:llamad|denominad)[oa]s?\s{_ES_ART}?TERM" + _ES_END),
)
PATTERNS = {"en": _EN, "de": _DE, "fr": _FR, "es": _ES}
