"""Which sentences of the passages answer the question best?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from engines.embedding import Embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.extractive.lists import Listing, listings
from engines.extractive.question_types import asked_at_once
from engines.extractive.ranking import Weighing
from engines.llm import NumberedPassage, Prompt
from text.sentences import Sentence, split_sentences
from text.tables import Row, row_at

_EMBEDDED = 16
"""Sentences, the likeliest by their words, that are embedded: finds as many answers as embedding all of them."""

_LEAST, _MOST = 2, 4
_BEHIND, _ELSEWHERE = 2.5, 1.0
"""How far below the best one further sentences may be; one of another passage counts so much less."""

MOST_ENTRIES = 8  # of a list or table
_ABOUT = (
    0.3  # coverage of the question by what stands over a list, from which the list as a whole is asked for
)

_LABEL = re.compile(r"[^\s\d.!?…。！]+")  # a single word that is no sentence
_FORMULA = re.compile(r"\$|\\\[|[^.!?\n]{1,80}(?:=|→)[^\n]{1,80}$", re.MULTILINE)
_LEANS = re.compile(
    r"(?:it|its|they|their|he|his|she|her|this|these|such|both|"
    r"er|sie|es|ihre?|seine?|dies(?:e[rs]?)?|beide|"
    r"il|elle|ils|elles|ce|cela|ces|celui-ci|celle-ci|son|sa|ses|leurs?|"
    r"él|ella|ellos|ellas|esto|este|esta|estos|estas|su|sus)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Evidence:
    """A sentence of a passage with its `score`, a logit: e to the power of a difference says how much likelier."""

    passage: NumberedPassage
    sentence: Sentence
    score: float = 0.0
    row: Row | None = None  # when it is one of a table
    before: str = ""  # the sentence before it, or the line that introduces its list
    title: str = ""  # of its paragraph, in plain text
    listing: Listing | None = None  # that it is an entry of, or introduces
    entries: tuple["Evidence", ...] = ()  # when it is quoted as a list

    @property
    def meaning(self) -> str:
        """Return its words; for a row with the line before the table and the column headers, for an item its intro."""
        if self.row:
            named = zip(self.row.headers, self.row.cells, strict=True)
            return (
                f"{self.row.intro} {', '.join(f'{header} {cell}'.strip() for header, cell in named)}".strip()
            )
        return f"{self.intro or self.title} {self.text}".strip()

    @property
    def text(self) -> str:
        """Return the sentence as it stands in the source."""
        return self.passage.text[self.sentence.start : self.sentence.end]

    @property
    def intro(self) -> str:
        """Return the line that introduces the list of which this is an item, or all that is quoted."""
        listed = self.sentence.kind == "item" or self.entries
        intro = self.listing.intro if self.listing and listed else None
        return self.passage.text[intro.start : intro.end] if intro else ""

    @property
    def place(self) -> tuple[int, int]:
        return (self.passage.number, self.sentence.start)


def best_sentences(prompt: Prompt, embedder: Embedder) -> list[Evidence]:
    """Return two to four sentences (fewer if there are no more), best first, ties in the order of the sources.

    `ranking` says what a sentence is worth; the third and fourth must be close to the best. A list or table
    is quoted as a whole where it is asked for as one; else rows and lines of code come in only as the very best. If the
    best sentence begins with a pronoun, it brings the one before it. Of several questions asked at once each has its
    best sentence quoted before any has its second.
    """
    parts = asked_at_once(prompt.question)
    if len(parts) < 2:
        return _best_for_one(prompt, embedder)
    answers = [_best_for_one(replace(prompt, question=part.strip()), embedder) for part in parts[:_MOST]]
    in_turn = [found for place in zip_longest(*answers) for found in place if found]
    once: dict[tuple[int, int], Evidence] = {}
    for found in in_turn:
        once.setdefault(found.place, found)
    return list(once.values())[:_MOST]


def _best_for_one(prompt: Prompt, embedder: Embedder) -> list[Evidence]:
    found = candidates(prompt)
    if not found:
        return []
    weighing = Weighing(prompt, found)
    ranked = _by_score([replace(c, score=weighing.by_words(c)) for c in found])[:_EMBEDDED]
    if _understands(embedder, prompt):
        cosines = weighing.by_vectors(ranked, embedder)
        ranked = _by_score(
            [replace(c, score=c.score + more) for c, more in zip(ranked, cosines, strict=True)]
        )
    return _chosen(_listed(ranked[0], weighing), ranked[1:], found, weighing)


def candidates(prompt: Prompt) -> list[Evidence]:
    """Return what may be quoted: statements, or whatever sentences there are."""
    found = list(_candidates(prompt, only_statements=True))
    return found or list(_candidates(prompt, only_statements=False))


def _by_score(found: Sequence[Evidence]) -> list[Evidence]:
    return sorted(found, key=lambda c: (-c.score, *c.place))


def _chosen(
    best: Evidence, others: Sequence[Evidence], every: Sequence[Evidence], weighing: Weighing
) -> list[Evidence]:
    """Return the best sentence and what is quoted with it."""
    chosen = [best]
    if not best.entries and (before := _leant_on(best, every)) and weighing.concerns(before):
        chosen.append(before)
    taken = [*chosen, *best.entries]
    most = 2 if best.entries else _MOST
    behind = [
        replace(c, score=c.score - _ELSEWHERE * (c.passage.number != best.passage.number))
        for c in others
        if c.sentence.kind != "row" and not any(_holds(one, c) for one in taken)
    ]
    for one in _by_score(behind)[: most - len(chosen)]:
        if len(chosen) < _LEAST or one.score >= best.score - _BEHIND:
            chosen.append(one)
    return chosen


def _leant_on(best: Evidence, every: Sequence[Evidence]) -> Evidence | None:
    """Return the sentence before one that begins with a pronoun, in the same paragraph."""
    return next((one for one in every if follows(one, best)), None) if leans(best) else None


def leans(evidence: Evidence) -> bool:
    """Say whether a sentence begins with a pronoun."""
    return evidence.sentence.kind == "prose" and _LEANS.match(evidence.text) is not None


def follows(one: Evidence, other: Evidence) -> bool:
    """Say whether the other sentence comes right after the one, in the same paragraph."""
    if one.passage.number != other.passage.number or one.sentence.block != other.sentence.block:
        return False
    return one.sentence.end <= other.sentence.start and not one.passage.text[
        one.sentence.end : other.sentence.start
    ].strip("> \n")


def _listed(best: Evidence, weighing: Weighing) -> Evidence:
    """Give the best sentence the entries of its list that are as good: all where none is told from the others."""
    listing = best.listing
    if listing is None or len(listing.entries) < 2:
        return best
    entries = [_entry(best.passage, entry, listing) for entry in listing.entries]
    if best.sentence.kind in ("item", "row"):
        around = weighing.around(best)
        own = {entry.place: weighing.own(entry, around) for entry in entries}
        least = max((own[e.place] for e in entries if _holds(e, best)), default=0.0)
        if not least and (weighing.asks_for_meaning or weighing.coverage(around) < _ABOUT):
            return best
        entries = [entry for entry in entries if own[entry.place] >= least]
    return replace(best, entries=tuple(entries)) if len(entries) > 1 else best


def _holds(one: Evidence, other: Evidence) -> bool:
    same = one.passage.number == other.passage.number
    return same and one.sentence.start <= other.sentence.start < one.sentence.end


def _entry(passage: NumberedPassage, sentence: Sentence, listing: Listing) -> Evidence:
    row = row_at(passage.text, sentence.start, sentence.end) if sentence.kind == "row" else None
    return Evidence(passage, sentence, row=row, listing=listing)


def _candidates(prompt: Prompt, *, only_statements: bool) -> Iterator[Evidence]:
    """Yield every sentence once, even if several passages contain it."""
    seen = set()
    for passage in prompt.passages:
        sentences = split_sentences(passage.text, prompt.language)
        found = listings(passage.text, sentences)
        for sentence in _statements(passage.text, sentences) if only_statements else sentences:
            evidence = _evidence(passage, sentence, sentences, found)
            words = " ".join(evidence.text.split())
            if words not in seen and not (only_statements and evidence.row and evidence.row.is_header):
                seen.add(words)
                yield evidence


def _evidence(
    passage: NumberedPassage, sentence: Sentence, sentences: Sequence[Sentence], found: Sequence[Listing]
) -> Evidence:
    row = row_at(passage.text, sentence.start, sentence.end) if sentence.kind == "row" else None
    listing = next((one for one in found if _belongs(sentence, one)), None)
    earlier = [one for one in sentences if one.end <= sentence.start][-1:] if not row else []
    if listing and listing.intro and sentence.kind == "item":
        earlier = [listing.intro]
    above = [one for one in sentences if one.kind == "title" and one.block == sentence.block - 1]
    before, title = (" ".join(passage.text[one.start : one.end] for one in part) for part in (earlier, above))
    return Evidence(passage, sentence, row=row, before=before, title=title, listing=listing)


def _belongs(sentence: Sentence, listing: Listing) -> bool:
    return any(
        one.start <= sentence.start < one.end for one in (*filter(None, [listing.intro]), *listing.entries)
    )


def _statements(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield what can be taken for true: a question with the sentence that answers it, and no exercises or labels.

    A question that nothing follows is an exercise; a list right below one offers answers, mostly wrong ones, unless the
    question is set in bold as a heading is. A line that ends with a colon goes with the formula below it.
    """
    asked: Sentence | None = None
    offered = False
    announced: Sentence | None = None
    for sentence in sentences:
        words = text[sentence.start : sentence.end]
        if announced:
            formula = sentence.kind == "prose" and _FORMULA.match(words)
            yield replace(announced, end=sentence.end) if formula else announced
            announced = None
            if formula:
                continue
        if words.rstrip("*_\"'”’»)").endswith(("?", "？")):
            asked, offered = sentence, not words.startswith("**")
            continue
        answers = asked is not None and not text[asked.end : sentence.start].strip("> \n")
        offered = offered and sentence.kind == "item" and not answers
        if asked and answers:
            yield replace(sentence, start=asked.start)
        elif sentence.kind == "prose" and words.endswith(":"):
            announced = sentence
        elif not offered and sentence.kind != "title" and not _LABEL.fullmatch(words):
            yield sentence
        asked = None
    if announced:
        yield announced


def _understands(embedder: Embedder, prompt: Prompt) -> bool:
    """Say whether the vectors help: an English model still does in German or Spanish, but not in Arabic or Chinese."""
    if embedder.languages == ANY_LANGUAGE or prompt.language[:2] in embedder.languages:
        return True
    return all(letter < "\u0250" for letter in prompt.question if letter.isalpha())
