"""What a study plan of a handout gives, without a language model: key ideas found, and questions by kind.

    python -m benchmarks.learning.handouts [FILES] [--show] [--json result.json]

FILES are handouts of any format, named TITLE.LANGUAGE.EXTENSION, by default those of the folder `handouts`. The file
TITLE.LANGUAGE.txt beside one lists its key ideas, one a line, as a teacher would. One in Markdown is read again as a
web page, and without its bold print.

- recall: the share of key ideas that are concepts; others: concepts that are none of them; suggested: further key
  ideas among the terms that are suggested.
- facts: different sentences that are asked about; why: questions that ask for a reason.
- s: processor seconds for concepts and questions, without reading the file.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import ground

if TYPE_CHECKING:
    from corpus.passages import Passage
    from learning.material import DraftQuestion, FoundConcept

HANDOUTS = Path(__file__).parent / "handouts"


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--show", action="store_true", help="print concepts and questions for reading")
    options = parser.parse_args()
    files = options.files or sorted(HANDOUTS.glob("*.*.md"))
    rows: dict[str, dict[str, Any]] = {}
    for path in files:
        language = path.suffixes[-2].lstrip(".")
        for reading in ("", "html", "unmarked") if path.suffix == ".md" else ("",):
            rows[f"{path.stem} {reading}".strip()] = measure(path, language, reading, show=options.show)
    print(ground.table(rows, "handout"))
    ground.write(rows, options.json)


def measure(path: Path, language: str, reading: str, *, show: bool) -> dict[str, Any]:
    """Make a plan of a handout and count what it has."""
    from engines.embedding import get_embedder
    from learning.concepts.find_concepts import ENOUGH, find_concepts
    from learning.concepts.suggest_terms import suggest_terms
    from learning.questions.exercises import add_exercises
    from text.names import make_name_key

    passages = _read(path, reading)
    ideas = {make_name_key(line, language) for line in path.with_suffix(".txt").read_text().splitlines() if line}
    started = time.process_time()
    concepts = add_exercises(find_concepts(passages, language=language, embedder=get_embedder()), passages, language)
    dropped: Counter[str] = Counter()
    questions = _ask(concepts, language, dropped)
    seconds = time.process_time() - started
    named = {make_name_key(name, language) for one in concepts for name in (one.name, *one.synonyms)}
    known = [name for one in concepts for name in (one.name, *one.synonyms)]
    few = sum(one.is_marked for one in concepts) < ENOUGH
    offered = suggest_terms(passages, known=known, language=language, embedder=get_embedder()) if few else []
    suggested = {make_name_key(name, language) for name in offered}
    own = [concept for concept in concepts if make_name_key(concept.name, language) not in ideas]
    asked = [one for made in questions.values() for one in made]
    if show:
        print(f"\n{path.name} {reading}; dropped: {dict(dropped)}")
        for concept in concepts:
            needs = ", ".join(concept.prerequisites) or "nothing"
            print(f"\n{'' if concept not in own else '? '}{concept.name} (needs {needs}): {concept.definition}")
            for question in questions[concept.name]:
                print(f"  {question.kind}: {question.prompt} {list(question.options)} {list(question.targets)}")
                print(f"    {dict(question.answer)} {question.explanation}")
    return {
        "recall": f"{len(ideas & named)}/{len(ideas)}",
        "others": len(own),
        "suggested": f"{len((ideas - named) & suggested)}/{len(offered)}",
        "edges": sum(len(concept.prerequisites) for concept in concepts),
        "questions": len(asked),
        "facts": len({one.explanation for one in asked}),
        "why": sum(one.prompt.startswith(("Why", "Warum", "Pourquoi", "¿Por qué")) for one in asked),
        **Counter(str(one.kind) for one in asked),
        "s": round(seconds, 2),
    }


def _ask(concepts: list[FoundConcept], language: str, dropped: Counter[str]) -> dict[str, tuple[DraftQuestion, ...]]:
    from learning.questions.make import make_questions

    texts = [concept.as_text() for concept in concepts]
    found: dict[str, tuple[DraftQuestion, ...]] = {}
    for concept, text in zip(concepts, texts, strict=True):
        others = [one for one in texts if one is not text]
        asked = [(one.prompt, one.explanation) for made in found.values() for one in made]
        made = make_questions(text, others, language=language, seed=1, asked=asked)
        found[text.name] = (*concept.questions, *made.questions)
        dropped.update(made.dropped)
    return found


def _read(path: Path, reading: str) -> list[Passage]:
    from markdown_it import MarkdownIt

    from corpus.ingestion.chunking import chunk
    from corpus.ingestion.parsing import parse
    from corpus.passages import Passage
    from corpus.source_kinds import SourceKind
    from text.tokens import estimate_tokens

    data, name = path.read_bytes(), path.name
    if reading == "html":
        page = MarkdownIt("commonmark").enable("table").render(data.decode())
        data, name = f"<!doctype html><html><body>{page}</body></html>".encode(), "page.html"
    elif reading == "unmarked":
        data = re.sub(rb"\*\*?", b"", data)
    sections = parse(data, filename=name).sections
    marks = [mark for section in sections for mark in section.marks]
    pieces = chunk(sections, count_tokens=estimate_tokens, max_tokens=480)
    blocks: dict[int, str] = {}
    for piece in pieces:
        blocks[piece.block] = blocks.get(piece.block, "") + piece.text
    return [
        Passage(
            kind=SourceKind("school", "School", "the school's documents"),
            document_title=path.stem.partition(".")[0].capitalize(),
            heading_path=piece.heading_path,
            excerpt=piece.text.strip(),
            text=blocks[piece.block].strip(),
            relevance=1.0,
            position=piece.position,
            block=piece.block,
            external_id=path.stem,
            marks=tuple(mark for mark in marks if mark.strip("*") in piece.text),
        )
        for piece in pieces
    ]


if __name__ == "__main__":
    main()
