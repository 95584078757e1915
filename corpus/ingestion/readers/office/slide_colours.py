"""The colours of text and of what is behind it on a slide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.xml import attribute, child_elements, descendants, find_child, local_name, val

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide


class SlideColours:
    """Colours in hexadecimal digits, "" where they are not known: pictures, gradients, shades of the theme."""

    def __init__(self, slide: Slide) -> None:
        master = slide.slide_layout.slide_master
        self._layers: tuple[Any, ...] = (slide, slide.slide_layout, master)
        self._names = {str(key): str(name) for key, name in next(descendants(master.element, "clrMap")).attrib.items()}

    def find_colour(self, fill: _Element | None) -> str:
        colour = next(child_elements(fill), None)
        if colour is not None and local_name(colour) == "schemeClr" and not len(colour):
            from pptx.opc.constants import RELATIONSHIP_TYPE
            from pptx.oxml import parse_xml

            theme = parse_xml(self._layers[2].part.part_related_by(RELATIONSHIP_TYPE.THEME).blob)
            name = self._names.get(val(colour), val(colour))
            colour = find_child(theme, "themeElements", "clrScheme", name)
            colour = next(child_elements(colour), None)
        code = attribute(colour, "lastClr") or val(colour)
        return code if len(code) == 6 and colour is not None and not len(colour) else ""

    def find_ground(self, shape: BaseShape) -> str:
        """The colour behind the text of a shape."""
        own = _find_fill(shape.element)
        if own is None and (base := getattr(shape, "_base_placeholder", None)) is not None:
            own = _find_fill(base.element)
        if own is not None and local_name(own) != "noFill":
            return self.find_colour(own)
        if any(_covers(other, shape) for layer in self._layers for other in layer.shapes):
            return ""
        grounds = (find_child(layer.element, "cSld", "bg") for layer in self._layers)
        ground = next((each for each in grounds if each is not None), None)
        plain = find_child(ground, "bgRef")
        if ground is None or (plain is not None and attribute(plain, "idx") not in ("0", "1000", "1001")):
            return "" if plain is not None else "FFFFFF"  # the theme may have a picture
        return self.find_colour(_find_fill(ground) if plain is None else plain)


def _find_fill(element: _Element | None) -> _Element | None:
    """The fill of a shape or background by its properties, or else by its style."""
    properties = next(child_elements(element, "spPr", "grpSpPr", "bgPr"), None)
    fills = child_elements(properties, "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
    reference = find_child(element, "style", "fillRef")
    return next(fills, None if attribute(reference, "idx") == "0" else reference)


def _covers(other: BaseShape, shape: BaseShape) -> bool:
    """Whether another shape with a fill of its own, or a picture, touches this one."""
    fill = _find_fill(other.element)
    is_clear = other.has_text_frame if fill is None else local_name(fill) == "noFill"
    if is_clear or other.element is shape.element:
        return False
    one, two = ((each.left or 0, each.top or 0, each.width or 0, each.height or 0) for each in (other, shape))
    return all(one[n] < two[n] + two[n + 2] and two[n] < one[n] + one[n + 2] for n in (0, 1))
