"""MathML as TeX, for formulas that do not bring their TeX along."""

from __future__ import annotations

from corpus.ingestion.readers.structure import MAX_DEPTH, one_line
from corpus.ingestion.readers.xml import Element

_FORMS = {
    "msup": "{0}^{{{1}}}",
    "mover": "{0}^{{{1}}}",
    "msub": "{0}_{{{1}}}",
    "munder": "{0}_{{{1}}}",
    "msubsup": "{0}_{{{1}}}^{{{2}}}",
    "munderover": "{0}_{{{1}}}^{{{2}}}",
    "mfrac": r"\frac{{{0}}}{{{1}}}",
    "mroot": r"\sqrt[{1}]{{{0}}}",
}
_ACCENTS = {"¯": "bar", "‾": "overline", "→": "vec", "^": "hat", "ˆ": "hat", "~": "tilde", "˙": "dot"}
_ROWS = ("mtr", "mlabeledtr")


def find_tex(math: Element) -> str:
    """The TeX of a formula: as it says itself, or else made from its elements. "" if it is empty."""
    for inner in math.iter():
        if _name(inner) == "annotation" and "tex" in (inner.get("encoding") or ""):
            return one_line("".join(inner.itertext()))
    return one_line(math.get("alttext") or _tex(math, 0))


def _tex(element: Element, depth: int) -> str:
    name = _name(element)
    if name.startswith("annotation") or depth > MAX_DEPTH:
        return ""
    children = [child for child in element if isinstance(child.tag, str)]
    parts = [_tex(child, depth + 1) for child in children]
    if name == "mover" and len(parts) == 2 and (accent := _ACCENTS.get(parts[1].strip())):
        return rf"\{accent}{{{parts[0]}}}"
    if name in _FORMS and len(parts) == _FORMS[name].count("{{{") + (_FORMS[name][0] == "{"):
        is_one = len(parts[0]) < 2 or parts[0].isalnum() or (parts[0][0] + parts[0][-1] in ("()", "[]", "||"))
        base = parts[0] if is_one or name in ("mfrac", "mroot") else f"{{{parts[0]}}}"
        return _FORMS[name].format(base, *parts[1:])
    if name == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if name == "mfenced":
        marks = element.get("separators", ",").strip() or ""
        return f"{element.get('open', '(')}{f'{marks[:1]} '.join(parts)}{element.get('close', ')')}"
    if name == "mtable":
        return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
    if name in _ROWS:
        return " & ".join(parts)
    if name == "mtext":
        return rf"\text{{{''.join(element.itertext())}}}"
    if children:
        return "".join(parts)
    text = one_line("".join(element.itertext()))
    return f" {text} " if name == "mo" and text in "=<>≤≥≈≠→⇒⇔" else text


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else ""
