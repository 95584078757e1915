"""Where sentences begin, in running text of any language, without a model.

When in doubt two sentences stay together: a cut that is missed makes a piece a little longer, a wrong one makes
two pieces that say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A full stop after these does not end a sentence. Lower case, without the last full stop.
_ENGLISH = """dr mr mrs ms prof st rev hon gen col sgt capt fig figs eq eqs sec ch chap vol no nos pp ed eds cf vs viz
    approx e.g i.e al ca dept univ est ref refs resp jan feb mar apr jun jul aug sep sept oct nov dec"""
_GERMAN = """z.b d.h u.a u.ä o.ä i.d.r s.o s.u v.a z.t bzw ggf evtl nr abb tab kap bd hrsg vgl inkl zzgl sog geb gest
    str bspw mind max min abs art ca dipl ing hl jh jhd"""
_ROMANCE = "p.ex c.-à-d mme mlle env av apr n° sr sra srta ud uds ee.uu p.ej pág págs núm cap sig dott"
_ABBREVIATIONS = frozenset(f"{_ENGLISH} {_GERMAN} {_ROMANCE}".split())

_WIDE_STOPS = "。！？｡"
_STOPS = ".!?…‽؟۔।॥"
# The lookbehind and the possessive repeats keep it linear on long runs of stops.
_END = re.compile(rf"(?:(?<![{_STOPS}])[{_STOPS}]++[\"'”’»)\]*_]*+(?=\s)|[{_WIDE_STOPS}]++[」』”’）]*+)\s*+")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“„«*_]*$")
_OPENING = "\"'“‘„«([{*_¿¡ \t\n>"

# Formulas, code and links: what looks like the end of a sentence inside them is none. Lengths are bounded so that a
# stray dollar sign or backtick costs nothing.
_WHOLE = re.compile(
    r"\$\$.{1,2000}?\$\$"
    r"|\$(?=\S)[^$]{0,400}?(?<=[^\s\\])\$(?!\d)"
    r"|(?<!`)(`{1,3})(?!`)[^`](?:.{0,1000}?[^`])??\1(?!`)"
    r"|\[[^\]]{1,400}\]\([^)]{1,400}\)",
    re.DOTALL,
)


def sentence_starts(text: str) -> Iterator[int]:
    """Offsets at which a sentence begins, without the first one; the white space before belongs to the last."""
    whole = whole_spans(text)
    position = 0
    for match in _END.finditer(text):
        while position < len(whole) and whole[position][1] <= match.start():
            position += 1
        inside = position < len(whole) and whole[position][0] < match.start()
        if not inside and match.end() < len(text) and _ends(text, match):
            yield match.end()


def whole_spans(text: str) -> list[tuple[int, int]]:
    """Where formulas, inline code and links stand."""
    return [match.span() for match in _WHOLE.finditer(text)]


def _ends(text: str, match: re.Match[str]) -> bool:
    if text[match.start()] in _WIDE_STOPS:
        return True
    following = text[match.end() : match.end() + 12].lstrip(_OPENING)
    if following[:1].islower():
        return False
    return not (text[match.start()] == "." and _abbreviates(text, match.start(), following))


def _abbreviates(text: str, stop: int, following: str) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation, an initial, an ordinal or a list number."""
    word = _LAST_WORD.search(text, max(0, stop - 24), stop)
    last = word.group().lower() if word else ""
    if last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha()):
        return True
    return last.isdecimal() and len(last) <= 2 and following[:1].isalpha()
