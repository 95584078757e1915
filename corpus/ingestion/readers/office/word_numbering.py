"""The automatic numbers of a Word document, counted as Word counts them (ISO/IEC 29500-1, 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.ingestion.readers.numerals import format_number
from corpus.ingestion.readers.office.word_styles import ParagraphRole
from corpus.ingestion.readers.symbol_fonts import read_box
from corpus.ingestion.readers.xml import Element, attribute, child_elements, find_child, is_set, val


@dataclass(frozen=True)
class _List:
    definition: str  # lists of one definition go on counting
    levels: dict[int, Element]
    starts: dict[int, int]  # where this list begins anew


class Numbering:
    def __init__(self, root: Element | None) -> None:
        definitions = {attribute(one, "abstractNumId"): one for one in child_elements(root, "abstractNum")}
        linked = {val(link): key for key, one in definitions.items() for link in child_elements(one, "styleLink")}
        self._lists: dict[str, _List] = {}
        for one in child_elements(root, "num"):
            key = val(find_child(one, "abstractNumId"))
            key = linked.get(val(find_child(definitions.get(key), "numStyleLink")), key)
            own = list(child_elements(one, "lvlOverride"))
            levels = [level for parent in (definitions.get(key), *own) for level in child_elements(parent, "lvl")]
            starts = [start for each in own for start in child_elements(each, "startOverride")]
            self._lists[attribute(one, "numId")] = _List(
                key,
                {_number(attribute(level, "ilvl")): level for level in levels},
                {_number(attribute(start.getparent(), "ilvl")): _number(val(start)) for start in starts},
            )
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
            if restart is None or depth < _number(val(restart)):
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


def _form(level: Element) -> str:
    return val(find_child(level, "numFmt")) or "decimal"


def _start(level: Element) -> int:
    return _number(val(find_child(level, "start")))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0
