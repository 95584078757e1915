"""What a Word paragraph is meant to be: title, heading, list item, line of a table of contents, or plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from corpus.ingestion.readers.office.word_text import children, local, value

# Word stores built-in style names in English; other programs and old templates do not.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|titulo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|"
    r"заголовок|başlık|标题|標題|見出し|제목)\s*([1-9])\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:title|titel|titre|título|titolo|tytuł|название)", re.IGNORECASE)
_CONTENTS = re.compile(
    r"(?:toc|verzeichnis|inhaltsverzeichnis|tm|tdc|sommario)\s*\d|table of figures", re.IGNORECASE
)


@dataclass(frozen=True)
class Look:
    level: int | None = None  # of a heading, from 1
    title: bool = False
    contents: bool = False
    list_depth: int | None = None  # of a list item, from 0


class Styles:
    """Looks by style, inherited from the style each one is based on."""

    def __init__(self, styles: Any) -> None:
        self._elements = {_attribute(style, "styleId"): style for style in children(styles, "style")}
        self._looks: dict[str, Look] = {}

    def look(self, paragraph: Any) -> Look:
        """The look of a paragraph: its own properties over those of its style."""
        properties = _properties(paragraph)
        return _merged(self._style(value(properties.get("pStyle")), depth=0), properties)

    def _style(self, key: str, *, depth: int) -> Look:
        """The look of a style. Chains longer than any real one are circles and end here."""
        if key in self._looks:
            return self._looks[key]
        style = self._elements.get(key)
        if style is None or depth > 20:
            return Look()
        parts = {local(child): child for child in children(style)}
        look = self._style(value(parts.get("basedOn")), depth=depth + 1)
        look = _named(look, value(parts.get("name")).strip())
        self._looks[key] = _merged(look, _properties(style))
        return self._looks[key]


def _named(look: Look, name: str) -> Look:
    if match := _HEADING.fullmatch(name):
        return Look(level=int(match.group(1)))
    if _TITLE.fullmatch(name):
        return Look(title=True)
    if _CONTENTS.match(name):
        return Look(contents=True)
    return look


def _merged(look: Look, properties: dict[str, Any]) -> Look:
    level = value(properties.get("outlineLvl"))
    if level.isdecimal() and not look.title and not look.contents:
        look = replace(look, level=int(level) + 1 if int(level) < 9 else None)
    if "numPr" not in properties:
        return look
    numbering = {local(child): value(child) for child in properties["numPr"]}
    if numbering.get("numId") == "0":
        return replace(look, list_depth=None)
    depth = numbering.get("ilvl", "0")
    return replace(look, list_depth=min(int(depth), 8) if depth.isdecimal() else 0)


def _properties(element: Any) -> dict[str, Any]:
    return {local(child): child for properties in children(element, "pPr") for child in properties}


def _attribute(element: Any, name: str) -> str:
    namespace = element.tag.partition("}")[0]
    return str(element.get(f"{namespace}}}{name}") or "")
