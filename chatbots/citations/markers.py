"""Citations in an answer: which numbers it names, which of them exist (C3). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count

_BLANK_LINE = r"\n[^\S\n]*\n"
_BLANK = re.compile(_BLANK_LINE)
_CODE = re.compile(rf"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``(?:(?!{_BLANK_LINE}).)+?``|`[^`\n]*`)", re.DOTALL)
_CODE_OR_QUOTATION = re.compile(_CODE.pattern[:-1] + r"|“[^”]*”)", re.DOTALL)
MARKER = re.compile(r"(?<!\\)\[(\d{1,3})\]")
"""As `check` leaves them."""

MAX_RANGE = 20
"""Numbers that a range such as [1–3] stands for at most, as many as an answer can have sources."""

MAX_MARKER_LENGTH = 60
"""Characters between the brackets of a marker at most, so that a stream is never held back for long."""

_NAMES = ("sources", "source", "quellen", "quelle", "fuentes", "fuente")
_ANDS = ("and", "und", "et", "y")


def _begun(words: tuple[str, ...]) -> str:
    """A pattern for these words and all their beginnings."""
    return "|".join("(?:".join(word) + ")?" * (len(word) - 1) for word in words)


_NAME = rf"(?:{'|'.join(_NAMES)})"
_AND = rf"\s*(?:[,;&]|(?:{'|'.join(_ANDS)})\b)\s*"
_NUMBERS = r"\d{1,3}(?:\s*[-–]\s*\d{1,3})?"
MARKER_CONTENT = rf"(?:{_NAME}\s*)?{_NUMBERS}(?:{_AND}(?:{_NAME}\s*)?{_NUMBERS})*"
"""A pattern for what stands between the brackets of a marker, in whatever way models write it."""

_MARKER = re.compile(
    rf"(\s?)(?<!\\)[\[【](?=[^\]】\n]{{1,{MAX_MARKER_LENGTH}}}[\]】])\s*({MARKER_CONTENT})\s*[\]】]",
    re.IGNORECASE,
)
_HALF = re.compile(
    rf"[\[【](?=[^\n]{{0,{MAX_MARKER_LENGTH}}}\Z)[^\S\n]*(?:{_NAME}[^\S\n]*)?"
    rf"(?:{_begun(_NAMES)}|\d{{1,3}}(?!\d)(?:[^\S\n]|[-–,;&]|\d{{1,3}}(?!\d)|{_NAME}|{'|'.join(_ANDS)})*"
    rf"(?:{_begun(_NAMES + _ANDS)})?)?\Z",
    re.IGNORECASE,
)
"""What a marker may begin with, at the end of a text."""

_WITH_SPACE = re.compile(rf"\s?{MARKER.pattern}")


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer with its markers as [1][2] and the unknown ones removed; `cited` in order of first appearance."""

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]


def replace_markers(text: str, sign: tuple[str, str]) -> str:
    """The markers of a checked answer between two signs that mean nothing in Markdown, ready to become links.

    Each is its number and how many markers stand before it, as in 2:0 for the first, which cites source 2.
    """
    place = count()
    parts = _CODE.split(text)
    parts[::2] = [
        MARKER.sub(lambda match: f"{sign[0]}{match[1]}:{next(place)}{sign[1]}", part) for part in parts[::2]
    ]
    return "".join(parts)


def cited_numbers(text: str) -> set[int]:
    """The numbers that a checked text cites, in whatever order."""
    return {int(number) for number in MARKER.findall(blank_out_code(text))}


def blank_out_code(text: str) -> str:
    """The text with every character of code a space, so that what is found in it stands at the same place."""
    parts = _CODE.split(text)
    parts[1::2] = [" " * len(part) for part in parts[1::2]]
    return "".join(parts)


def strip_markers(text: str) -> str:
    """A checked answer without its markers."""
    parts = _CODE.split(text)
    parts[::2] = [_WITH_SPACE.sub("", part) for part in parts[::2]]
    return "".join(parts)


def strip_partial_marker(text: str) -> str:
    """The text of a model that stopped within a marker, without what there is of it."""
    parts = _CODE.split(text.rstrip())
    half = _HALF.search(parts[-1])
    if len(parts) % 2 == 0 or half is None or parts[-1][: half.start()].endswith("\\"):
        return text
    return "".join(parts[:-1]) + parts[-1][: half.start()].rstrip()


def check_citations(text: str, sources: int, *, verbatim: bool = False) -> CheckedAnswer:
    """Normalise the citation markers of an answer outside code and drop those beyond the `sources` that exist.

    With `verbatim`, for an answer that only quotes, what stands between “ and ” is the source's and left alone.
    """
    cited: dict[int, None] = {}
    unknown: dict[int, None] = {}

    def normal(match: re.Match[str]) -> str:
        marker = _read(match, sources)
        cited.update(dict.fromkeys(marker.cited))
        unknown.update(dict.fromkeys(marker.unknown))
        return marker.text

    parts = (_CODE_OR_QUOTATION if verbatim else _CODE).split(text)
    parts[::2] = [_MARKER.sub(normal, part) for part in parts[::2]]
    return CheckedAnswer(text="".join(parts), cited=tuple(cited), unknown=tuple(unknown))


def _read(match: re.Match[str], sources: int) -> CheckedAnswer:
    """What becomes of one marker: an interval such as [0, 1], or the text of a link, is none and stays."""
    numbers = _numbers(match[2])
    known = tuple(number for number in numbers if number <= sources)
    if match.string[match.end() : match.end() + 1] == "(":
        return CheckedAnswer(match[0], known if numbers == known == numbers[:1] else (), ())
    if not numbers:
        return CheckedAnswer(match[0], (), ())
    text = match[1] + "".join(f"[{number}]" for number in known) if known else ""
    return CheckedAnswer(text, known, tuple(number for number in numbers if number > sources))


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers that a marker names, none where it is no citation."""
    numbers: list[int] = []
    for first, _, last in re.findall(r"(\d+)(\s*[-–]\s*(\d+))?", text):
        start, end = int(first), int(last or first)
        if not 1 <= start <= end < start + MAX_RANGE:
            return ()
        numbers += range(start, end + 1)
    return tuple(numbers)


class CitationFilter:
    """`check` for a text that comes in pieces: what `feed` and `finish` return adds up to its text, however it is cut.

    Held back is only what may be, or belong to, a marker that is not decided yet.
    """

    def __init__(self, sources: int, *, verbatim: bool = False) -> None:
        self._sources, self._verbatim = sources, verbatim
        self._opens = re.compile("[`~“]" if verbatim else "[`~]")
        self._rest = ""  # what is not decided, with what tells how it is to be read
        self._shown = 0  # how much of that has been returned already, as it stands
        self._fence = ""  # of the code that the rest is within

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        self._rest += piece
        shown: list[str] = []
        while self._read_on(shown):
            pass
        return "".join(shown)

    def finish(self) -> str:
        """All that is left, when the text has ended."""
        text = (
            self._rest
            if self._fence
            else check_citations(self._rest, self._sources, verbatim=self._verbatim).text
        )
        left = text[self._shown :]
        self._rest, self._shown = "", 0
        return left

    def _read_on(self, shown: list[str]) -> bool:
        """Read to where code or a quotation begins or ends; False when that is not known yet."""
        rest = self._rest
        if self._fence:
            end = rest.find(self._fence)
            if end < 0:
                end = max(0, len(rest) - len(self._fence) + 1)
                self._pass(shown, end, rest[:end])
                self._show(shown, len(self._rest))
                return False
            end += len(self._fence)
            self._fence = ""
            self._pass(shown, end, rest[:end])
            return True
        opening = self._opens.search(rest)
        if opening is None:
            end = _undecided(rest, 0, self._sources)
            context = rest[end - 1 : end] == "\\"  # tells whether a marker that follows is one
            self._pass(shown, end - context, self._normal(rest[: end - context]))
            self._show(shown, int(context))
            return False
        if end := opening.start():
            self._pass(shown, end, self._normal(rest[:end]))
            return True
        if rest.startswith(_FENCES):
            self._fence = rest[:3]
            self._pass(shown, 3, self._fence)
            return True
        closed = _closed(rest)
        if closed is None:
            self._show(shown, self._first_marker())
            return False
        self._pass(shown, closed, rest[:closed])
        return True

    def _normal(self, text: str) -> str:
        return _MARKER.sub(lambda match: _read(match, self._sources).text, text)

    def _first_marker(self) -> int:
        """Where in the rest there may first be a marker, if what the rest opens is never closed."""
        found = _MARKER.search(self._rest, self._shown)
        return found.start() if found else _undecided(self._rest, self._shown, self._sources)

    def _show(self, shown: list[str], end: int) -> None:
        """Return the rest up to there as it stands; it is still needed."""
        shown.append(self._rest[self._shown : end])
        self._shown = max(self._shown, end)

    def _pass(self, shown: list[str], end: int, decided: str) -> None:
        """Return what the rest up to there has become, without what has been returned already, and leave it behind."""
        shown.append(decided[self._shown :])
        self._rest, self._shown = self._rest[end:], max(0, self._shown - end)


_FENCES = ("```", "~~~")
_BACKTICK_OR_LINE_END = re.compile("[`\n]")


def _closed(text: str) -> int | None:
    """Where the code or quotation ends that a text opens; after its opening sign, if it opens none; None if unknown."""
    if text[0] == "“":
        return text.find("”") + 1 or None
    if text[0] == "~":
        return None if text in ("~", "~~") else 1
    if text.startswith("``"):
        close = text.find("``", 3)
        if _BLANK.search(text, 2, close if close > 0 else len(text)):
            return 2
        return close + 2 if close > 0 else None
    end = _BACKTICK_OR_LINE_END.search(text, 1)
    return (end.end() if end[0] == "`" else 1) if end else None


def _undecided(text: str, start: int, sources: int) -> int:
    """Where after `start` a text ends, or what may become a marker, or turn out to be a link, with more of the text."""
    at = max(text.rfind("[", start), text.rfind("【", start))
    if at >= start and text[max(at - 1, 0) : at] != "\\":
        at -= at > start and text[at - 1].isspace()
        whole = _MARKER.match(text, at)
        if _HALF.match(text, at + text[at].isspace()) or (
            whole and whole.end() == len(text) and _read(whole, sources).text != whole[0]
        ):
            return at
    return len(text) - (len(text) > start and text[-1].isspace())
