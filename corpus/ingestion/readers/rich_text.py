"""Rich Text Format (.rtf), converted to HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape
from itertools import zip_longest

from corpus.ingestion.readers.decoding import web_codec
from corpus.ingestion.readers.html.reader import read_text
from corpus.ingestion.readers.html.unseen import COMMENTS
from corpus.ingestion.readers.structure import MAX_DEPTH, RTF, Parsed, clean
from corpus.ingestion.readers.xml import TAB

_TOKEN = re.compile(
    r"\\(?P<word>[a-z]{1,32})(?P<number>-?\d{1,9})?[ ]?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<sign>[^a-z])"
    r"|(?P<brace>[{}])|[\r\n]+|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_BINARY = re.compile(r"(?<!\\)\\bin(\d{1,9}) ?")
_ROWS = re.compile("(?:<tr>.*?</tr>)+", re.DOTALL)
_SKIPPED = {
    *("fonttbl", "colortbl", "info", "pict", "object", "themedata", "colorschememapping", "datastore", "sp"),
    *("listtable", "listoverridetable", "rsidtbl", "generator", "latentstyles", "xmlnstbl", "ftnsep", "ftnsepc"),
    *("fldinst", "bkmkstart", "bkmkend", "atnid", "atnauthor", "tc", "xe", "filetbl", "revtbl", "nonshppict"),
}
_SIGNS = {
    **{"par": "\n", "sect": "\n", "page": "\n", "line": "\v", "tab": TAB, "emdash": "—", "endash": "–"},
    **{"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " "},
}
_FORMATS = {
    **{"super": "sup", "sub": "sub", "strike": "s", "striked": "s", "deleted": "s", "v": "template", "b": "b", "i": "i"}
}
_SPECIAL = {"~": "\xa0", "_": "-", "\n": "\n", "\r": "\n", "-": ""}


@dataclass(frozen=True)
class _State:
    target: str = "body"  # body, header, notes, styles; "" for what is no text
    formats: frozenset[str] = frozenset()
    fallback: int = 1  # characters after a Unicode one, for older programs


def read(data: bytes) -> Parsed:
    text, notes = _Converter(data.decode("latin-1")).convert()
    return read_text(clean(text), notes, media_type=RTF)


class _Converter:
    """Walks through the control words. Paragraphs and cells are collected as HTML by where they belong."""

    def __init__(self, source: str) -> None:
        self._source = _drop_binary(source)
        page = re.search(r"\\ansicpg(\d{3,5})", source[:4096])
        self._codec = (web_codec(f"cp{page[1]}") if page else None) or "cp1252"
        self._run: list[str] = []  # of the open paragraph
        self._cells: list[str] = []
        self._defined: list[bool] = []  # for each cell of the row, whether it continues the one above
        self._above: list[str] = []
        self._out: dict[str, list[str]] = {"header": [], "body": [], "notes": [], "styles": []}
        self._in_table = self._is_merged = False
        self._level = self._style = self._notes = 0
        self._headings: dict[int, int] = {}
        self._commented = False

    def convert(self) -> tuple[str, tuple[str, ...]]:
        state, stack, skip, starred = _State(), list[_State](), 0, False
        for token in _TOKEN.finditer(self._source):
            word, number = token["word"], int(token["number"] or 1)
            if token["brace"] == "{":
                stack.append(state)
                if len(stack) > 5 * MAX_DEPTH:
                    raise ValueError("Groups stand too deep in each other.")
            elif token["brace"] == "}":
                if state.target == "notes" and stack and stack[-1].target != "notes":
                    self._end_paragraph(state)
                state = stack.pop() if stack else state
            elif word == "u" and state.target:
                self._add(chr(number % 65536), state)
                skip = state.fallback
                continue
            elif word == "uc":
                state = replace(state, fallback=max(0, number))
            elif word:
                state = self._control(word, number, state, token["number"] == "0", starred)
            elif token["sign"] == "*":
                starred = True
                continue
            else:
                said = bytes.fromhex(token["byte"]).decode(self._codec, "replace") if token["byte"] else token["text"]
                said = said or _SPECIAL.get(token["sign"] or "", token["sign"] or "")
                self._add(said[skip:], state)
                skip, starred = max(0, skip - len(said)), False
                continue
            skip, starred = 0, False
        self._end_paragraph(_State())
        body = "".join(self._out["header"] + self._out["body"] + self._out["notes"])
        return _ROWS.sub(r"<table>\g<0></table>", body), (COMMENTS,) if self._commented else ()

    def _control(self, word: str, number: int, state: _State, off: bool, starred: bool) -> _State:
        if word in _SKIPPED or word == "annotation" or (starred and word not in ("shpinst", "shptxt", "footnote")):
            self._commented |= word == "annotation"
            return replace(state, target="")
        if word in ("stylesheet", "header", "headerf", "headerr", "headerl", "footer", "footerr", "footerf", "footerl"):
            return replace(state, target="styles" if word == "stylesheet" else "header")
        if word == "footnote":
            self._notes += 1
            self._run.append(f'<sup role="doc-noteref">{self._notes}</sup>')
            self._out["notes"].append(f"<p>{self._notes} ")
            return replace(state, target="notes")
        if word in _FORMATS:
            changed = {_FORMATS[word]}
            return replace(state, formats=state.formats - changed if off else state.formats | changed)
        if word in ("plain", "nosupersub"):
            return replace(state, formats=frozenset() if word == "plain" else state.formats - {"sup", "sub"})
        if word == "pard":
            self._in_table, self._level = False, 0
        elif word == "intbl":
            self._in_table = True
        elif word == "outlinelevel":
            self._level = min(number + 1 if not off else 1, 6)
        elif word == "s":
            self._style = number
            self._level = self._level or self._headings.get(number, 0)
        elif word == "trowd":
            self._defined, self._is_merged = [], False
        elif word == "clvmrg":
            self._is_merged = True
        elif word == "cellx":
            self._defined.append(self._is_merged)
            self._is_merged = False
        elif word == "cell":
            self._cells.append("".join(self._run))
            self._run = []
        elif word == "row":
            together = zip_longest(self._cells, self._defined, self._above, fillvalue="")
            self._above = [(merged and above) or cell for cell, merged, above in together][: len(self._cells)]
            self._out["body"] += ["<tr>", *(f"<td>{cell}</td>" for cell in self._above), "</tr>"]
            self._cells = []
        elif word in _SIGNS:
            self._add(_SIGNS[word], state)
        return state

    def _add(self, text: str, state: _State) -> None:
        if state.target == "styles":
            if found := re.match(r"(?:heading|überschrift|titre|título) (\d)", text, re.IGNORECASE):
                self._headings[self._style] = int(found[1])
        elif text == "\n" and state.target and not (self._in_table and state.target == "body"):
            self._end_paragraph(state)
        elif state.target:
            html = escape(text).replace("\v", "<br>").replace("\n", "<br>")
            for tag in sorted(state.formats):
                html = f"<{tag}>{html}</{tag}>"
            (self._out["notes"] if state.target == "notes" else self._run).append(html)

    def _end_paragraph(self, state: _State) -> None:
        if state.target == "notes":
            self._out["notes"].append("</p>")
        elif self._run:
            tag = f"h{self._level}" if self._level else "p"
            self._out[state.target or "body"].append(f"<{tag}>{''.join(self._run)}</{tag}>")
            self._run = []


def _drop_binary(source: str) -> str:
    """The source without the bytes of pictures, in which braces mean nothing."""
    parts, done = list[str](), 0
    for match in _BINARY.finditer(source):
        end = match.end() + int(match[1])
        if done <= match.start() and end <= len(source):
            parts.append(source[done : match.start()])
            done = end
    return "".join([*parts, source[done:]])
