"""The vocabulary of a scope: which words of a question its chunks have, and which words may be meant by the others.

It is read from the chunks themselves, under the conditions of a search, so it cannot tell a word that a search could
not. A table of words by document would take half to a third of the time, and be one more copy to keep right
(docs/benchmarks.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
from django.db import models

from corpus.search.pool import run_with_search_connection
from corpus.sources import Vocabulary
from text.lexemes import full_text_input
from text.spelling import list_near_lengths, written_forms
from text.stemming import stems

if TYPE_CHECKING:
    from psycopg.rows import TupleRow

MAX_CHUNKS = 20_000
"""So many chunks are read for their words, in half a second; of a larger scope the oldest."""

_SCOPE = """FROM "{documents}" AS document JOIN "{chunks}" AS chunk ON chunk.document_id = document.id
WHERE document.id = ANY($1::uuid[]) AND {still} AND chunk.school_id IS NOT DISTINCT FROM $2::uuid"""

_KNOWN = """
SELECT word FROM unnest($3::text[], $4::text[]) AS asked (word, input) WHERE EXISTS (
    SELECT {scope} AND chunk.search @@ plainto_tsquery(chunk.language::regconfig, input)
)
"""

_TEXTS = """
SELECT concat_ws(' ', document.title, array_to_string(chunk.heading_path, ' '), chunk.text)
{scope} ORDER BY chunk.id LIMIT $3
"""


def vocabulary(
    chunks: type[models.Model],
    documents: Mapping[UUID, str],
    words: Sequence[str],
    *,
    school: UUID,
    still: str = "true",
) -> Vocabulary:
    """What these documents of this school say of these words; for the parameters see `corpus.search.search`.

    A word is known if its stem is in a chunk. The texts are only read if a word is not. Raises psycopg.Error, also if
    too slow.
    """
    document: Any = chunks._meta.get_field("document").related_model
    scope = _SCOPE.format(documents=document._meta.db_table, chunks=chunks._meta.db_table, still=still)
    scoped = [list(documents), school]

    def work(connection: psycopg.Connection[TupleRow]) -> Vocabulary:
        with psycopg.RawCursor(connection) as cursor:
            asked = [list(words), [full_text_input(word) for word in words]]
            known = {row[0] for row in cursor.execute(_KNOWN.format(scope=scope), [*scoped, *asked])}
            if known.issuperset(words):
                return Vocabulary(frozenset(known))
            lengths = list_near_lengths(set(words) - known)
            texts = cursor.execute(_TEXTS.format(scope=scope), [*scoped, MAX_CHUNKS])
            forms = Counter(form for (text,) in texts for form in written_forms(text, lengths))
        return Vocabulary(frozenset(known), forms)

    return run_with_search_connection(work) if documents else Vocabulary()


def vocabulary_of_texts(texts: Sequence[str], words: Sequence[str], language: str) -> Vocabulary:
    """The same of texts in no index; `language` is a language code."""
    stemmed = {stem for text in texts for stem in stems(text, language)}
    known = frozenset(word for word in words if stemmed.issuperset(stems(word, language)))
    lengths = list_near_lengths(known.symmetric_difference(words))
    return Vocabulary(known, Counter(form for text in texts for form in written_forms(text, lengths)))
