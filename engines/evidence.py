"""Which sentences of the passages answer the question best?"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from engines.embedding import Embedder
from engines.embedding_models import ANY_LANGUAGE
from engines.llm import NumberedPassage, Prompt
from engines.sentences import Sentence, split_sentences
from engines.tables import Row, row_at
from engines.words import Stems, codes_in

# Measured on 600 SQuAD questions: the weight of coverage is flat between 0.3 and 0.7, that of the passage between
# 0.2 and 0.5; embedding 24 sentences finds as many answers as embedding all of them.
_COVERAGE, _PASSAGE, _EXCERPT = 0.5, 0.3, 0.1
_EMBEDDED = 24
# Set on the demo school's questions: what the heading of its section names counts for a sentence, too; of the section
# asked for by its code the first sentences are the answer.
_HEADING, _UNDER_CODE, _LESS_FOR_EACH = 0.4, 0.6, 0.1
_LEAST, _MOST = 2, 4
_WORTH_QUOTING = (
    0.75  # of the best sentence's score; below it, more sentences added words and hardly an answer
)

_QUESTION = re.compile(r"[^?？]*\w[^?？]*[?？]+")
_LABEL = re.compile(r"[^\s\d.!?…。！]+")  # a single word that is no sentence


@dataclass(frozen=True)
class Evidence:
    """A sentence of a passage with its `score`."""

    passage: NumberedPassage
    sentence: Sentence
    score: float = 0.0
    row: Row | None = None  # when it is one of a table

    @property
    def meaning(self) -> str:
        """Return its words; for a row with the line before the table and the column headers."""
        if not self.row:
            return self.text
        cells = [
            f"{header} {cell}".strip() for header, cell in zip(self.row.headers, self.row.cells, strict=True)
        ]
        return f"{self.row.intro} {', '.join(cells)}".strip()

    @property
    def text(self) -> str:
        """Return the sentence as it stands in the source."""
        return self.passage.text[self.sentence.start : self.sentence.end]


def best_sentences(prompt: Prompt, embedder: Embedder) -> list[Evidence]:
    """Return two to four sentences (fewer if there are no more), best first, ties in the order of the sources.

    Score = cosine of question and sentence + 0.5 × coverage + 0.3 × standing of the passage (the mean of its
    excerpt's coverage and its place in the list) + 0.1 within the excerpt. Coverage is the share of the question's
    stems, weighted by their inverse document frequency over all candidate sentences, that the sentence contains; those
    only its heading contains count 0.4. A section whose heading has a code of the question, such as LS-05, is quoted.
    A question counts together with its answer. Table rows and lines of code come in only as the very best. Of several
    questions asked at once each has its best sentence quoted before any has its second.
    """
    parts = [part for part in _QUESTION.findall(prompt.question) if len(part.split()) > 1]
    if len(parts) < 2:
        return _best_for_one(prompt, embedder)
    answers = [_best_for_one(replace(prompt, question=part.strip()), embedder) for part in parts[:_MOST]]
    in_turn = [found for place in zip_longest(*answers) for found in place if found]
    once: dict[tuple[int, int], Evidence] = {}
    for found in in_turn:
        once.setdefault((found.passage.number, found.sentence.start), found)
    return list(once.values())[:_MOST]


def _best_for_one(prompt: Prompt, embedder: Embedder) -> list[Evidence]:
    candidates = list(_candidates(prompt, only_statements=True)) or list(
        _candidates(prompt, only_statements=False)
    )
    ranked = _by_score(_scored_by_words(candidates, prompt))[:_EMBEDDED]
    if _understands(embedder, prompt):
        question = embedder.embed_query(prompt.question)
        vectors = embedder.embed_passages([candidate.meaning for candidate in ranked])
        cosines = vectors @ question
        ranked = [
            replace(c, score=c.score + float(cosine)) for c, cosine in zip(ranked, cosines, strict=True)
        ]
        ranked = _by_score(ranked)
    chosen = [c for place, c in enumerate(ranked) if place == 0 or c.sentence.kind != "row"][:_MOST]
    return [
        c for place, c in enumerate(chosen) if place < _LEAST or c.score >= _WORTH_QUOTING * chosen[0].score
    ]


def _by_score(candidates: Sequence[Evidence]) -> list[Evidence]:
    return sorted(candidates, key=lambda c: (-c.score, c.passage.number, c.sentence.start))


def _candidates(prompt: Prompt, *, only_statements: bool) -> Iterator[Evidence]:
    """Yield every sentence once, even if several passages contain it."""
    seen = set()
    for passage in prompt.passages:
        sentences = split_sentences(passage.text, prompt.language)
        for sentence in _statements(passage.text, sentences) if only_statements else sentences:
            row = row_at(passage.text, sentence.start, sentence.end) if sentence.kind == "row" else None
            evidence = Evidence(passage, sentence, row=row)
            words = " ".join(evidence.text.split())
            if words not in seen and not (only_statements and row and row.is_header):
                seen.add(words)
                yield evidence


def _statements(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield what can be taken for true: a question with the sentence that answers it, and no exercises or labels.

    A question that nothing follows is an exercise; a list right below one offers answers, mostly wrong ones, unless the
    question is set in bold as a heading is.
    """
    asked: Sentence | None = None
    offered = False
    for sentence in sentences:
        words = text[sentence.start : sentence.end]
        if words.rstrip("*_\"'”’»)").endswith(("?", "？")):
            asked, offered = sentence, not words.startswith("**")
            continue
        answers = asked is not None and not text[asked.end : sentence.start].strip("> \n")
        offered = offered and sentence.kind == "item" and not answers
        if asked and answers:
            yield replace(sentence, start=asked.start)
        elif not offered and not _LABEL.fullmatch(words):
            yield sentence
        asked = None


def _scored_by_words(candidates: list[Evidence], prompt: Prompt) -> list[Evidence]:
    stems = Stems(prompt.language)
    asked = stems.of(prompt.question)
    contained = [stems.of(candidate.text) & asked for candidate in candidates]
    headings = {
        passage.number: stems.of(" ".join([passage.title, *passage.heading_path])) & asked
        for passage in prompt.passages
    }
    weights = _inverse_frequencies(sorted(asked), [*contained, *headings.values()])
    total = sum(weights.values()) or 1.0

    def coverage(found: set[str]) -> float:
        return sum(weights[stem] for stem in sorted(found)) / total

    standing = {}
    for place, passage in enumerate(prompt.passages):
        around = headings[passage.number] | stems.of(passage.excerpt) & asked
        standing[passage.number] = (coverage(around) + 1 - place / len(prompt.passages)) / 2
    places: Counter[int] = Counter()
    scored = []
    for candidate, found in zip(candidates, contained, strict=True):
        number = candidate.passage.number
        place, heading = places[number], headings[number]
        places[number] += 1
        if candidate.row and found:
            found |= stems.of(candidate.meaning) & asked
        score = coverage(found) + _HEADING * coverage(heading - found)
        score = _COVERAGE * score + _PASSAGE * standing[number]
        score += _EXCERPT * (candidate.text in candidate.passage.excerpt)
        if codes_in(heading):
            score += max(0.0, _UNDER_CODE - _LESS_FOR_EACH * place)
        scored.append(replace(candidate, score=score))
    return scored


def _inverse_frequencies(asked: list[str], contained: list[set[str]]) -> dict[str, float]:
    """Return the weight of each stem as in BM25: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    counts = Counter(stem for found in contained for stem in found)
    return {
        stem: math.log(1 + (len(contained) - counts[stem] + 0.5) / (counts[stem] + 0.5)) for stem in asked
    }


def _understands(embedder: Embedder, prompt: Prompt) -> bool:
    """Say whether the vectors help: an English model still does in German or Spanish, but not in Arabic or Chinese."""
    if embedder.languages == ANY_LANGUAGE or prompt.language[:2] in embedder.languages:
        return True
    return all(letter < "\u0250" for letter in prompt.question if letter.isalpha())
