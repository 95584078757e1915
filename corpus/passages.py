"""What a search returns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from corpus.certainty import MIN_CERTAINTY
from corpus.source_kinds import SourceKind
from engines.reader.reading import Reading
from text.sections import Purpose

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def short_id(whole: str) -> str:
    """An external id of at most 200 characters. Of a longer one its beginning, #, and its hash: see `is_whole`."""
    return whole if len(whole) <= 200 else f"{whole[:135]}#{sha256(whole.encode()).hexdigest()}"


def is_whole(external_id: str) -> bool:
    """Whether an external id names its page, so that the page can be opened by it."""
    return bool(external_id) and "#" not in external_id


@dataclass(frozen=True)
class Standing:
    """How a passage stands in the search that found it: its rank, from 1, `among` so many chunks, and what its score
    is made of. `found` and `missing` are words of the question, in its order; function words are neither."""

    rank: int
    among: int
    cosine: float  # as far as the embedder is trusted with the language
    coverage: float
    closeness: float
    quoted: float  # share of the phrases in quotation marks
    found: tuple[str, ...]
    missing: tuple[str, ...]
    beyond: float = 1.0  # the highest relevance that a passage may have that the search cut off
    stated: float = 0.0  # the relevance that it has by a single sentence or row: see `corpus.search.statements`


@dataclass(frozen=True)
class Passage:
    """A passage found in one source; plain values, so that it outlives the rows it came from.

    `excerpt` is the chunk that matched, `text` its enclosing block of the section (at most 1024 tokens), which is
    what the answerer reads. `score` is the raw score inside the source, `relevance` its calibrated form in [0, 1].
    """

    kind: SourceKind
    document_title: str
    heading_path: tuple[str, ...]
    excerpt: str
    text: str
    relevance: float
    score: float = 0.0
    document_id: UUID | None = None
    version: int | None = None
    page: int | None = None
    page_label: str = ""  # its printed number, if it is another one
    lines: tuple[int, int] | None = None
    position: int = 0
    block: int = 0
    purpose: Purpose = Purpose.STATES
    media_type: str = ""  # of the version
    file_path: str = ""  # in a textbook of several files
    label: str = ""  # of a textbook: "Module 1, Chapter 2, Section 3"
    is_recognised: bool = False  # from a scan: it may contain mistakes
    marks: tuple[str, ...] = ()  # “**bold**” and “*italic*” words that the excerpt has plain; not of a search
    standing: Standing | None = None
    address: str = ""  # of what is no document: a path of this site, or a web address. Of a document: where it is from
    external_id: str = ""  # at most 200 characters: see `short_id`
    revision: str = ""
    read_at: datetime | None = None
    language: str = ""  # a code; "" if unknown, and the passage is not read
    is_chosen: bool = False  # by people for questions like this: it may be used whatever reading says of it
    certainty: float | None = None  # that it answers the question, if it was read
    reading: Reading | None = field(default=None, compare=False, repr=False)

    @property
    def answer_words(self) -> str:
        """The likeliest answer, if it was read and may answer. A question that the text asks itself is no answer."""
        if self.reading is None or not self.reading.marks or self.certainty is None or self.certainty < MIN_CERTAINTY:
            return ""
        start, end = self.reading.answer
        sentence_end = _SENTENCE_END.search(self.text, max(end - 1, start))
        return "" if sentence_end and sentence_end[0] == "?" else self.text[start:end]

    @property
    def origin(self) -> str:
        """What it is from: passages of one document or one page have the same."""
        return str(self.document_id or self.external_id or self.address)

    @property
    def key(self) -> tuple[str, str, int]:
        """Orders passages of equal relevance, always the same way."""
        return (self.kind.value, self.origin, self.position)
