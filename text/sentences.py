"""Where sentences begin and end, in running text and in Markdown, in any language and without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from text.function_words import FUNCTION_WORDS

_MARGIN = re.compile(r"\s*(?:>\s*)*")
_BULLET = re.compile(r"(?:[-*+•‣▪◦·–]|\d{1,3}[.)]|[a-zA-Z]\))\s+(?:\[[ xX]\]\s+)?")
_LEFT_OUT = re.compile(r"(?:#{1,6}\s.*|(?:[-=*_]\s*){3,}|[\s|:-]*)$")  # headings, rules, blank lines, | --- |

_WIDE_STOPS = "。！？｡"
_STOPS = ".!?…‽؟۔।॥"
# The lookbehind and the possessive repeats keep it linear on long runs of stops.
_END = re.compile(
    rf"(?P<end>(?<![{_STOPS}])(?P<mark>[{_STOPS}]++)(?:[\"'”’»“)\]*_`]|[ \u00a0\u202f]»)*+(?=\s)"
    rf"|[{_WIDE_STOPS}]++[」』”’）]*+)\s*+"
)
# No sentence ends inside these. Lengths are bounded, so that a stray sign costs nothing.
_LITERAL = re.compile(
    r"\$\$.{1,2000}?\$\$"
    r"|\$(?=\S)[^$]{0,400}?(?<=[^\s\\])\$(?!\d)"
    r"|(?<!`)(`{1,3})(?!`)[^`](?:.{0,1000}?[^`])??\1(?!`)"
    r"|\[[^\]]{1,400}\]\([^)]{1,400}\)",
    re.DOTALL,
)
_QUOTED = re.compile(r"“[^“”]{1,300}”|«[^«»]{1,300}»|„[^„“”]{1,300}[“”]|\"[^\"]{1,300}\"|\([^()]{1,300}\)")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“„«*_>]+$")
_ITEM_NUMBER = re.compile(r"(?:\d{1,3}\.)+\d{1,3}|[a-z]|[ivxl]{2,6}")  # of a clause: 1.1. or a. or iv.
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")  # U.S. or e.g. or z.B.
_SPACED_INITIALS = re.compile(r"[^\W\d_]\.")  # the second half of "z. B." and "J. R."
_OPENING = "\"'“‘„«([{*_¿¡ \t\n>"

# English, German, French, Spanish, Italian: lower case, without the last full stop.
_ABBREVIATIONS = frozenset(
    """
    al approx ca capt cf chap col dept dr ed eds eq eqs est fig figs gen hon mr mrs ms pp prof ref refs resp rev sgt st
    univ viz vol vs
    abb bd bspw bzw dipl evtl geb gest ggf hl hr hrsg ing inkl jh jhd kap nr sog vgl zzgl
    av avr c.-à-d dott ee.uu env mgr mlle mme mmes p.ej p.ex sig
    avda dra dña ej núm pág págs sr sra sres srta ud uds
    """.split()  # noqa: SIM905 - a list of words
)
_BEFORE_NUMBERS = frozenset(
    """
    abs art bsp cap ch max min n° no nos num p sec str tab tel tél
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()  # noqa: SIM905
)
_MONTH = re.compile(
    r"(?:jan(?:uar|\.)|jänner|feb(?:ruar|\.)|märz|apr(?:il|\.)|mai|juni?|juli?|aug(?:ust|\.)|sept?(?:ember|\.)|"
    r"okt(?:ober|\.)|nov(?:ember|\.)|dez(?:ember|\.))(?!\w)",
    re.IGNORECASE,
)
# A German source may be read in an English chat: the commonest words tell, where two languages share none of them.
_GERMAN = re.compile(
    r"\b(?:der|das|und|ist|nicht|wird|werden|ein|eine|dem|im|vom|zum|zur|mit|für|auf|bis|sich)\b",
    re.IGNORECASE,
)
_NOT_GERMAN = re.compile(r"\b(?:the|of|and|is|to|a|le|la|les|et|est|el|los|y)\b", re.IGNORECASE)
_MAX_PASSAGE_LENGTH = 8_000  # characters of a text whose sentences are kept
_WORDS_BETWEEN = frozenset().union(*FUNCTION_WORDS.values())


SentenceKind = Literal["prose", "item", "row", "title"]
"""A row is one of a table, or a line of code; a title is the first line of a paragraph that is a heading."""


@dataclass(frozen=True)
class Sentence:
    """``text[start:end]`` of the text it was cut from; sentences of one paragraph share their `block`."""

    start: int
    end: int
    block: int
    kind: SentenceKind = "prose"


def split_sentences(text: str, language: str = "en") -> list[Sentence]:
    """Return the sentences of Markdown in order, without bullets, margins of quotations and white space around them.

    Paragraphs, list items and quotations are cut into sentences. Each row of a table and each line of code stands for
    itself. Headings, rules and blank lines are left out.
    """
    split = _sentences_of_passage if len(text) <= _MAX_PASSAGE_LENGTH else _sentences
    return list(split(text, language.startswith("de")))


def _sentences(text: str, is_german: bool) -> tuple[Sentence, ...]:
    german = is_german or _is_german(text)
    found: list[Sentence] = []
    for number, (start, end, kind) in enumerate(_blocks(text)):
        cuts = () if kind in ("row", "title") else sentence_starts(text[start:end], german=german)
        starts = [start, *(start + cut for cut in cuts)]
        for first, last in zip(starts, [*starts[1:], end], strict=True):
            margin = _MARGIN.match(text, first, last)
            first = margin.end() if margin else first
            sentence = text[first:last].rstrip()
            if any(map(str.isalnum, sentence)):
                found.append(Sentence(first, first + len(sentence), number, kind))
    return tuple(found)


_sentences_of_passage = lru_cache(maxsize=512)(_sentences)
"""An answer is chosen from the sentences of its passages and checked against them, and a class asks about one chapter.
Some 6 MB."""


def line_to(text: str, sentence: Sentence) -> str:
    """Return a sentence with the bullet or number that stands before it on its line."""
    before = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]
    return (before if _BULLET.fullmatch(before) else "") + text[sentence.start : sentence.end]


def sentence_starts(text: str, *, german: bool | None = None) -> Iterator[int]:
    """Yield the offsets at which sentences of running text begin, without the first; white space belongs to the last.

    A sentence never ends inside a number, a formula, code, a link, quotation marks or brackets, after an abbreviation
    or an initial, nor where the next word begins in lower case. In German it goes on after an ordinal ("im 19.
    Jahrhundert"). When in doubt two sentences stay together: a wrong cut makes two pieces that say nothing.
    """
    german = _is_german(text) if german is None else german
    whole = sorted([*literal_spans(text), *(match.span() for match in _QUOTED.finditer(text))])
    position = inside_until = 0
    for match in _END.finditer(text):
        while position < len(whole) and whole[position][0] < match.end("end"):
            inside_until = max(inside_until, whole[position][1])
            position += 1
        inside = match.end("end") < inside_until
        if not inside and match.end() < len(text) and _ends_here(text, match, german=german):
            yield match.end()


def literal_spans(text: str) -> list[tuple[int, int]]:
    """Return where formulas, inline code and links stand."""
    return [match.span() for match in _LITERAL.finditer(text)]


def _ends_here(text: str, match: re.Match[str], *, german: bool) -> bool:
    """Say whether a sentence ends with these stops, which are not inside anything."""
    if match["mark"] is None:
        return True
    following = text[match.end() : match.end() + 40].lstrip(_OPENING)
    if following[:1].islower():
        return False
    start = match.start()
    found = _WORD_BEFORE.search(text, max(0, start - 24), start)
    if match["mark"] != "." or found is None:
        return True
    word = found[0].lower()
    if _INITIALS.fullmatch(word) or word in _ABBREVIATIONS or (len(word) == 1 and found[0].isupper()):
        return False
    if word in _BEFORE_NUMBERS and following[:1].isdigit():
        return False
    numbers_a_line = not text[text.rfind("\n", 0, start) + 1 : found.start()].strip(" \t>-")
    if numbers_a_line and _ITEM_NUMBER.fullmatch(word):
        return False
    if word.isdecimal() and len(word) <= 2:
        return not (german or numbers_a_line or _MONTH.match(following))
    return not (len(word) == 1 and _SPACED_INITIALS.match(following))


def _is_german(text: str) -> bool:
    sample = text[:5_000]
    return len(_GERMAN.findall(sample)) > len(_NOT_GERMAN.findall(sample))


def _blocks(text: str) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yield (start, end, kind) of each paragraph, list item, table row and line of code."""
    position, begun, listed, fenced, quoted = 0, -1, False, False, False
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        margin, was_quoted = _MARGIN.match(line), quoted
        inside = start + (margin.end() if margin else 0)
        bare, quoted = text[inside:position].rstrip(), ">" in text[start:inside]
        fence = bare.startswith(("```", "~~~"))
        row = fenced or (bare.startswith("|") and bare.endswith("|"))
        left_out = fence or bool(_LEFT_OUT.match(bare))
        bullet = None if row else _BULLET.match(text, inside, position)
        if bullet and begun >= 0 and not listed and bullet[0][:2] not in {"1.", "1)"} and bare[0].isdigit():
            bullet = None  # a date or a year at the start of a wrapped line
        if bullet and begun >= 0 and bullet[0][0].isdigit() and _MONTH.match(text, bullet.end()):
            bullet = None  # the day of a date
        if begun >= 0 and (left_out or row or bullet or quoted > was_quoted):
            yield begun, start, "item" if listed else "prose"
            begun = -1
        elif begun >= 0 and not listed and _is_title(text[begun:start], bare):
            yield begun, start, "title"
            begun = -1
        fenced ^= fence
        if row and not left_out:
            yield inside, position, "row"
        elif begun < 0 and not left_out:
            begun, listed = bullet.end() if bullet else inside, bool(bullet)
    if begun >= 0:
        yield begun, len(text), "item" if listed else "prose"


def _is_title(first: str, following: str) -> bool:
    """Say whether the lines of a paragraph so far are a title: one short line that was broken with room to spare."""
    line = first.strip()
    if "\n" in line or len(line) > 60 or not (line[-1:].isalnum() and line[:1].isupper()):
        return False
    if not following[:1].isupper() or line.split()[-1].lower() in _WORDS_BETWEEN:
        return False
    return len(line) + 1 + len(following.split(" ", 1)[0]) < len(following)
