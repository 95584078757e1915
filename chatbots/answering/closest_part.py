"""Which part of a passage is shown where it got no place: the sentence nearest to the question, and what follows."""

from __future__ import annotations

from corpus.passages import Passage
from text.sentences import split_sentences
from text.shortening import shorten
from text.stemming import stems
from text.tables import make_readable, make_readable_line, table_rows

SHOWN = 240
"""Characters of a passage that are shown."""


def find_closest_part(passage: Passage) -> str:
    """Return the beginning of a passage's excerpt if the sentence nearest to the question is within it, else that
    sentence or row of a table and what follows, on one line.

    The nearest is that with most of the question's words; the likeliest answer that reading saw counts as one, and the
    headers of a row as its words.
    """
    text = passage.excerpt
    found = set(passage.standing.found if passage.standing else ())
    answer = passage.text[slice(*passage.reading.answer)] if passage.reading else ""
    rows = {row.start: row for row in table_rows(text)}
    sentences = [
        one for one in split_sentences(text, passage.language) if one.start not in rows or not rows[one.start].is_header
    ]
    wanted = set(stems(" ".join(found), passage.language))

    def nearness(place: int) -> tuple[float, int]:
        words = text[sentences[place].start : sentences[place].end]
        headers = rows[sentences[place].start].headers if sentences[place].start in rows else ()
        reads = bool(answer) and answer in words
        return len(wanted.intersection(stems(" ".join((words, *headers)), passage.language))) + 1.1 * reads, -place

    best = max(range(len(sentences)), key=nearness, default=0)
    if not sentences or (
        sentences[best].start not in rows and len(make_readable_line(text[: sentences[best].end])) <= SHOWN
    ):
        return shorten(make_readable_line(text), SHOWN)
    return shorten(f"{'… ' if best else ''}{' '.join(make_readable(text, sentences[best].start).split())}", SHOWN)
