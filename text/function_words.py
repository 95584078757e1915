"""Function words, which say next to nothing: articles, pronouns, auxiliaries, prepositions, conjunctions."""

from __future__ import annotations

from functools import cache

from text.stemming import stems

_ENGLISH = """
a about after all also am an and any are as at be because been before being both but by can could did do does doing
during each few for from further had has have having he her here hers him his how i if in into is it its itself just
may me might more most must my no nor not of off on once only or other our out over own same shall she should so some
such than that the their them then there these they this those through to too under until up us very was we were what
when where which while who whom whose why will with would you your s t ll re ve
"""
_GERMAN = """
aber alle als also am an andere auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des
dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwa für
gegen habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede
jedem jeden jeder jedes kann kein keine können könnte man mein mit muss müssen nach nicht noch nun nur ob oder ohne
sehr sein seine seinem seinen seiner seit sich sie sind so soll sollen sondern über um und uns unser unter vom von vor
war waren was weil welche welcher wenn wer werden wie wieder will wir wird wo wollen worden wurde wurden zu zum zur s
"""
_FRENCH = """
a afin ai ainsi alors après as au aucun aussi autre aux avant avec avoir c ce ceci cela celle celui ces cet cette ceux
chaque comme d dans de depuis des dont du elle elles en entre est et étaient était été être eu eux fait font il ils j
je l la le les leur leurs lors lui m ma mais même mes moi mon n ne ni nos notre nous on ont ou où par parce pas pendant
peu peut peuvent plus pour pourquoi qu quand que quel quelle qui s sa sans se sera ses si son sont sous sur t ta te tes
toi ton tous tout toute toutes très tu un une vers vos votre vous y
"""
_SPANISH = """
a al algo algunos ante antes aquel aquella así aunque cada como con contra cual cuando de del desde donde dos el él
ella ellas ellos en entre era eran es esa ese eso esta está están estar este esto estos fue fueron ha han hasta hay la
las le les lo los más me mi mientras muy nada ni no nos nosotros o os otra otro para pero poco por porque puede pueden
que qué quien se sea según ser si sí sido sin sobre son su sus también tan tanto te tiene tienen todo todos tu un una
unas uno unos y ya yo
"""

FUNCTION_WORDS = {
    code: frozenset(words.split())
    for code, words in {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH}.items()
}
"""By language code, for the languages that a chatbot can answer in. Single letters are what an apostrophe leaves."""


def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language code, none where they are not known."""
    return FUNCTION_WORDS.get(language[:2].lower(), frozenset())


def content_stems(text: str, language: str, *, ignored: str = "") -> set[str]:
    """Return the stems of a text but for function words and words of `ignored`; all of them if nothing else is left."""
    every = set(stems(text, language))
    return every - _function_stems(language).union(stems(ignored, language)) or every


@cache
def _function_stems(language: str) -> frozenset[str]:
    return frozenset(stems(" ".join(function_words(language)), language))
