"""Which library finds the first passage of a web page: references.approved.extraction uses the best of them.

    python -m benchmarks.extraction [--json result.json]

Ten pages in benchmarks/pages, written for this, of different make: news, an authority, a wiki, a blog behind a cookie
banner, a page of the nineties, one with a table, one in German (ISO 8859-1), one with nothing but a script, questions
in an accordion, and one of nothing but div elements. What is right stands in pages/expected.json. Each library is given
the page and asked for its text; the passage is taken from that by the same function. `exact` are pages with exactly the
right passage, precision and recall count words of the passage, `ms` is the median of a page.

selectolax only parses, so the rules for finding the text are some of the usual ones, written below.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.ground import options, table, write

PAGES = Path(__file__).parent / "pages"
WORDS, ROUNDS = 80, 20


def main() -> None:
    chosen = options(__doc__).parse_args()
    expected: dict[str, str] = json.loads((PAGES / "expected.json").read_text())
    rows = {name: measured(extract, expected) for name, extract in extractors().items()}
    print(table(rows, f"{len(expected)} pages"))
    write(rows, chosen.json)


def measured(extract: Callable[[bytes], str], expected: dict[str, str]) -> dict[str, Any]:
    from references.approved.extraction import first_passage

    exact, precisions, recalls, times = 0, [], [], []
    wrong = []
    for name, text in expected.items():
        body, right = (PAGES / name).read_bytes(), first_passage(text, WORDS)
        found = extract(body)
        precision, recall = compared(found, right)
        precisions.append(precision)
        recalls.append(recall)
        exact += found == right
        if found != right:
            wrong.append(name.removesuffix(".html"))
        for _ in range(ROUNDS):
            started = time.perf_counter()
            extract(body)
            times.append(1000 * (time.perf_counter() - started))
    return {
        "exact": exact,
        "precision": round(statistics.mean(precisions), 3),
        "recall": round(statistics.mean(recalls), 3),
        "ms": round(statistics.median(times), 2),
        "wrong": ", ".join(wrong),
    }


def compared(found: str, right: str) -> tuple[float, float]:
    """Precision and recall of the words; of a page without text both are 1 if nothing was found."""
    have, want = Counter(found.split()), Counter(right.split())
    common = (have & want).total()
    if not want:
        return (1.0, 1.0) if not have else (0.0, 1.0)
    return common / (have.total() or 1), common / want.total()


def extractors() -> dict[str, Callable[[bytes], str]]:
    from references.approved.extraction import extract

    return {
        "the first <p>, by a regular expression": first_paragraph,
        f"selectolax {version('selectolax')} with rules": by_selectolax,
        f"resiliparse {version('resiliparse')}": by_resiliparse,
        f"trafilatura {version('trafilatura')}": by_trafilatura,
        "the product": lambda body: extract(body, words=WORDS).text,
    }


def first_paragraph(body: bytes) -> str:
    """As the seed has it."""
    import re

    found = re.search(rb"<p[^>]*>(.*?)</p>", body, re.DOTALL | re.IGNORECASE)
    text = re.sub(r"<[^>]+>", "", found[1].decode(errors="replace")) if found else ""
    return " ".join(text.split()[:WORDS])


def by_selectolax(body: bytes) -> str:
    """The main element, or the one whose paragraphs have the most characters outside links; its paragraphs."""
    from selectolax.lexbor import LexborHTMLParser

    from references.approved.extraction import first_passage

    tree = LexborHTMLParser(decoded(body))
    tree.strip_tags(
        ["script", "style", "noscript", "nav", "header", "footer", "aside", "form", "button"], recursive=True
    )
    root = tree.css_first("main, article, [role=main]")
    if root is None:
        weights: Counter[int] = Counter()
        parents = {}
        for paragraph in tree.css("p"):
            if parent := paragraph.parent:
                linked = sum(len(link.text()) for link in paragraph.css("a"))
                parents[parent.mem_id] = parent
                weights[parent.mem_id] += len(paragraph.text()) - 2 * linked
        root = parents[weights.most_common(1)[0][0]] if weights else tree.body
    paragraphs = root.css("p, li") if root else []
    text = "\n".join(" ".join(one.text().split()) for one in paragraphs) or (root.text(separator="\n") if root else "")
    return first_passage(text, WORDS)


def by_resiliparse(body: bytes) -> str:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    from references.approved.extraction import first_passage

    tree = HTMLTree.parse(decoded(body))
    return first_passage(extract_plain_text(tree, main_content=True, alt_texts=False), WORDS)


def by_trafilatura(body: bytes) -> str:
    """With its own defaults, which keep tables."""
    import trafilatura

    from references.approved.extraction import first_passage

    return first_passage(trafilatura.extract(decoded(body), include_comments=False) or "", WORDS)


def decoded(body: bytes) -> str:
    from references.approved.extraction import _decoded

    return _decoded(body, "")


if __name__ == "__main__":
    main()
