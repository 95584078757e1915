"""Citation markers such as [1] in an answer: normalise them and drop those without a source (C3). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count

_BLANK_LINE = r"\n[^\S\n]*\n"
_BLANK = re.compile(_BLANK_LINE)
_CODE = re.compile(rf"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``(?:(?!{_BLANK_LINE}).)+?``|`[^`\n]*`)", re.DOTALL)
_CODE_OR_QUOTATION = re.compile(_CODE.pattern[:-1] + r"|“[^”]*”)", re.DOTALL)
MARKER = re.compile(r"(?<!\\)\[(\d{1,3})\]")
"""A marker as `check_citations` leaves it."""

_SIGNS = ("\ue002", "\ue003")  # characters of the private use area
PLACEHOLDER = re.compile(rf"{_SIGNS[0]}(\d{{1,3}}):(\d+){_SIGNS[1]}")
"""A marker's number and its index in the answer, as `replace_markers` writes them."""

MAX_RANGE = 20
"""Most numbers in a range such as [1–3]: an answer has at most 20 sources."""

MAX_MARKER_LENGTH = 60
"""Most characters between the brackets of a marker. It limits how long a stream is held back."""

_NAMES = ("sources", "source", "quellen", "quelle", "fuentes", "fuente")
_ANDS = ("and", "und", "et", "y")


def _build_prefixes(words: tuple[str, ...]) -> str:
    """A pattern for these words and all their prefixes."""
    return "|".join("(?:".join(word) + ")?" * (len(word) - 1) for word in words)


_NAME = rf"(?:{'|'.join(_NAMES)})"
_AND = rf"\s*(?:[,;&]|(?:{'|'.join(_ANDS)})\b)\s*"
_NUMBERS = r"\d{1,3}(?:\s*[-–]\s*\d{1,3})?"
MARKER_CONTENT = rf"(?:{_NAME}\s*)?{_NUMBERS}(?:{_AND}(?:{_NAME}\s*)?{_NUMBERS})*"
"""A pattern for the text between the brackets, in all forms that models write."""

_RAW_MARKER = re.compile(
    rf"(\s?)(?<!\\)[\[【](?=[^\]】\n]{{1,{MAX_MARKER_LENGTH}}}[\]】])\s*({MARKER_CONTENT})\s*[\]】]",
    re.IGNORECASE,
)
_PARTIAL_MARKER = re.compile(
    rf"[\[【](?=[^\n]{{0,{MAX_MARKER_LENGTH}}}\Z)[^\S\n]*(?:{_NAME}[^\S\n]*)?"
    rf"(?:{_build_prefixes(_NAMES)}|\d{{1,3}}(?!\d)(?:[^\S\n]|[-–,;&]|\d{{1,3}}(?!\d)|{_NAME}|{'|'.join(_ANDS)})*"
    rf"(?:{_build_prefixes(_NAMES + _ANDS)})?)?\Z",
    re.IGNORECASE,
)
"""The beginning of a marker at the end of a text."""

_WITH_SPACE = re.compile(rf"\s?{MARKER.pattern}")


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer with its markers as [1][2], without unknown ones; numbers in order of first appearance."""

    text: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]


def replace_markers(text: str) -> str:
    """Replace each marker of a checked answer by a placeholder that Markdown leaves alone.

    A placeholder is “number:index” between two signs; 2:0 is the first marker and cites source 2.
    """
    index, (start, end) = count(), _SIGNS
    parts = _CODE.split(text.translate(dict.fromkeys(map(ord, _SIGNS), " ")))
    parts[::2] = [MARKER.sub(lambda match: f"{start}{match[1]}:{next(index)}{end}", part) for part in parts[::2]]
    return "".join(parts)


def list_cited_numbers(text: str) -> set[int]:
    return {int(number) for number in MARKER.findall(blank_out_code(text))}


def blank_out_code(text: str) -> str:
    """The text with spaces in place of code; all other characters keep their positions."""
    parts = _CODE.split(text)
    parts[1::2] = [" " * len(part) for part in parts[1::2]]
    return "".join(parts)


def strip_markers(text: str) -> str:
    """Remove the markers from a checked answer."""
    parts = _CODE.split(text)
    parts[::2] = [_WITH_SPACE.sub("", part) for part in parts[::2]]
    return "".join(parts)


def strip_partial_marker(text: str) -> str:
    """Remove an unfinished marker at the end of a model's text."""
    parts = _CODE.split(text.rstrip())
    partial = _PARTIAL_MARKER.search(parts[-1])
    if len(parts) % 2 == 0 or partial is None or parts[-1][: partial.start()].endswith("\\"):
        return text
    return "".join(parts[:-1]) + parts[-1][: partial.start()].rstrip()


def check_citations(text: str, sources: int, *, verbatim: bool = False) -> CheckedAnswer:
    """Normalise the markers outside code and drop those with a number above `sources`.

    `verbatim` is for extractive answers: text between “ and ” comes from the source and is left alone.
    """
    cited: dict[int, None] = {}
    unknown: dict[int, None] = {}

    def replace(match: re.Match[str]) -> str:
        marker = _resolve(match, sources)
        cited.update(dict.fromkeys(marker.cited))
        unknown.update(dict.fromkeys(marker.unknown))
        return marker.text

    parts = (_CODE_OR_QUOTATION if verbatim else _CODE).split(text)
    parts[::2] = [_RAW_MARKER.sub(replace, part) for part in parts[::2]]
    return CheckedAnswer(text="".join(parts), cited=tuple(cited), unknown=tuple(unknown))


def _resolve(match: re.Match[str], sources: int) -> CheckedAnswer:
    """The replacement for one marker. An interval such as [0, 1] and the text of a link are kept as they are."""
    numbers = _numbers(match[2])
    known = tuple(number for number in numbers if number <= sources)
    if match.string[match.end() : match.end() + 1] == "(":
        return CheckedAnswer(match[0], known if numbers == known == numbers[:1] else (), ())
    if not numbers:
        return CheckedAnswer(match[0], (), ())
    text = match[1] + "".join(f"[{number}]" for number in known) if known else ""
    return CheckedAnswer(text, known, tuple(number for number in numbers if number > sources))


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers that a marker names; empty if it is no citation."""
    numbers: list[int] = []
    for first, _, last in re.findall(r"(\d+)(\s*[-–]\s*(\d+))?", text):
        start, end = int(first), int(last or first)
        if not 1 <= start <= end < start + MAX_RANGE:
            return ()
        numbers += range(start, end + 1)
    return tuple(numbers)


class CitationFilter:
    """`check_citations` for a stream: `feed` and `finish` together return its text, however the stream is cut.

    Only text that may be part of an unfinished marker is held back.
    """

    def __init__(self, sources: int, *, verbatim: bool = False) -> None:
        self._sources, self._verbatim = sources, verbatim
        self._opens = re.compile("[`~“]" if verbatim else "[`~]")
        self._rest = ""  # text that is not decided yet, with the context needed to decide it
        self._shown = 0  # how many characters of it have been returned already
        self._fence = ""  # the fence of the code block that the rest is in

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown now."""
        self._rest += piece
        shown: list[str] = []
        while self._advance(shown):
            pass
        return "".join(shown)

    def finish(self) -> str:
        """Return the remaining text at the end of the stream."""
        checked = check_citations(self._rest, self._sources, verbatim=self._verbatim)
        text = self._rest if self._fence else checked.text
        left = text[self._shown :]
        self._rest, self._shown = "", 0
        return left

    def _advance(self, shown: list[str]) -> bool:
        """Read to the next boundary of code or a quotation; False if it has not arrived yet."""
        rest = self._rest
        if self._fence:
            end = rest.find(self._fence)
            if end < 0:
                end = max(0, len(rest) - len(self._fence) + 1)
                self._emit(shown, end, rest[:end])
                self._emit_early(shown, len(self._rest))
                return False
            end += len(self._fence)
            self._fence = ""
            self._emit(shown, end, rest[:end])
            return True
        opening = self._opens.search(rest)
        if opening is None:
            end = _find_end_of_decided(rest, 0, self._sources)
            context = rest[end - 1 : end] == "\\"  # decides whether a following marker is escaped
            self._emit(shown, end - context, self._normalised(rest[: end - context]))
            self._emit_early(shown, int(context))
            return False
        if end := opening.start():
            self._emit(shown, end, self._normalised(rest[:end]))
            return True
        if rest.startswith(_FENCES):
            self._fence = rest[:3]
            self._emit(shown, 3, self._fence)
            return True
        closed = _find_end_of_quoted(rest)
        if closed is None:
            self._emit_early(shown, self._first_marker())
            return False
        self._emit(shown, closed, rest[:closed])
        return True

    def _normalised(self, text: str) -> str:
        return _RAW_MARKER.sub(lambda match: _resolve(match, self._sources).text, text)

    def _first_marker(self) -> int:
        """Position of the first possible marker in case the open code or quotation is never closed."""
        found = _RAW_MARKER.search(self._rest, self._shown)
        return found.start() if found else _find_end_of_decided(self._rest, self._shown, self._sources)

    def _emit_early(self, shown: list[str], end: int) -> None:
        """Return the rest up to `end` unchanged, but keep it as context."""
        shown.append(self._rest[self._shown : end])
        self._shown = max(self._shown, end)

    def _emit(self, shown: list[str], end: int, decided: str) -> None:
        """Return the decided text up to `end` without what was returned before, and drop it."""
        shown.append(decided[self._shown :])
        self._rest, self._shown = self._rest[end:], max(0, self._shown - end)


_FENCES = ("```", "~~~")
_BACKTICK_OR_LINE_END = re.compile("[`\n]")


def _find_end_of_quoted(text: str) -> int | None:
    """Where the code or quotation at the start of a text ends; None if that is not known yet.

    If the sign opens none, this is the position after the sign.
    """
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


def _find_end_of_decided(text: str, start: int, sources: int) -> int:
    """Where the decided part of a text ends: before anything that more text may make a marker or a link."""
    at = max(text.rfind("[", start), text.rfind("【", start))
    if at >= start and text[max(at - 1, 0) : at] != "\\":
        at -= at > start and text[at - 1].isspace()
        whole = _RAW_MARKER.match(text, at)
        if _PARTIAL_MARKER.match(text, at + text[at].isspace()) or (
            whole and whole.end() == len(text) and _resolve(whole, sources).text != whole[0]
        ):
            return at
    return len(text) - (len(text) > start and text[-1].isspace())
