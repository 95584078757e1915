"""The role of a Word paragraph: title, heading, list item, line of a table of contents, or plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.office.word_text import attribute, child_elements, local_name, val

if TYPE_CHECKING:
    from lxml.etree import _Element

# Word stores built-in style names in English; other programs and old templates do not.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|titulo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|"
    r"заголовок|başlık|标题|標題|見出し|제목)\s*([1-9])\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:title|titel|titre|título|titolo|tytuł|название)", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|verzeichnis|inhaltsverzeichnis|tm|tdc|sommario)\s*\d|table of figures", re.IGNORECASE)


@dataclass(frozen=True)
class ParagraphRole:
    """The role of a paragraph by its style and properties."""

    level: int | None = None  # of a heading, from 1
    title: bool = False
    contents: bool = False
    list_depth: int | None = None  # of a list item, from 0


class Styles:
    """Roles by style. A style inherits the role of the style that it is based on."""

    def __init__(self, styles: _Element) -> None:
        self._elements = {attribute(style, "styleId"): style for style in child_elements(styles, "style")}
        self._roles: dict[str, ParagraphRole] = {}

    def role(self, paragraph: _Element) -> ParagraphRole:
        """The role of a paragraph. Its own properties override those of its style."""
        properties = _properties(paragraph)
        return _merged(self._style(val(properties.get("pStyle")), depth=0), properties)

    def _style(self, key: str, *, depth: int) -> ParagraphRole:
        """The role of a style. The depth is limited, because broken files have cycles of styles."""
        if key in self._roles:
            return self._roles[key]
        style = self._elements.get(key)
        if style is None or depth > 20:
            return ParagraphRole()
        parts = {local_name(child): child for child in child_elements(style)}
        role = self._style(val(parts.get("basedOn")), depth=depth + 1)
        role = _named(role, val(parts.get("name")).strip())
        self._roles[key] = _merged(role, _properties(style))
        return self._roles[key]


def _named(role: ParagraphRole, name: str) -> ParagraphRole:
    if match := _HEADING.fullmatch(name):
        return ParagraphRole(level=int(match.group(1)))
    if _TITLE.fullmatch(name):
        return ParagraphRole(title=True)
    if _CONTENTS.match(name):
        return ParagraphRole(contents=True)
    return role


def _merged(role: ParagraphRole, properties: dict[str, Any]) -> ParagraphRole:
    level = val(properties.get("outlineLvl"))
    if level.isdecimal() and not role.title and not role.contents:
        role = replace(role, level=int(level) + 1 if int(level) < 9 else None)
    if "numPr" not in properties:
        return role
    numbering = {local_name(child): val(child) for child in properties["numPr"]}
    if numbering.get("numId") == "0":
        return replace(role, list_depth=None)
    depth = numbering.get("ilvl", "0")
    return replace(role, list_depth=min(int(depth), 8) if depth.isdecimal() else 0)


def _properties(element: _Element) -> dict[str, Any]:
    return {local_name(child): child for properties in child_elements(element, "pPr") for child in properties}
