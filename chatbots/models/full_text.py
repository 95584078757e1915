"""PostgreSQL full-text search of conversations.

A conversation may be in any of four languages, since a chatbot's language can change. So the index has the unstemmed
words and the stems of all four languages, and a query searches each of them.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import add, or_
from typing import Any
from unicodedata import normalize

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Func, Manager, QuerySet, Value
from django.db.models.functions import Left

from schools.querysets import M
from text.languages import CONFIGURATIONS
from text.lexemes import TYPED, WRITTEN

LANGUAGES = ("en", "de", "fr", "es")
_CONFIGURATIONS = ("simple", *(CONFIGURATIONS[code] for code in LANGUAGES))
_MAX_INDEXED = 20_000  # characters of a text that are indexed: PostgreSQL refuses a tsvector above 1 MB
_DASH = re.compile(r'(?P<quoted>"[^"]*"?)|(?<!\w)-+(?P<number>\d[^\s"]*)?')
"""PostgreSQL reads a dash before a word as "without", but not in quotation marks."""
_LAST = re.compile(r"(?:^|(?<=\s))\w{2,}$")


class WithoutWords(Manager[M]):
    """Do not load the search vectors."""

    def get_queryset(self) -> QuerySet[M]:
        return super().get_queryset().defer("search")


def build_text_vector(*fields: str) -> Any:
    """The expression of a generated tsvector column of these fields."""
    kept = [
        SearchVector(*(_plain(field) for field in fields), config=configuration) for configuration in _CONFIGURATIONS
    ]
    return reduce(add, kept)


def _plain(field: str) -> Func:
    """The text without signs that PostgreSQL's parser may treat as letters."""
    return Func(Left(field, _MAX_INDEXED), Value(WRITTEN), Value(TYPED), function="translate")


def search_query(words: str) -> Any:
    """Parse a typed query: all words, exact phrases in quotation marks, and "or". Any other sign is text.

    The last word matches as a prefix, unless it is in quotation marks.
    """
    typed = re.sub("[“”„«»]", '"', words.replace("\x00", ""))
    typed = normalize("NFC", typed).translate(str.maketrans(WRITTEN, TYPED)).strip()
    typed = _DASH.sub(lambda dash: f'"-{dash["number"]}"' if dash["number"] else dash["quoted"] or "", typed).strip()
    whole = [_query(typed, configuration) for configuration in _CONFIGURATIONS]
    last = _LAST.search(typed) if typed.count('"') % 2 == 0 else None
    before = typed[: last.start()].strip() if last else ""
    if last is None or before.endswith(" or"):
        return reduce(or_, whole)
    begun = SearchQuery(f"'{last[0]}':*", config="simple", search_type="raw")
    if not before:
        return reduce(or_, [*whole, begun])
    return reduce(or_, [*whole, *(_query(before, name) & begun for name in _CONFIGURATIONS)])


def _query(words: str, configuration: str) -> SearchQuery:
    return SearchQuery(words, config=configuration, search_type="websearch")
