"""What people do not see of a web page: hidden, crossed out, or in the colour of its ground."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from corpus.ingestion.readers.xml import Element

CROSSED, UNSEEN, COMMENTS = ("Crossed-out text was left out.", "Hidden text was left out.", "Comments were left out.")
_NO_TEXT = {
    *("script", "style", "nav", "head", "iframe", "object", "embed", "svg", "canvas", "audio", "video", "button"),
    *("dialog", "datalist", "map", "rp", "rt"),
}
_ROLES = ("navigation", "search", "menu", "menubar")
_CROSSING = {"del", "s", "strike"}
HIDING = _NO_TEXT | _CROSSING | {"template", "noscript"}
"""Elements that are not part of the text, whatever they have in them."""
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d]*[1-9])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_LINE_THROUGH = re.compile(r"(?:^|;)\s*text-decoration[\w-]*\s*:[^;]*line-through", re.IGNORECASE)
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)", re.IGNORECASE)
_GROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITE = {"white", "#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)"}
_STYLES = (_HIDDEN_STYLE, _LINE_THROUGH, _COLOUR, _GROUND, re.compile("vertical-align"))
_COMMENT = re.compile(r"<!--(?!\[if|\s*/?wp:)(.*?)(?:-->|\Z)", re.DOTALL)
_WORDED = re.compile(r"[^<>]*?[^\W\d_]{2}")
_AT_RULE = re.compile(r"@[^{};@]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})|/\*.*?(?:\*/|\Z)", re.DOTALL)
_RULE = re.compile(r"(?<![^{}])([^{}]+)\{([^{}]*)\}")
_SELECTOR = re.compile(r"(?P<tag>[a-z]\w*)?(?P<name>[.#][\w-]+)?", re.IGNORECASE)
_MAX_RULES = 5000
_MAX_SAME = 20  # rules for a name


def is_hidden_element(element: Element) -> bool:
    """Whether the element is invisible, crossed out, or not part of the text, such as navigation and scripts."""
    is_text = isinstance(element.tag, str) and element.tag not in _NO_TEXT and element.get("role") not in _ROLES
    return not is_text or bool(_reason(element))


def apply_styles(root: Element, css: str) -> None:
    """Write what a style sheet, in the page or beside it, hides or crosses out into the elements themselves."""
    css = _AT_RULE.sub("", "\n".join([css, *(style.text or "" for style in root.iter("style"))]))
    rules: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for selectors, declared in islice(_RULE.findall(css), _MAX_RULES):
        if any(kind.search(declared) for kind in _STYLES):
            for match in filter(None, (_SELECTOR.fullmatch(one.strip()) for one in selectors.split(","))):
                known = rules[match["name"] or match["tag"] or ""]
                known += [(match["tag"] or "", declared)] if len(known) < _MAX_SAME else []
    for element in root.iter() if rules else ():
        tag = str(element.tag)
        names = [tag, *(f".{name}" for name in (element.get("class") or "").split()), f"#{element.get('id')}"]
        found = [declared for name in names for wanted, declared in rules.get(name, ()) if wanted in ("", tag)]
        if found:
            element.set("style", ";".join([*found, element.get("style") or ""]))


def find_left_out(root: Element, source: str) -> tuple[str, ...]:
    reasons = {COMMENTS} if any(_WORDED.match(comment) for comment in _COMMENT.findall(source)) else set()
    for element in root.iter("*"):
        if (reason := _reason(element)) and any(map(str.isalnum, "".join(element.itertext()))):
            reasons.add(reason)
    return tuple(note for note in (CROSSED, UNSEEN, COMMENTS) if note in reasons)


def _reason(element: Element) -> str:
    style = element.get("style") or ""
    if element.tag in _CROSSING or (style and _LINE_THROUGH.search(style)):
        return CROSSED
    is_off = element.get("hidden") is not None or element.get("aria-hidden") == "true"
    is_unseen = element.tag in ("template", "noscript") or is_off or _has_colour_of_ground(element, style)
    is_formula = "mwe-math-mathml" in element.get("class", "")  # MediaWiki hides it beside a picture of it
    return UNSEEN if is_unseen or (_HIDDEN_STYLE.search(style) and not is_formula) else ""


def _has_colour_of_ground(element: Element, style: str) -> bool:
    found = _COLOUR.search(style)
    colour = _normalize_colour(found[1] if found else element.get("color") or "" if element.tag == "font" else "")
    if not colour:
        return False
    for one in (element, *element.iterancestors()):
        found = _GROUND.search(one.get("style") or "")
        if ground := _normalize_colour(found[1] if found else one.get("bgcolor") or ""):
            return colour in ("transparent", ground)
    return colour in ("transparent", "#fff")


def _normalize_colour(text: str) -> str:
    colour = "".join(text.lower().split())
    return "#fff" if colour in _WHITE else colour
