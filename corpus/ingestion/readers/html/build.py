"""Elements of HTML that other formats are converted to, as `HtmlBlocks` reads them."""

from __future__ import annotations

from corpus.ingestion.readers.xml import Element

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
