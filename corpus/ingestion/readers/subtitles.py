"""Subtitles of films and recordings (.vtt, .srt): a section for each minute, under the time at which it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.html.unseen import COMMENTS
from corpus.ingestion.readers.structure import SUBTITLES, Parsed, Section, clean, one_line

_TIMES = re.compile(r"\s*(?:(\d+):)?(\d{1,2}):(\d{2})[.,]\d{3}[ \t]*-->")
_SPEAKER = re.compile(r"<v[.\w]*\s+([^<>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<[\d:.]+>|\{\\[^{}]*\}")
_UNSPOKEN = re.compile(r"\s*(?:(?:NOTE|STYLE|REGION)\b|\d*\s*$)")
_SECONDS, _CHARACTERS = 60, 1200  # of a section, about


def read(data: bytes) -> Parsed:
    text, notes = decode(data)
    text = clean(text)
    notes += (COMMENTS,) if re.search(r"^NOTE[ \t\n]\s*\w", text, re.MULTILINE) else ()
    sections: list[Section] = []
    begun, words = 0, ""
    for second, said in _cues(text):
        if words and (second - begun >= _SECONDS or len(words) > _CHARACTERS):
            sections.append(Section((_clock(begun),), words))
            words = ""
        begun = begun if words else second
        words += ("\n" if words and re.match(r"[-–—] ?|[^\W\d_][\w .]{0,30}: ", said) else " " if words else "") + said
    sections += [Section((_clock(begun),), words)] if words else []
    return Parsed(SUBTITLES, None, tuple(sections), None, notes)


def _cues(text: str) -> Iterator[tuple[int, str]]:
    before: list[str] = []  # lines that roll up the screen are read once
    second: int | None = None
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.split("\n")
        at = next((number for number, line in enumerate(lines) if _TIMES.match(line)), None)
        if at is not None and (times := _TIMES.match(lines[at])):
            second, lines = int(times[1] or 0) * 3600 + int(times[2]) * 60 + int(times[3]), lines[at + 1 :]
        elif second is None or _UNSPOKEN.match(block):
            continue
        shown = [one_line(unescape(_TAG.sub("", _SPEAKER.sub(r"\1: ", line)))) for line in lines]
        if said := " ".join(line for line in shown if line and line not in before):
            yield second, said
        before = shown


def _clock(second: int) -> str:
    minutes, seconds = divmod(second, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
