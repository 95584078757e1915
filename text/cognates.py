"""Words that English shares with German, French and Spanish but for their ending."""

from __future__ import annotations

import re
from functools import cache

_ENDINGS = {
    "de": "isieren=ise tionen=tion tion=tion sionen=sion sion=sion itäten=ity ität=ity ismus=ism"
    " logien=logy logie=logy graphie=graphy grafie=graphy synthese=synthesis lyse=lysis these=thesis ese=esis ose=osis"
    " metrie=metry nomie=nomy omie=omy anz=ance enz=ence ische=ic ischen=ic ischer=ic isches=ic isch=ic ive=ive iv=ive"
    " chlorid=chloride oxid=oxide sulfid=sulfide sulfat=sulfate karbonat=carbonate carbonat=carbonate nitrat=nitrate"
    " phosphat=phosphate",
    "fr": "tions=tion tion=tion sions=sion sion=sion ités=ity ité=ity isme=ism logie=logy graphie=graphy"
    " synthèse=synthesis lyse=lysis thèse=thesis èse=esis ose=osis métrie=metry nomie=nomy omie=omy"
    " ance=ance ence=ence iques=ic ique=ic ives=ive ive=ive ifs=ive if=ive"
    " eux=ous euse=ous aires=ary aire=ary isation=isation iser=ise"
    " chlorure=chloride oxyde=oxide sulfure=sulfide sulfate=sulfate carbonate=carbonate nitrate=nitrate",
    "es": "ciones=tion ción=tion siones=sion sión=sion idades=ity idad=ity ismo=ism logía=logy grafía=graphy"
    " síntesis=synthesis lisis=lysis ésis=esis osis=osis metría=metry nomía=nomy omía=omy ancia=ance encia=ence"
    " icos=ic icas=ic ico=ic ica=ic ivos=ive ivo=ive iva=ive oso=ous osa=ous ario=ary aria=ary izar=ise mente=ly"
    " cloruro=chloride óxido=oxide sulfuro=sulfide sulfato=sulfate carbonato=carbonate nitrato=nitrate",
}
"""Endings and the English ones that stand for them; the longest is tried first."""

_SPELLINGS = {
    "de": (("fo(?=to)", "pho"), ("k(?!n)", "c"), ("z(?=[ei])", "c"), ("ä", "ae"), ("ö", "oe")),
    "fr": (("[éèêë]", "e"), ("[àâ]", "a"), ("[îï]", "i"), ("ô", "o"), ("[ùû]", "u"), ("œ", "oe")),
    "es": (("fo(?=to)", "pho"), ("cu(?=a)", "qu"), ("á", "a"), ("é", "e"), ("í", "i"), ("ó", "o"), ("ú", "u")),
}
"""What the beginning of a word is respelled by."""

_LEAST = 3
"""Letters before the ending."""


def cognate(word: str, source: str, target: str) -> str:
    """The English form of a word in lower case by its ending, "" if it has none of these endings or is English."""
    if target != "en":
        return ""
    for ending, english in _endings(source):
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            beginning = word.removesuffix(ending)
            for pattern, letters in _SPELLINGS[source]:
                beginning = re.sub(pattern, letters, beginning)
            return beginning + english
    return ""


@cache
def _endings(language: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.split("=") for pair in _ENDINGS[language].split()]
    return tuple(sorted(((ending, english) for ending, english in pairs), key=lambda p: -len(p[0])))
