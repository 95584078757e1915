"""What Word's styles and properties say: the role of a paragraph, its number, and how a run is to be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpus.ingestion.readers import xml
from corpus.ingestion.readers.html.unseen import CROSSED, UNSEEN
from corpus.ingestion.readers.office.text_reader import RunLook
from corpus.ingestion.readers.signs import format_number, read_box
from corpus.ingestion.readers.structure import MAX_DEPTH
from corpus.ingestion.readers.xml import attribute, child_elements, find_child, is_set, read_int, val

# Word stores built-in style names in English; other programs and old templates do not.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|titulo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|"
    r"заголовок|başlık|标题|標題|見出し|제목)\s*([1-9])\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:title|titel|titre|título|titolo|tytuł|название)", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|verzeichnis|inhaltsverzeichnis|tm|tdc|sommario)\s*\d|table of figures", re.IGNORECASE)
_COLOUR = re.compile(r"[0-9a-fA-F]{6}")
_HIGHLIGHTS = {"white": "FFFFFF", "black": "000000", "yellow": "FFFF00"}
_MAX_LIKE = 24  # of 255, by which two colours differ that cannot be told apart
_MIN_SHIFT = 3  # half points


@dataclass(frozen=True)
class ParagraphRole:
    level: int | None = None  # of a heading, from 1
    title: bool = False
    contents: bool = False
    list_id: str = ""  # of its numbering, "" for a paragraph that is no item
    list_depth: int | None = None  # from 0, None if its style says it
    list_style: str = ""  # the style that has the numbering


class Styles:
    """Roles and looks by style. A style inherits from the style that it is based on."""

    def __init__(self, styles: xml.Element, page_colour: str) -> None:
        """`page_colour` is "" if it is not known."""
        self._elements = {attribute(style, "styleId"): style for style in child_elements(styles, "style")}
        self._roles: dict[str, ParagraphRole] = {}
        self._looks: dict[str, dict[str, xml.Element]] = {}
        self._page_colour = page_colour

    def role(self, paragraph: xml.Element) -> ParagraphRole:
        """The role of a paragraph. Its own properties override those of its style."""
        properties = _properties(paragraph)
        return _merged(self._style(val(properties.get("pStyle"))), properties)

    def look(self, run: xml.Element) -> RunLook:
        paragraph = next(run.iterancestors("{*}p"), None)
        own, inherited = _properties(run, "rPr"), self._inherited(paragraph)
        look = {**inherited, **self._run_properties(val(own.get("rStyle"))), **own}
        if not look:
            return RunLook()
        is_crossed = is_set(look.get("strike")) or is_set(look.get("dstrike"))
        is_hidden = is_set(look.get("vanish")) or is_set(look.get("webHidden")) or self._is_unseen(run, look)
        left_out = CROSSED if is_crossed else UNSEEN if is_hidden else ""
        is_initial = find_child(paragraph, "pPr", "framePr") is not None  # a large one
        height = 0 if is_initial else read_int(val(look.get("position")))
        align = {"superscript": 9, "subscript": -9}.get(val(look.get("vertAlign")), height)
        shift = "sup" if align >= _MIN_SHIFT else "sub" if align <= -_MIN_SHIFT else ""
        fonts = look.get("rFonts")
        mark = next((name for name in ("b", "i") if is_set(look.get(name))), "")
        return RunLook(shift, left_out, attribute(fonts, "ascii") or attribute(fonts, "hAnsi"), mark)

    def is_counted(self, paragraph: xml.Element) -> bool:
        """Whether Word gives the paragraph a number: not if its end is hidden or deleted."""
        marks = {**self._inherited(paragraph), **_properties(find_child(paragraph, "pPr"), "rPr")}
        return not (is_set(marks.get("vanish")) or "del" in marks or "moveFrom" in marks)

    def _chain(self, key: str) -> Iterator[xml.Element]:
        """A style and those that it is based on. Their number is limited, because broken files have cycles."""
        for _ in range(MAX_DEPTH):
            if (style := self._elements.get(key)) is None:
                return
            yield style
            key = val(find_child(style, "basedOn"))

    def _style(self, key: str) -> ParagraphRole:
        if key not in self._roles:
            role = ParagraphRole()
            for style in reversed([*self._chain(key)]):
                role = _named(role, val(find_child(style, "name")).strip())
                role = _merged(role, _properties(style), attribute(style, "styleId"))
            self._roles[key] = role
        return self._roles[key]

    def _inherited(self, paragraph: xml.Element | None) -> dict[str, xml.Element]:
        return self._run_properties(val(find_child(paragraph, "pPr", "pStyle")))

    def _run_properties(self, key: str) -> dict[str, xml.Element]:
        if key not in self._looks:
            styles = reversed([*self._chain(key)])
            self._looks[key] = {name: one for style in styles for name, one in _properties(style, "rPr").items()}
        return self._looks[key]

    def _is_unseen(self, run: xml.Element, look: dict[str, xml.Element]) -> bool:
        """Whether the text has the colour of its ground, where that is known: not in drawings and shaded styles."""
        colour, ground = val(look.get("color")), _HIGHLIGHTS.get(val(look.get("highlight")), "")
        if not _COLOUR.fullmatch(colour) or (is_set(look.get("highlight")) and not ground):
            return False
        ground = ground or _fill(look.get("shd"))
        for above in run.iterancestors():
            ground = ground or _fill(find_child(above, f"{xml.local_name(above)}Pr", "shd"))
            path = ("pPr", "pStyle") if xml.local_name(above) == "p" else ("tblPr", "tblStyle")
            style = find_child(above, *path)
            shades = (shade for one in self._chain(val(style)) for shade in xml.descendants(one, "shd"))
            if not ground and (any(map(_fill, shades)) or xml.local_name(above) == "txbxContent"):
                return False
        ground = ground or self._page_colour
        return bool(ground) and is_same_colour(colour, ground)


def is_same_colour(colour: str, other: str) -> bool:
    pairs = zip(bytes.fromhex(colour), bytes.fromhex(other), strict=True)
    return all(abs(one - two) <= _MAX_LIKE for one, two in pairs)


def _fill(shade: xml.Element | None) -> str:
    colour = attribute(shade, "color" if val(shade) == "solid" else "fill")
    return colour if _COLOUR.fullmatch(colour) else ""


def _named(role: ParagraphRole, name: str) -> ParagraphRole:
    if match := _HEADING.fullmatch(name):
        return replace(role, level=int(match[1]), title=False, contents=False)
    is_title, is_contents = _TITLE.fullmatch(name) is not None, _CONTENTS.match(name) is not None
    return ParagraphRole(title=is_title, contents=is_contents) if is_title or is_contents else role


def _merged(role: ParagraphRole, properties: dict[str, xml.Element], style: str = "") -> ParagraphRole:
    level = val(properties.get("outlineLvl"))
    if level.isdecimal() and not role.title and not role.contents:
        role = replace(role, level=int(level) + 1 if int(level) < 9 else None)
    if "numPr" not in properties:
        return role
    numbering = {xml.local_name(child): val(child) for child in properties["numPr"]}
    list_id, depth = numbering.get("numId", role.list_id), numbering.get("ilvl", "")
    if list_id in ("", "0"):
        return replace(role, list_id="", list_depth=None)
    known = min(int(depth), 8) if depth.isdecimal() else role.list_depth if style or "numId" not in numbering else 0
    return replace(role, list_id=list_id, list_depth=known, list_style=style or role.list_style)


def _properties(element: xml.Element | None, name: str = "pPr") -> dict[str, xml.Element]:
    return {xml.local_name(child): child for child in child_elements(find_child(element, name))}


@dataclass(frozen=True)
class _List:
    definition: str  # lists of one definition go on counting
    levels: dict[int, xml.Element]
    starts: dict[int, int]  # where this list begins anew


class Numbering:
    def __init__(self, root: xml.Element | None) -> None:
        definitions = {attribute(one, "abstractNumId"): one for one in child_elements(root, "abstractNum")}
        linked = {val(link): key for key, one in definitions.items() for link in child_elements(one, "styleLink")}
        self._lists: dict[str, _List] = {}
        for one in child_elements(root, "num"):
            key = val(find_child(one, "abstractNumId"))
            key = linked.get(val(find_child(definitions.get(key), "numStyleLink")), key)
            own = list(child_elements(one, "lvlOverride"))
            levels = [level for parent in (definitions.get(key), *own) for level in child_elements(parent, "lvl")]
            starts = [start for each in own for start in child_elements(each, "startOverride")]
            begins = {read_int(attribute(start.getparent(), "ilvl")): read_int(val(start)) for start in starts}
            by_depth = {read_int(attribute(level, "ilvl")): level for level in levels}
            self._lists[attribute(one, "numId")] = _List(key, by_depth, begins)
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def find_depth(self, role: ParagraphRole) -> int:
        """The level of an item, from 0. Without one of its own it is the level that names its style."""
        if role.list_depth is not None:
            return role.list_depth
        levels = self._lists[role.list_id].levels if role.list_id in self._lists else {}
        return next((depth for depth in levels if val(find_child(levels[depth], "pStyle")) == role.list_style), 0)

    def count(self, role: ParagraphRole) -> str | None:
        """The number of the next item as it is shown, "" for a bullet. None for a level without a mark."""
        depth, known = self.find_depth(role), self._lists.get(role.list_id)
        if known is None or depth not in known.levels:
            return ""
        level, counts = known.levels[depth], self._counts.setdefault(known.definition, {})
        begins = depth in known.starts and (role.list_id, depth) not in self._begun
        start = known.starts.get(depth, _start(level))
        counts[depth] = start if begins or depth not in counts else counts[depth] + 1
        self._begun.add((role.list_id, depth))
        for deeper in [one for one in counts if one > depth]:
            restart = find_child(known.levels.get(deeper), "lvlRestart")
            if restart is None or depth < read_int(val(restart)):
                del counts[deeper]
        text = val(find_child(level, "lvlText"))
        if _form(level) == "bullet":
            fonts = find_child(level, "rPr", "rFonts")
            return read_box(text, attribute(fonts, "ascii") or attribute(fonts, "hAnsi"))

        def show(match: re.Match[str]) -> str:
            above = known.levels.get(int(match[1]) - 1, level)
            is_legal = is_set(find_child(level, "isLgl")) and _form(above) != "none"
            return format_number(counts.get(int(match[1]) - 1, _start(above)), "decimal" if is_legal else _form(above))

        text = re.sub(r"%([1-9])", show, text).strip()
        return (text.rstrip(".") if " " in text else text) or None  # “Article 3.” would end a sentence


def _form(level: xml.Element) -> str:
    return val(find_child(level, "numFmt")) or "decimal"


def _start(level: xml.Element) -> int:
    return read_int(val(find_child(level, "start")))
