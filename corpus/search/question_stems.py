"""The stems of a question as PostgreSQL has them, whose words are looked up once in a process.

PostgreSQL's parser takes what stands between blanks piece by piece, so the stems of a text are those of its words. Only
a tag may have blanks inside: a text with an angle bracket is looked up as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from corpus.search.steps import SqlStatement, Steps
from text.lexemes import full_text_input

MAX_STEMS_CACHED = 50_000
"""Words whose stems are kept, in some 10 MB. Then all are forgotten."""

_SQL = """
SELECT language, word, tsvector_to_array(to_tsvector(language::regconfig, word)) AS stems
FROM unnest($1::text[], $2::text[]) AS asked (language, word)
"""
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_MAX_WORD_LENGTH = 100  # characters of a word that is kept

_known: dict[tuple[str, str], Sequence[str]] = {}


def question_stems(text: str, languages: Collection[str]) -> Steps[dict[str, list[str]]]:
    """The different stems of a text for each text search configuration, in alphabetical order.

    No statement is needed where all words are known.
    """
    plain = full_text_input(text)
    words = [plain] if "<" in plain else [word for word in dict.fromkeys(_BLANKS.split(plain)) if word]
    asked = [(language, word) for language in sorted(languages) for word in words]
    found = {key: _known[key] for key in asked if key in _known}
    if unknown := [key for key in asked if key not in found]:
        rows = yield SqlStatement(_SQL, [[language for language, _ in unknown], [word for _, word in unknown]])
        new = {(row.language, row.word): row.stems for row in rows}
        _keep(new)
        found |= new
    return {
        language: sorted({stem for word in words for stem in found[language, word]}) for language in sorted(languages)
    }


def _keep(new: dict[tuple[str, str], Sequence[str]]) -> None:
    if len(_known) > MAX_STEMS_CACHED:
        _known.clear()
    _known.update({key: stems for key, stems in new.items() if len(key[1]) <= _MAX_WORD_LENGTH})
