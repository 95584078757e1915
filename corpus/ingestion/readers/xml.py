"""Elements of XML by their local names, in any namespace."""

from __future__ import annotations

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
    """The child elements, all or those with these names."""
    return iter(()) if element is None else element.iterchildren(*_match(*names))


def find_child(element: Element | None, *path: str) -> Element | None:
    for name in path:
        element = next(child_elements(element, name), None)
    return element


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """The element and all elements in it that have one of these names."""
    found: Iterator[Element] = element.iter(*_match(*names))
    return found


def contains(element: Element, *names: str) -> bool:
    return next(descendants(element, *names), None) is not None


def has_any_text(element: Element) -> bool:
    """Whether there is any text, deleted text included."""
    return any((text.text or "").strip() for text in descendants(element, "t", "delText"))


def attribute(element: Element | None, name: str) -> str:
    """The attribute of this name, "" if there is none."""
    if element is None:
        return ""
    return next((str(text) for key, text in element.attrib.items() if key.rpartition("}")[2] == name), "")


def val(element: Element | None) -> str:
    """The `val` attribute, "" if there is none."""
    return attribute(element, "val")


def is_set(element: Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return element is not None and val(element) not in ("0", "false", "off", "none")


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
