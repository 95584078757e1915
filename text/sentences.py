"""Cut Markdown or plain text into sentences that can be quoted word for word. Pure.

Paragraphs, list items and quotations are cut into sentences; each table row and each line of a code block stands for
itself; headings, rules and blank lines are left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from text.function_words import FUNCTION_WORDS

_MARGIN = re.compile(r"\s*(?:>\s*)*")
_BULLET = re.compile(r"(?:[-*+•‣▪◦·–]|\d{1,3}[.)]|[a-zA-Z]\))\s+(?:\[[ xX]\]\s+)?")
_LEFT_OUT = re.compile(r"(?:#{1,6}\s.*|(?:[-=*_]\s*){3,}|[\s|:-]*)$")  # headings, rules, blank lines, | --- |

_END = re.compile(r"(?P<mark>[.!?…]+)(?:[\"'”’»“)\]*_`]|[ \u00a0\u202f]»)*(?=\s)|[。！？]+[”’」』）]*")
_KEPT_WHOLE = re.compile(
    r"“[^“”]{1,300}”|«[^«»]{1,300}»|„[^„“”]{1,300}[“”]|\"[^\"]{1,300}\"|\([^()]{1,300}\)"
)
_WORD_BEFORE = re.compile(r"[^\W_](?:[^\W_]|[.’'-](?=[^\W_]))*$")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+$")  # U.S. or e.g. or z.B.
_SPACED_INITIALS = frozenset("diouz")  # German "z. B.", "u. a."

# English, German, French, Spanish: never the end of a sentence, or not where a number follows.
_ABBREVIATION = re.compile(
    r"mr|mrs|ms|dr|prof|st|vs|cf|approx|bzw|ca|evtl|ggf|hr|inkl|sog|vgl|zzgl|"
    r"mme|mmes|mlle|mgr|av|env|sr|sra|srta|sres|dra|dña|ud|uds|avda|ej",
    re.IGNORECASE,
)
_BEFORE_NUMBERS = re.compile(
    r"no|nr|nos|figs?|eqs?|pp?|ch|sec|vol|art|abb|kap|num|núm|págs?|cap|chap|tab|t[eé]l|bd|bsp|abs",
    re.IGNORECASE,
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
_ENOUGH = 5_000  # characters that tell the language
_LONGEST_TITLE = 60
_WORDS_BETWEEN = frozenset().union(*FUNCTION_WORDS.values())


# row: of a table, or a line of code; title: a heading of plain text, on the first line of its paragraph
Kind = Literal["prose", "item", "row", "title"]


@dataclass(frozen=True)
class Sentence:
    """``text[start:end]`` of the text it was cut from; sentences of one paragraph share their `block`."""

    start: int
    end: int
    block: int
    kind: Kind = "prose"


def split_sentences(text: str, language: str = "en") -> list[Sentence]:
    """Return the sentences of `text` in order, without list bullets, quotation margins and blanks around them.

    A sentence never ends inside a number, after an abbreviation or an initial, inside quotation marks or brackets,
    nor where the next word begins in lower case. After an ordinal of a German text ("im 19. Jahrhundert") it goes on,
    whatever `language` the reader speaks.
    """
    german = language.startswith("de") or _is_german(text[:_ENOUGH])
    found: list[Sentence] = []
    for number, (start, end, kind) in enumerate(_blocks(text)):
        spans = (
            [(start, end)] if kind in ("row", "title") else _sentences_within(text, start, end, german=german)
        )
        found.extend(Sentence(*span, number, kind) for span in _trimmed(text, spans))
    return found


def _is_german(text: str) -> bool:
    return len(_GERMAN.findall(text)) > len(_NOT_GERMAN.findall(text))


def _blocks(text: str) -> Iterator[tuple[int, int, Kind]]:
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
    if "\n" in line or len(line) > _LONGEST_TITLE or not (line[-1:].isalnum() and line[:1].isupper()):
        return False
    if not following[:1].isupper() or line.split()[-1].lower() in _WORDS_BETWEEN:
        return False
    return len(line) + 1 + len(following.split(" ", 1)[0]) < len(following)


def _sentences_within(text: str, start: int, end: int, *, german: bool) -> Iterator[tuple[int, int]]:
    whole = [match.span() for match in _KEPT_WHOLE.finditer(text, start, end)]
    for match in _END.finditer(text, start, end):
        cut = match.end()
        if any(left < cut < right for left, right in whole):
            continue
        before = text[max(start, match.start() - 40) : match.start()]
        if match["mark"] and not _ends_here(
            before, match["mark"], text[cut : cut + 40].lstrip(), german=german
        ):
            continue
        yield start, cut
        start = cut
    yield start, end


def _ends_here(before: str, mark: str, following: str, *, german: bool) -> bool:
    if following[:1].islower():
        return False
    found = _WORD_BEFORE.search(before)
    if mark != "." or found is None:
        return True
    word = found.group()
    if _INITIALS.match(word) or (len(word) == 1 and word.isupper()) or _ABBREVIATION.fullmatch(word):
        return False
    if _BEFORE_NUMBERS.fullmatch(word) and following[:1].isdigit():
        return False
    ordinal = word.isdigit() and len(word) <= 2
    return not ((ordinal and (german or _MONTH.match(following))) or (german and word in _SPACED_INITIALS))


def _trimmed(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in spans:
        margin = _MARGIN.match(text, start, end)
        start = margin.end() if margin else start
        end = start + len(text[start:end].rstrip())
        if any(character.isalnum() for character in text[start:end]):
            yield start, end
