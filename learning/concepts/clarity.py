"""How clearly a sentence tells what something is: what kind of thing, and what sets it apart from others."""

from __future__ import annotations

import re

_GOOD_LENGTH = (8, 32)
_OTHER_LENGTH, _WITH_FORMULA, _TALKATIVE, _VAGUE, _APART = 0.85, 0.6, 0.6, 0.25, 1.2

_FORMULA = re.compile(r"\$[^$]{4,}\$|\s[=≈∝]\s|\*")
_SAYS_LITTLE = re.compile(
    r"\b(?:one of (?:the|many|several)\b|(?:most|very|more|less|quite|also|not|only) \w+|"
    r"(?:an?|the) (?:\w+ )?(?:useful|important|key|reverse|opposite|special|good|simple|great|common|"
    r"interesting|essential|major|"
    r"crucial|"
    r"different|similar|same|next|first|second|third|best|main|central|basic|fundamental) "
    r"(?:\w+ )?(?:concept|idea|tool|topic|part|example|step|quantity|way|thing|role|case|aspect|term|process|"
    r"problem|one|unit)s?\b|"
    r"the same\b|(?:an?|the) (?:\w+ )?(?:vector|scalar|vector quantity|scalar quantity)(?: (?:and|because|since)|[.,])|"
    r"(?:an?|the) \w+ (?:version|analog|analogue|equivalent|counterpart|opposite) of|"
    r"(?:an?|the) (?:analog|analogue|example|reason|basis|foundation|subject|focus|topic|answer|name|symbol|"
    r"case) (?:of|for)|"
    r"(?:largest|biggest|fastest|greatest|oldest|best)\b|"
    r"(?:now )?(?:an?|the) (?:\w+ )?part of\b|"
    r"(?:one|two|three) (?:thing|way|example|reason)s?|"
    r"(?:eine?[rs]? der (?:wichtigsten|bekanntesten|häufigsten|größten)|sehr|wichtig|nicht|ein wichtige[rs]?)\b|"
    r"(?:une? des|l['’]une? des|très|important|pas)\b|(?:un[oa] de l[oa]s|muy|importante|no)\b)",
    re.IGNORECASE,
)
_TALKS = re.compile(r"\b(?:we|us|our|you|your)\b|^In fact,|\b(?:elsewhere|in detail)\b", re.IGNORECASE)
_WIDE = 60
"""Characters after the verb in which a sentence says what kind of thing it speaks of."""

_SETS_APART = re.compile(
    r"\b(?:is|are|was) (?:defined as |simply |basically )?(?:an?|the|any|how)\s(?:[\w'’-]+\s){0,4}?"
    r"(?:of|that|which|in which|where|when|by which|used|caused|made|between|at which|who|whose|from|to|with|due)\b|"
    r"\b(?:ist|sind|bezeichnet(?: man)?|versteht man)\b.{3,80}(?:, (?:der|die|das|dem|den|bei|in|mit|durch)|"
    r"\bvon|\bdes)\b|"
    r"\b(?:est|sont|appelle|désigne)\b.{3,80}\b(?:qui|que|dont|où|de|d['’]|par|permettant)|"
    r"\b(?:es|son|llama|denomina|define)\b.{3,80}\b(?:que|cuy[oa]s?|donde|de|del|por|mediante)\b",
    re.IGNORECASE,
)
_THING_SPOKEN_OF = re.compile(
    r"(?:The|Each|Every|A|An)\s(?:[\w'’-]+\s){1,2}(?:is|are|was|were) (?:also |often |sometimes |"
    r"then )?(?:called|known|named)",
)


def clarity(sentence: str, subject_ends: int) -> float:
    """Return by which factor the weight of a definition changes; its subject ends at this offset of the sentence."""
    words = len(sentence.split())
    factor = 1.0 if _GOOD_LENGTH[0] <= words <= _GOOD_LENGTH[1] else _OTHER_LENGTH
    if _FORMULA.search(sentence):
        factor *= _WITH_FORMULA
    if _TALKS.search(sentence):
        factor *= _TALKATIVE
    if _THING_SPOKEN_OF.match(sentence):
        return factor * _VAGUE
    if _SAYS_LITTLE.search(sentence[subject_ends : subject_ends + _WIDE]):
        return factor * _VAGUE
    return factor * (_APART if _SETS_APART.search(sentence) else 1.0)
