"""The two embedding models that come with Lectern, on questions and paragraphs in three languages.

    python -m benchmarks.embedders [--questions N] [--json FILE]

XQuAD has 240 paragraphs and 1,190 questions, the same in English, German and Spanish. For each pair of languages the
paragraphs are ranked by cosine alone, and the recall is printed: how often the right one is the first, and among the
first five. Then the processor time of one question and one paragraph, and the ratio of the two models.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.ground import ROOT, options, read, table, write

if TYPE_CHECKING:
    from engines.embedding.runtime import Embedder

CORPUS = ROOT.parent / "shared" / "data" / "xquad"
LANGUAGES = ("en", "de", "es")
COSTS = ("ms a question", "ms a paragraph")
MODELS = ("all-MiniLM-L6-v2", "multilingual-e5-small")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--questions", type=int, default=300, help="of each language, the same in all (default: 300)")
    chosen = parser.parse_args()
    if not CORPUS.is_dir():
        sys.exit(f"XQuAD is not here: {CORPUS}.")
    from engines.embedding.runtime import create_embedder

    rows = {language: read(CORPUS, language) for language in LANGUAGES}
    places = [(place, n) for place, row in enumerate(rows["en"]) for n in range(len(row["questions"]))]
    asked = random.Random(7).sample(places, min(chosen.questions, len(places)))  # noqa: S311
    results = {name: measure(create_embedder(name, "auto", 1), rows, asked) for name in MODELS}
    packaged, multilingual = results.values()
    print(
        table(
            {what: {name: result[what] for name, result in results.items()} for what in packaged},
            "questions to paragraphs",
        )
    )
    for what in COSTS:
        print(f"{what}: × {multilingual[what] / packaged[what]:.2f}")
    write(results, chosen.json)


def measure(embedder: Embedder, rows: dict[str, list[dict[str, Any]]], asked: list[tuple[int, int]]) -> dict[str, Any]:
    """Return recall at 1 and 5 by pair of languages, and processor milliseconds of a question and a paragraph.

    `asked` are questions, as the numbers of their paragraph and of the question in it.
    """
    questions, paragraphs, spent = {}, {}, dict.fromkeys(COSTS, 0.0)
    right = np.array([place for place, _ in asked])
    for language, own in rows.items():
        began = time.process_time()
        paragraphs[language] = embedder.embed_passages([row["paragraph"] for row in own])
        between = time.process_time()
        questions[language] = np.array([embedder.embed_query(own[place]["questions"][n]["q"]) for place, n in asked])
        spent["ms a paragraph"] += (between - began) * 1000 / len(own) / len(rows)
        spent["ms a question"] += (time.process_time() - between) * 1000 / len(asked) / len(rows)
    recall = {}
    for one in LANGUAGES:
        for other in LANGUAGES:
            hits = np.argsort(-questions[one] @ paragraphs[other].T, axis=1)[:, :5] == right[:, None]
            recall[f"{one} to {other}"] = f"{hits[:, 0].mean():.1%} / {hits.any(axis=1).mean():.1%}"
    return {**recall, **{what: round(ms, 1) for what, ms in spent.items()}}


if __name__ == "__main__":
    main()
