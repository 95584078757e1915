"""The text of web page elements, formulas as TeX, and the rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.ingestion.readers.html.unseen import is_hidden_element
from corpus.ingestion.readers.signs import join_lowered, raise_text
from corpus.ingestion.readers.structure import MAX_DEPTH, one_line
from corpus.ingestion.readers.tables import Table, read_table
from corpus.ingestion.readers.xml import Element, read_int

HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "li", "main"),
    *("ol", "p", "pre", "section", "summary", "table", "ul", "caption", "tr", "td", "th", *HEADINGS),
}
_MAX_SPAN = 64  # columns
_MARK = re.compile(r"\[?\(?(\d{1,3}|[a-z*†‡§])\)?\]?")
_NOTE = re.compile(r"\W{0,2}(\d{1,3})\W{0,2}\s+\w")
_RAISED = re.compile(r"vertical-align\s*:\s*(sup(?=er\b)|sub\b)", re.IGNORECASE)
_BACK = "↩↑↵⏎⤴⮌⬆⇧^\ufe0e\ufe0f \xa0\n\t"  # of a link from a note to its mark
_NOTE_TYPES = ("noteref", "doc-noteref")
_EMPHASIS = {"b": "**", "strong": "**", "dfn": "**", "i": "*", "em": "*"}
_UNSHOWN = ("hidden", "submit", "button", "reset", "image", "password", "file")


def mark_notes(root: Element) -> None:
    """Mark raised numbers that are no links as marks of notes, if the page ends with notes of these numbers."""
    texts = (one_line(one.xpath("substring(string(), 1, 200)"))[:40] for one in root.iter("p", "li", "div", "td"))
    numbers = {match[1] for text in texts if (match := _NOTE.match(text))}
    for raised in root.iter("sup"):
        before = re.split(r"\s", _find_text_before(raised))[-1]
        year_or_word = re.search(r"[^\W\d_]{3}$|[.,;:!?”\"')]$|(?<!\d)[12]\d{3}$", before)
        mark = _MARK.fullmatch("".join(raised.itertext()).strip())
        if before and mark and mark[1] in numbers and raised.find(".//a") is None and year_or_word:
            raised.set("role", "doc-noteref")


def inline_text(element: Element, depth: int = 0) -> str:
    r"""The text of the element, blocks between spaces: line breaks as \v, code as `...`, powers as ^2, TeX as $...$."""
    is_nested = element.tag == "table" and depth and element.find(".//table") is not None
    if depth > MAX_DEPTH or is_nested:
        return " ".join(element.itertext())
    if element.tag == "br":
        return "\v"
    if element.tag == "math":
        return f"${formula}$" if (formula := find_tex(element)) else ""
    if element.tag in ("img", "input", "select", "textarea"):
        return _value(element)
    if element.tag == "table" and depth:
        return _flat(read_html_table(element)[1])
    parts = [element.text or ""]
    for child in element:
        if not is_hidden_element(child):
            add_inline(parts, child, depth + 1)
        parts.append(child.tail or "")
    text = "".join(parts)
    if element.tag in ("code", "kbd", "samp") and text.strip() and "`" not in text:
        return f"`{text}`"
    if element.tag == "a" and "#" in (element.get("href") or "") and not text.strip(_BACK):
        return ""
    is_raised = _position(element) == "sup"
    if (is_raised or element.tag == "a") and (mark := _note_mark(element, text)):
        return mark
    return raise_text(text) if is_raised else text


def add_inline(parts: list[str], element: Element, depth: int = 0) -> None:
    text = inline_text(element, depth)
    if _position(element) == "sub":
        text = join_lowered("".join(parts[-3:]), text)
    parts.append(f" {text} " if element.tag in BLOCKS else text)


def line_text(element: Element) -> str:
    return one_line(inline_text(element).replace("\v", " "))


def find_marks(element: Element) -> Iterator[str]:
    """Yield the words in bold as “**words**”, those in italics as “*words*”, without lines that are headings."""
    for first in element.iter(*_EMPHASIS):
        if _goes_on(first.getprevious(), first):
            continue  # it is part of what was found
        last, parts = first, [*first.itertext()]
        while (rest := last.getnext()) is not None and _goes_on(last, rest):
            parts += [last.tail or "", *rest.itertext()]
            last = rest
        text, sign = one_line("".join(parts)).strip(" .,:;"), _EMPHASIS[first.tag]
        if len(text) > 1 and "*" not in text and not _fill_block(first, last):
            yield f"{sign}{text}{sign}"


def _goes_on(one: Element | None, rest: Element) -> bool:
    """Whether two elements beside each other are of one look: a word is often cut into some."""
    if one is None or _EMPHASIS.get(one.tag) != _EMPHASIS.get(rest.tag, ""):
        return False
    return not (one.tail or "").strip()


def _fill_block(first: Element, last: Element) -> bool:
    """Whether the text from one element to another is all that their block has."""
    while (parent := first.getparent()) is not None and first.getprevious() is None and last.getnext() is None:
        if (parent.text or "").strip() or (last.tail or "").strip():
            return False
        if parent.tag in BLOCKS:
            return True
        first = last = parent
    return False


def read_html_table(table: Element) -> tuple[list[str], Table | None]:
    """What stands over all columns above the header, and the table of data, None if it is empty."""
    lines, titles, named = list(_list_rows(table)), list[str](), 0
    width = max((len(cells) for _, cells in lines), default=0)
    while len(lines) > 2 and width > 1 and len(lines[0][0]) == 1 and sum(map(bool, lines[0][1])) == 1:
        titles.append(lines.pop(0)[1][0])
    while named < len(lines) and (lines[named][0].getparent().tag == "thead" or lines[named][0].find("td") is None):
        named += 1
    if lines and not named and any(read_int(cell.get("colspan")) > 1 for cell in lines[0][0]):
        tallest = max(read_int(cell.get("rowspan"), 1) for cell in lines[0][0])
        named = tallest if tallest > 1 else 0
    rows = [cells + [""] * (width - len(cells)) for _, cells in lines]
    return titles, read_table(rows, depth=named or None) if rows else None


def _list_rows(table: Element) -> Iterator[tuple[Element, list[str]]]:
    """The rows that are not empty. A cell that spans rows is repeated in each; empty cells follow one over columns."""
    group, below = None, dict[int, tuple[int, str]]()  # by column: the rows that a cell above still spans, and its text
    for row in table.iter("tr"):
        if next(row.iterancestors("table")) is not table or is_hidden_element(row):
            continue
        if row.getparent() is not group:
            group, below = row.getparent(), {}
        taken, below = below, {column: (rows - 1, text) for column, (rows, text) in below.items() if rows > 1}
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            if is_hidden_element(cell):
                continue
            while len(cells) in taken:
                cells.append(taken[len(cells)][1])
            across, down = read_int(cell.get("colspan"), 1, 1, _MAX_SPAN), read_int(cell.get("rowspan"), 1, 1)
            texts = [line_text(cell), *[""] * (across - 1)]
            if down > 1:
                spanned = zip(range(len(cells), _MAX_SPAN), texts, strict=False)
                below.update((column, (down - 1, text)) for column, text in spanned)
            cells += texts
        own = any(cells)
        while own and len(cells) in taken:
            cells.append(taken[len(cells)][1])
        if own:
            yield row, cells


def _flat(table: Table | None) -> str:
    """A table within a cell on one line: “Day: Monday, Room: A1; Day: Friday, Room: A2”."""
    rows = table.rows if table and table.rows else [table.header] if table else []
    names = table.header if table and table.rows and table.depth else []
    named = (zip([*names, *[""] * len(row)], row, strict=False) for row in rows)
    return "; ".join(", ".join(f"{name}: {cell}" if name else cell for name, cell in row if cell) for row in named)


def _value(element: Element) -> str:
    """What a picture says in words, or what is entered or chosen in a form."""
    if element.tag == "img":
        said = one_line(element.get("alt") or "")
        is_formula = "math" in (element.get("class") or "")
        return f" [Picture: {said}] " if sum(map(str.isalnum, said)) > 3 and not is_formula else ""
    if element.tag == "textarea":
        return f" {element.text or ''} "
    if element.tag == "select":
        options = [option for option in element.iter("option") if (option.text or "").strip()]
        chosen = [option for option in options if option.get("selected") is not None] or options[:1]
        return f" {', '.join(one_line(option.text or '') for option in chosen)} "
    kind = (element.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return "☑ " if element.get("checked") is not None else "☐ "
    return "" if kind in _UNSHOWN else f" {element.get('value') or ''} "


def _note_mark(element: Element, text: str) -> str:
    """The mark of a footnote, such as “[1]”, if the element is one. Else ""."""
    mark = _MARK.fullmatch(text.strip().lstrip("^").strip("()"))
    link = element if element.tag == "a" else next(element.iter("a"), None)
    stated = {element.get("role"), element.get("epub:type")} & {*_NOTE_TYPES}
    leads_down = link is not None and "#" in (link.get("href") or "")
    is_raised = element.tag == "sup" or next(element.iter("sup"), None) is not None
    inside = element.tag == "a" and next(element.iterancestors("sup"), None) is not None  # of which the mark is made
    return f"[{mark[1]}]" if mark and (stated or (leads_down and is_raised and not inside)) else ""


def _position(element: Element) -> str:
    """Whether text stands above (“sup”) or below (“sub”) the line."""
    found = _RAISED.search(element.get("style") or "")
    return found[1].lower() if found else str(element.tag)


def _find_text_before(element: Element) -> str:
    if (previous := element.getprevious()) is not None:
        return (previous.tail or "".join(previous.itertext()))[-40:]
    return (next(element.iterancestors()).text or "")[-40:]


_FORMS = {
    **dict.fromkeys(("msup", "mover"), "{0}^{{{1}}}"),
    **dict.fromkeys(("msub", "munder"), "{0}_{{{1}}}"),
    **dict.fromkeys(("msubsup", "munderover"), "{0}_{{{1}}}^{{{2}}}"),
    **{"mfrac": r"\frac{{{0}}}{{{1}}}", "mroot": r"\sqrt[{1}]{{{0}}}"},
}
_ACCENTS = {"¯": "bar", "‾": "overline", "→": "vec", "^": "hat", "ˆ": "hat", "~": "tilde", "˙": "dot"}


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
    parts = [_tex(child, depth + 1) for child in element.iterchildren("*")]
    if name == "mover" and len(parts) == 2 and (accent := _ACCENTS.get(parts[1].strip())):
        return rf"\{accent}{{{parts[0]}}}"
    if name in _FORMS and len(parts) == _FORMS[name].count("{{{") + (_FORMS[name][0] == "{"):
        is_one = len(parts[0]) < 2 or parts[0].isalnum() or (parts[0][0] + parts[0][-1] in ("()", "[]", "||"))
        base = parts[0] if is_one or name in ("mfrac", "mroot") else f"{{{parts[0]}}}"
        return _FORMS[name].format(base, *parts[1:])
    if name == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if name == "mfenced":
        marks = element.get("separators", ",").strip()
        return f"{element.get('open', '(')}{f'{marks[:1]} '.join(parts)}{element.get('close', ')')}"
    if name == "mtable":
        return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
    if name in ("mtr", "mlabeledtr"):
        return " & ".join(parts)
    if name == "mtext":
        return rf"\text{{{''.join(element.itertext())}}}"
    if parts:
        return "".join(parts)
    text = one_line("".join(element.itertext()))
    return f" {text} " if name == "mo" and text in "=<>≤≥≈≠→⇒⇔" else text


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else ""
