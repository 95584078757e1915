"""Elements of XML by their local names, in any namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lxml.etree import _Element

    Element: TypeAlias = _Element
else:
    Element = object  # lxml is imported where a file of XML or HTML is read


def local_name(element: Element) -> str:
    """The name of an element without its namespace, "" for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


@cache
def _match(*names: str) -> tuple[str, ...]:
    """What lxml takes for elements of these names in any namespace, or for all elements."""
    return tuple(f"{{*}}{name}" for name in names) or ("*",)


def child_elements(element: Element | None, *names: str) -> Iterator[Element]:
    return iter(()) if element is None else element.iterchildren(*_match(*names))


def find_child(element: Element | None, *path: str) -> Element | None:
    for name in path:
        element = next(child_elements(element, name), None)
    return element


def descendants(element: Element, *names: str) -> Iterator[Element]:
    found: Iterator[Element] = element.iter(*_match(*names))
    return found


def contains(element: Element, *names: str) -> bool:
    return next(descendants(element, *names), None) is not None


def has_any_text(element: Element) -> bool:
    return any((text.text or "").strip() for text in descendants(element, "t", "delText"))


def attribute(element: Element | None, name: str) -> str:
    if element is None:
        return ""
    return next((str(text) for key, text in element.attrib.items() if key.rpartition("}")[2] == name), "")


def val(element: Element | None) -> str:
    return attribute(element, "val")


def is_set(element: Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return element is not None and val(element) not in ("0", "false", "off", "none")


def read_int(text: str | None, usual: int = 0, least: int = -(10**8), most: int = 10**8) -> int:
    """A whole number between the limits; `usual` if the text is none."""
    return min(max(int(text), least), most) if text and re.fullmatch(r"\s*-?\d{1,15}\s*", text) else usual


def unwrap(root: Element) -> None:
    """Replace each AlternateContent by the first of its versions that is no ink (ISO/IEC 29500-3, 10.2.1)."""
    for wrapper in list(descendants(root, "AlternateContent")):
        versions = [list(child_elements(version)) for version in child_elements(wrapper)]
        readable = (version for version in versions if version and local_name(version[0]) != "contentPart")
        if (parent := wrapper.getparent()) is not None:
            for element in next(readable, []):
                wrapper.addprevious(element)
            parent.remove(wrapper)


def parse_xml(data: bytes, *, recover: bool = False) -> Element:
    """The root element. Nothing is fetched and no entity is expanded. Raises an error of lxml or ValueError."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=recover)
    root = etree.fromstring(data, parser)
    if root is None:
        raise ValueError("There is no element.")
    return root


TAB = "\u2029"
"""A tab of a paragraph: white space, unlike that of a source it may part columns."""
DEPTH, LABEL = "lectern-depth", "lectern-label"
"""Attributes of an <li> outside of lists: its level from 0, and its number, "" for a bullet."""


def make_element(tag: str, text: str = "") -> Element:
    from lxml import etree

    element = etree.Element(tag)
    element.text = text
    return element


def add_element(target: Element, tag: str, text: str = "", **attributes: str) -> Element:
    from lxml import etree

    element = etree.SubElement(target, tag, attributes)
    element.text = text
    return element


def add_text(target: Element, text: str | None, tag: str = "") -> None:
    """Add text, in an element of this tag if there is one. It continues such an element directly before it."""
    if tag and text and not (len(target) and target[-1].tag == tag and not target[-1].tail):
        add_element(target, tag, text)
    elif tag and text:
        target[-1].text = (target[-1].text or "") + text
    elif text and len(target):
        target[-1].tail = (target[-1].tail or "") + text
    elif text:
        target.text = (target.text or "") + text
