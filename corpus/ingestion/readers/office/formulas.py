"""Office formulas (OMML) on one line: (a)/(b), x^(2), ∑_(i=1)^(n) i."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from corpus.ingestion.readers.structure import one_line
from corpus.ingestion.readers.xml import Element, child_elements, find_child, local_name, val

_SPECIAL = re.compile(r"[{}%&#$]")  # in TeX
_ACCENTS = {"\u20d7": "vec", "\u20d1": "vec", "\u0302": "hat", "\u0303": "tilde", "\u0307": "dot", "\u0308": "ddot"}
_LINES, _BRACES = "\u0304\u0305", "⏞⏟︷︸"


def write_formula(element: Element) -> str:
    """The formula as TeX that can also be read as text."""
    return one_line(_write(element))


def _write(element: Element) -> str:
    name = local_name(element)

    def parts(name: str) -> list[str]:
        return [_write(child) for child in child_elements(element, name)]

    def part(name: str) -> str:
        return "".join(parts(name))

    def scripts(**signs: str) -> str:
        return "".join(f"{sign}({text})" for name, sign in signs.items() if (text := part(name)))

    def sign(key: str, usual: str) -> str:
        stated = find_child(element, f"{name}Pr", key)
        return usual if stated is None else _escape(val(stated))

    match name:
        case "t":
            return _escape(element.text or "")
        case "f":
            no_line = sign("type", "bar") == "noBar"
            return rf"\binom{{{part('num')}}}{{{part('den')}}}" if no_line else f"({part('num')})/({part('den')})"
        case "sSup" | "sSub" | "sSubSup":
            base = list(map(local_name, child_elements(find_child(element, "e"), "f", "sSup", "nary", "func")))
            return (f"({part('e')})" if base else part("e")) + scripts(sub="_", sup="^")
        case "sPre":
            return scripts(sub="_", sup="^") + part("e")
        case "rad":
            return f"{scripts(deg='^')}√({part('e')})"
        case "nary":
            return f"{sign('chr', '∫')}{scripts(sub='_', sup='^')} {part('e')} "
        case "func":
            return f" {part('fName')} {part('e')} "
        case "limLow" | "limUpp":
            return part("e") + scripts(lim="_" if name == "limLow" else "^")
        case "d":
            inner = sign("sepChr", "|").join(parts("e"))
            is_binomial = re.fullmatch(r"\\binom\{[^{}]*\}\{[^{}]*\}", inner)
            return inner if is_binomial else sign("begChr", "(") + inner + sign("endChr", ")")
        case "m" | "eqArr":
            rows = "; ".join(parts("mr" if name == "m" else "e"))
            has_brackets = name == "eqArr" or "d" in map(local_name, islice(element.iterancestors(), 2))
            return rows if has_brackets else f"[{rows}]"
        case "mr":
            return ", ".join(parts("e"))
        case "bar":
            return f"{'overline' if sign('pos', 'bot') == 'top' else 'underline'}({part('e')})"
        case "acc":
            inner, accent = part("e"), sign("chr", "\u0302")
            if len(inner) == 1:
                return unicodedata.normalize("NFC", inner + accent)
            return f"{'overline' if accent in _LINES else _ACCENTS.get(accent, '')}({inner})"
        case "groupChr" if sign("chr", "⏟") not in _BRACES:
            return f"{sign('chr', '')}^({part('e')})"
        case _ if name.endswith("Pr") or name in ("del", "moveFrom") or sign("show", "1") in ("0", "off", "false"):
            return ""
    return "".join(map(_write, child_elements(element)))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
