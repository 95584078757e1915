"""How many practice questions survive their checks, made by rules from a textbook in Markdown.

    python -m benchmarks.learning.questions TEXTBOOK [--concepts 30] [--vectors] [--sample 120] [--write FILE]

TEXTBOOK is a folder of Markdown files, such as modules of an OpenStax book. Concepts are its bold terms, key terms and
headings with a sentence that defines them, with the sections that speak of them as passages. The sample, of all
concepts, is for people who judge whether each question can be answered from its source and has one answer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from chatbots.citations.claim_verification import verify_claims
from chatbots.passages import NumberedPassage
from engines.embedding import get_embedder
from learning.material import ConceptText, DraftQuestion, QuestionKind
from learning.questions.checking.answers import right_options
from learning.questions.make import MadeQuestions, make_questions
from learning.questions.text.definitions import find_definition
from learning.questions.text.sentences import plain, read_statements
from learning.questions.text.terms import find_term, get_term_stems

PASSAGES, MAX_LENGTH = 5, 4000  # of a concept, characters of one

_HEADING = re.compile(r"^(#{1,6}) (.*)$", re.MULTILINE)
_BOLD = re.compile(r"\*\*([^*\n]{3,40}?)\*\*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("textbook", type=Path)
    parser.add_argument("--concepts", type=int, default=0, help="concepts at most, 0 for all")
    parser.add_argument("--count", type=int, default=6, help="questions of a concept")
    parser.add_argument("--sample", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", default="en")
    parser.add_argument("--vectors", action="store_true", help="compare meanings by the embedder too")
    parser.add_argument("--write", type=Path, help="the sample, as text")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    concepts = extract_concepts(chosen.textbook, chosen.language)
    concepts = concepts[: chosen.concepts or None]
    embedder = get_embedder() if chosen.vectors else None
    begun, cpu = time.perf_counter(), time.process_time()
    made = [
        make_questions(
            one,
            concepts,
            language=chosen.language,
            llm=None,
            count=chosen.count,
            embedder=embedder,
            seed=chosen.seed,
        )
        for one in concepts
    ]
    seconds, used = time.perf_counter() - begun, time.process_time() - cpu
    result = summary(made, seconds, used) | {"cited sentences": cited_sentences(concepts, made, chosen.language)}
    print(json.dumps(result, indent=2, ensure_ascii=False))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2, ensure_ascii=False))
    if chosen.write:
        every = [(one, question) for one, each in zip(concepts, made, strict=True) for question in each.questions]
        drawn = random.Random(chosen.seed).sample(every, min(chosen.sample, len(every)))  # noqa: S311
        chosen.write.write_text("\n\n".join(shown(n, *one) for n, one in enumerate(drawn, start=1)))


def summary(made: Sequence[MadeQuestions], seconds: float, used: float) -> dict[str, object]:
    """Counts by kind and by reason, and speed."""
    kinds = Counter(str(question.kind) for each in made for question in each.questions)
    dropped = Counter[str]()
    for each in made:
        dropped.update({str(reason): number for reason, number in each.dropped.items()})
    kept = sum(kinds.values())
    return {
        "concepts": len(made),
        "concepts without a question": sum(not each.questions for each in made),
        "questions": kept,
        "kinds": dict(kinds.most_common()),
        "dropped": dict(dropped.most_common()),
        "share that survives": round(kept / ((kept + dropped.total()) or 1), 3),
        "seconds": round(seconds, 2),
        "processor seconds": round(used, 2),
        "questions a second": round(kept / seconds, 1) if seconds else 0,
    }


def cited_sentences(concepts: Sequence[ConceptText], made: Sequence[MadeQuestions], language: str) -> dict[str, object]:
    """How many cited sentences of the explanations the verification of answers calls supported."""
    counts = Counter(
        str(check.state)
        for concept, each in zip(concepts, made, strict=True)
        for question in each.questions
        for check in verify_claims(question.explanation, concept.passages, language=language, embedder=None).values()
    )
    return dict(counts) | {"share supported": round(counts["supported"] / (counts.total() or 1), 3)}


def extract_concepts(folder: Path, language: str) -> list[ConceptText]:
    """Bold terms of the Markdown files in a folder with a sentence that defines them, each once."""
    sections = [one for path in sorted(folder.glob("*.md")) if path.stem != "README" for one in _sections(path)]
    statements = read_statements(sections, language)
    by_number = {one.number: one for one in sections}
    terms = dict.fromkeys(
        plain(term).strip(" .,:;").removeprefix("The ").removeprefix("the ")
        for one in sections
        for term in (*_BOLD.findall(one.text), *_key_terms(one), *one.heading_path[-1:])
    )
    found: dict[frozenset[str], ConceptText] = {}
    for term in terms:
        if not 1 <= len(term.split()) <= 4 or get_term_stems(term, language) in found:
            continue
        defined = next((one for one in statements if find_definition(one, term, language)), None)
        if defined is None:
            continue
        others = sorted(
            (one for one in sections if one.number != defined.number and find_term(one.text, term, language)),
            key=lambda one: (-len(find_term(one.text, term, language)), one.number),
        )
        passages = [by_number[defined.number], *others[: PASSAGES - 1]]
        found[get_term_stems(term, language)] = ConceptText(
            term,
            defined.text,
            tuple(
                NumberedPassage(n, one.title, one.heading_path, one.text, one.excerpt)
                for n, one in enumerate(passages, start=1)
            ),
        )
    return list(found.values())


def _key_terms(section: NumberedPassage) -> list[str]:
    """The cells of a table of key terms."""
    if not section.heading_path or "Key Terms" not in section.heading_path[-1]:
        return []
    rows = [row for row in section.text.splitlines() if row.startswith("|") and "---" not in row]
    return [cell.strip() for row in rows for cell in row.strip("|").split("|") if cell.strip()]


def _sections(path: Path) -> list[NumberedPassage]:
    text = path.read_text()
    headings = list(_HEADING.finditer(text))
    found: list[NumberedPassage] = []
    above: dict[int, str] = {}
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        level = len(heading[1])
        above = {depth: title for depth, title in above.items() if depth < level} | {level: heading[2].strip()}
        body = text[heading.end() : following.start() if following else len(text)].strip()
        if body:
            number = 1000 * int(path.stem[:2]) + len(found)
            titles = tuple(above[depth] for depth in sorted(above))
            found.append(NumberedPassage(number, titles[0], titles[1:], body[:MAX_LENGTH], body[:300]))
    return found


def shown(number: int, concept: ConceptText, question: DraftQuestion) -> str:
    """A question with its answer and its sources, for people who judge it."""
    lines = [f"--- {number} · {question.kind} · {concept.name}", question.prompt]
    if question.kind in (QuestionKind.SINGLE, QuestionKind.SEVERAL):
        right = right_options(question)
        lines += [f"  [{'x' if option in right else ' '}] {option}" for option in question.options]
    elif question.kind == QuestionKind.MATCH:
        pairs = zip(question.options, question.answer["pairs"], strict=True)
        lines += [f"  {option} = {question.targets[index]}" for option, index in pairs]
    elif question.kind == QuestionKind.ORDER:
        lines += [f"  {place}. {question.options[index]}" for place, index in enumerate(question.answer["order"], 1)]
    else:
        lines.append(f"  ANSWER {dict(question.answer)}")
    lines.append(f"  EXPLANATION {question.explanation}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
