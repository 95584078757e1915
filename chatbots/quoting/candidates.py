"""The sentences of the passages that can be quoted as an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from chatbots.passages import NumberedPassage
from chatbots.quoting.lists import TextList, find_lists
from text.question_types import PRONOUN
from text.sections import Purpose, sets_task
from text.sentences import Sentence, split_sentences
from text.stemming import split_words
from text.tables import TableRow, table_rows

_LABEL = re.compile(r"[^\s\d.!?…。！]+")  # a single word that is no sentence
_ALIKE = 0.5  # share of the words of two sentences that both have
_FORMULA = re.compile(r"\$|\\\[|[^.!?\n]{1,80}(?:=|→)[^\n]{1,80}$", re.MULTILINE)


@dataclass(frozen=True)
class QuoteCandidate:
    """A sentence of a passage with its `score`, a logit."""

    passage: NumberedPassage
    sentence: Sentence
    score: float = 0.0
    row: TableRow | None = None  # when it is one of a table
    before: str = ""  # the sentence before it, or the line that introduces its list
    title: str = ""  # of its paragraph, in plain text
    listing: TextList | None = None  # that it is an entry of, or introduces
    entries: tuple[QuoteCandidate, ...] = ()  # when it is quoted as a list

    @property
    def meaning(self) -> str:
        """Return what is embedded: a row with the line before the table and its headers, an item with its intro."""
        if self.row:
            named = zip(self.row.headers, self.row.cells, strict=True)
            cells = ", ".join(f"{header} {cell}".strip() for header, cell in named)
            return f"{self.row.intro} {cells}".strip()
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
    def heading(self) -> str:
        """Return the heading of its section, else the title of its document."""
        return (self.passage.heading_path or (self.passage.title,))[-1]

    @property
    def place(self) -> tuple[int, int]:
        return (self.passage.number, self.sentence.start)


def find_candidates(passages: Sequence[NumberedPassage], language: str) -> list[QuoteCandidate]:
    """Return each statement of the passages once; whatever sentences there are if there is none. Where all are
    exercises, which were asked for, the tasks."""
    is_exercise = all(one.purpose == Purpose.EXERCISE for one in passages)
    if is_exercise and (tasks := [task for one in passages for task in _tasks(one, language)]):
        return tasks
    return find_statements(passages, language) or list(_candidates(passages, language, only_statements=False))


def find_statements(passages: Sequence[NumberedPassage], language: str) -> list[QuoteCandidate]:
    """Return each statement of the passages once."""
    return list(_candidates(passages, language, only_statements=True))


def _tasks(passage: NumberedPassage, language: str) -> Iterator[QuoteCandidate]:
    """Yield each task of an exercise, from the beginning of its paragraph on, with its options."""
    sentences = split_sentences(passage.text, language)
    for block, group in groupby(sentences, key=lambda one: one.block):
        own = list(group)
        options = tuple(takewhile(lambda one: one.kind == "item", (one for one in sentences if one.block > block)))
        task = replace(own[0], end=own[-1].end)
        if sets_task(passage.text[task.start : task.end]):
            listing = TextList(task, options) if options and task.kind != "item" else None
            entries = tuple(QuoteCandidate(passage, one) for one in (listing.entries if listing else ()))
            yield QuoteCandidate(passage, task, listing=listing, entries=entries)


def begins_with_pronoun(candidate: QuoteCandidate) -> bool:
    """Say whether a sentence refers to the one before it."""
    return candidate.sentence.kind == "prose" and PRONOUN.match(candidate.text) is not None


def is_twin(one: QuoteCandidate, other: QuoteCandidate) -> bool:
    """Say whether sentences of two documents are alike but for a few words, as in the letters of two years."""
    if one.passage.title == other.passage.title:
        return False
    words, others = set(split_words(one.text)), set(split_words(other.text))
    return len(words & others) >= _ALIKE * len(words | others)


def follows(one: QuoteCandidate, other: QuoteCandidate) -> bool:
    """Say whether the other sentence comes right after the one, in the same paragraph."""
    if one.passage.number != other.passage.number or one.sentence.block != other.sentence.block:
        return False
    end, start = one.sentence.end, other.sentence.start
    return end <= start and not one.passage.text[end:start].strip("> \n")


def list_row_candidates(best: QuoteCandidate) -> list[QuoteCandidate]:
    """Return the entries of the list or table to which a sentence belongs."""
    if best.listing is None:
        return []
    rows = {row.start: row for row in table_rows(best.passage.text)}
    return [
        QuoteCandidate(best.passage, entry, row=rows.get(entry.start), listing=best.listing)
        for entry in best.listing.entries
    ]


def _candidates(
    passages: Sequence[NumberedPassage], language: str, *, only_statements: bool
) -> Iterator[QuoteCandidate]:
    seen = set()
    for passage in passages:
        sentences = split_sentences(passage.text, language)
        rows = {row.start: row for row in table_rows(passage.text)}
        lists = [one for one in find_lists(passage.text, sentences, rows) if not _asks(passage.text, one)]
        for sentence in _statements(passage.text, sentences) if only_statements else sentences:
            row = rows.get(sentence.start) if sentence.kind == "row" else None
            words = " ".join(passage.text[sentence.start : sentence.end].split())
            if words in seen or (only_statements and row and row.is_header):
                continue
            seen.add(words)
            listing = next((one for one in lists if _belongs(sentence, one)), None)
            earlier = [one for one in sentences if one.end <= sentence.start][-1:] if not row else []
            if listing and listing.intro and sentence.kind == "item":
                earlier = [listing.intro]
            above = [one for one in sentences if one.kind == "title" and one.block == sentence.block - 1]
            before, title = (" ".join(passage.text[one.start : one.end] for one in part) for part in (earlier, above))
            yield QuoteCandidate(passage, sentence, row=row, before=before, title=title, listing=listing)


def _asks(text: str, listing: TextList) -> bool:
    """Whether most entries of a list are questions: an exercise is no answer."""
    asked = [entry for entry in listing.entries if text[entry.start : entry.end].rstrip("*_ ").endswith(("?", "？"))]
    return 2 * len(asked) > len(listing.entries)


def _belongs(sentence: Sentence, listing: TextList) -> bool:
    return any(one.start <= sentence.start < one.end for one in (*filter(None, [listing.intro]), *listing.entries))


def _statements(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield what the text states: questions together with their answers, but no exercises and no labels.

    A question that nothing follows is an exercise. A list right below a question offers answers, most of them wrong,
    unless the question is bold like a heading. A line that ends with a colon goes with the formula below it.
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
