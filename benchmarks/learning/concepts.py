"""How well concepts and prerequisites are found in a textbook without a language model.

    python -m benchmarks.learning.concepts TEXTBOOK [--json result.json] [--show 60]

TEXTBOOK is a folder of Markdown files, one for each module, whose chapters list their terms under "Section Key Terms".
The product's reader and chunking cut it. Right are the listed terms and what headings are about. A plan is made of each
module (30 concepts at most) and of the whole book (30 and 60), once as it is and once without the lists of terms, which
the finder reads too.

- precision: the share of found concepts that are right; recall: the share of the listed terms that are found, and of
  those that could be, because some sentence has the term and a verb that defines ("is", "means", "called").
- verbatim: the share of definitions that stand word for word in their passage.
- not backwards: the share of prerequisites that are listed in an earlier chapter than what needs them, or in the same.
  Only pairs of listed terms count. `across` are the pairs of different chapters alone.
- s: processor seconds for finding, without reading the files.

--show prints a sample of concepts with their definitions for reading.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.ground import options, table, write

if TYPE_CHECKING:
    from corpus.passages import Passage
    from learning.material import FoundConcept
    from text.names import Key

LANGUAGE = "en"
CHUNK_TOKENS = 480
"""Estimated tokens of a chunk: about as many chunks as with the default embedder, which is not needed here."""

_MODULE, _BOOK = 30, (30, 60)


@dataclass(frozen=True)
class Gold:
    """What is right: the listed terms with the place of their first chapter and their files, and names in headings."""

    listed: dict[Key, int]
    files: dict[Key, set[str]]
    headings: set[Key]
    definable: set[Key]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("textbook", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N concepts for reading")
    chosen = parser.parse_args()
    modules = [read_passages(path) for path in sorted(chosen.textbook.glob("[0-9]*.md"))]
    if not modules:
        parser.error(f"there are no Markdown files in {chosen.textbook}")
    book = [passage for passages in modules for passage in passages]
    gold = collect_gold(book)
    rows: dict[str, dict[str, Any]] = {}
    shown: list[FoundConcept] = []
    for name, lists in (("with the lists of terms", True), ("without them", False)):
        given = [[one for one in passages if lists or not _is_list(one)] for passages in modules]
        plans = [_plan(passages, _MODULE) for passages in given]
        rows[f"{len(modules)} modules, {_MODULE} each, {name}"] = _summed(plans, given, gold)
        for most in _BOOK:
            whole = [passage for passages in given for passage in passages]
            plan = _plan(whole, most)
            rows[f"the book, {most}, {name}"] = _summed([plan], [whole], gold)
            shown = plan[0]
    print(table(rows, f"{len(book):,} chunks, {len(gold.listed)} listed terms"))
    for concept in random.Random(1).sample(shown, min(chosen.show, len(shown))):  # noqa: S311
        print(f"- {concept.name} (needs {', '.join(concept.prerequisites) or 'nothing'}): {concept.definition}")
    write(rows, chosen.json)


def read_passages(path: Path) -> list[Passage]:
    """The chunks of a Markdown file as passages, as a search would return them."""
    from corpus.ingestion.chunking import chunk
    from corpus.ingestion.parsing import parse
    from corpus.passages import Passage
    from corpus.source_kinds import SourceKind
    from text.tokens import estimate_tokens

    sections = parse(path.read_bytes(), filename=path.name).sections
    pieces = chunk(sections, count_tokens=estimate_tokens, max_tokens=CHUNK_TOKENS)
    blocks: dict[int, str] = {}
    for piece in pieces:
        blocks[piece.block] = blocks.get(piece.block, "") + piece.text
    return [
        Passage(
            kind=SourceKind("school", "School", "the school's documents"),
            document_title="Physics",
            heading_path=piece.heading_path,
            excerpt=piece.text.strip(),
            text=blocks[piece.block].strip(),
            relevance=1.0,
            lines=piece.lines,
            position=piece.position,
            block=piece.block,
            file_path=path.name,
            external_id="textbook",
        )
        for piece in pieces
    ]


def collect_gold(book: Sequence[Passage]) -> Gold:
    """The listed terms with the number of their chapter, and the names in headings."""
    from text.names import heading_names, make_name_key
    from text.sections import is_exercise, is_glossary

    chapters: dict[tuple[str, ...], int] = {}
    listed: dict[Key, int] = {}
    files: dict[Key, set[str]] = {}
    headings: set[Key] = set()
    for passage in book:
        place = chapters.setdefault((passage.file_path, *passage.heading_path[:2]), len(chapters))
        if _is_list(passage):
            for term in _cells(passage.excerpt):
                listed.setdefault(make_name_key(term, LANGUAGE), place)
                files.setdefault(make_name_key(term, LANGUAGE), set()).add(passage.file_path)
        elif not is_exercise(passage.heading_path) and not is_glossary(passage.heading_path):
            names = (name for heading in passage.heading_path for name in heading_names(heading))
            headings |= {make_name_key(name, LANGUAGE) for name in names}
    text = re.sub(r"[*_\s]+", " ", " ".join(passage.excerpt for passage in book)).casefold()
    definable = {key for key in listed if _is_definable(key, text)}
    return Gold(listed, files, headings, definable)


def _is_definable(key: Key, text: str) -> bool:
    name = " ".join(map(re.escape, key))
    verbs = r"(?:is|are|means|refers to|states|occurs|describes)"
    return re.search(rf"\b{name}s? {verbs}\b|\b(?:called|known as|termed) (?:an? |the )?{name}", text) is not None


def _cells(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("|") and not set(line) <= set("|- "):
            yield from (cell.strip(" *") for cell in line.strip("|").split("|") if cell.strip())


def _is_list(passage: Passage) -> bool:
    return passage.heading_path[-1:] == ("Section Key Terms",)


def _plan(passages: Sequence[Passage], most: int) -> tuple[list[FoundConcept], float]:
    from learning.concepts.find_concepts import find_concepts

    started = time.process_time()
    return find_concepts(passages, language=LANGUAGE, most=most), time.process_time() - started


def _summed(
    plans: Sequence[tuple[list[FoundConcept], float]], given: Sequence[Sequence[Passage]], gold: Gold
) -> dict[str, Any]:
    """The figures of some plans together; recall counts the terms listed in the modules that they are made of."""
    found = right = verbatim = wanted = possible = hit = hit_possible = 0
    pairs: list[tuple[int, int]] = []
    for (plan, _), passages in zip(plans, given, strict=True):
        keys = [_keys(concept) for concept in plan]
        found += len(plan)
        right += sum(not own.isdisjoint(gold.listed.keys() | gold.headings) for own in keys)
        verbatim += sum(_is_verbatim(concept) for concept in plan)
        files = {passage.file_path for passage in passages}
        terms = {key for key, places in gold.files.items() if places & files}
        got = set().union(*keys) & terms
        wanted, hit = wanted + len(terms), hit + len(got)
        possible, hit_possible = possible + len(terms & gold.definable), hit_possible + len(got & gold.definable)
        pairs += _pairs(plan, gold)
    across = [(before, after) for before, after in pairs if before != after]
    return {
        "concepts": found,
        "precision": _share(right, found),
        "recall": _share(hit, wanted),
        "of definable": _share(hit_possible, possible),
        "verbatim": _share(verbatim, found),
        "prerequisites": sum(len(concept.prerequisites) for plan, _ in plans for concept in plan),
        "pairs": len(pairs),
        "not backwards": _share(sum(before <= after for before, after in pairs), len(pairs)),
        "across": f"{sum(before < after for before, after in across)} of {len(across)}",
        "s": round(sum(seconds for _, seconds in plans), 2),
    }


def _pairs(plan: Sequence[FoundConcept], gold: Gold) -> Iterator[tuple[int, int]]:
    """The chapters of each prerequisite and of what needs it, where both are listed terms."""
    places = {concept.name: _place(concept, gold) for concept in plan}
    for concept in plan:
        for before in concept.prerequisites:
            first, second = places[before], places[concept.name]
            if first is not None and second is not None:
                yield first, second


def _place(concept: FoundConcept, gold: Gold) -> int | None:
    return min((gold.listed[key] for key in _keys(concept) if key in gold.listed), default=None)


def _keys(concept: FoundConcept) -> set[Key]:
    from text.names import make_name_key

    return {make_name_key(name, LANGUAGE) for name in (concept.name, *concept.synonyms)}


def _is_verbatim(concept: FoundConcept) -> bool:
    from learning.reading.statements import plain

    return concept.definition in plain(concept.defined_in.text)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


if __name__ == "__main__":
    main()
