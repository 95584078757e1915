"""The words of conversations, as PostgreSQL's full text keeps and looks for them.

A conversation may be held in any language of a chatbot, whatever its chatbot is set to today. So the stems of all four
languages are kept beside the words as they stand, and a question is looked for in each of them.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import add, or_
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Func, Manager, QuerySet, Value
from django.db.models.functions import Left

from corpus.search.language import APOSTROPHE, CONFIGURATIONS, SIGNS
from schools.querysets import M

LANGUAGES = ("en", "de", "fr", "es")
_CONFIGURATIONS = ("simple", *(CONFIGURATIONS[code] for code in LANGUAGES))
_MOST = 20_000  # characters of a text whose words are kept: PostgreSQL refuses more than a megabyte of them
_LAST = re.compile(r"(?:^|(?<=\s))\w{2,}$")


class WithoutWords(Manager[M]):
    """Leaves the words for the search in the database: a conversation is read without them."""

    def get_queryset(self) -> QuerySet[M]:
        return super().get_queryset().defer("search")


def words_of(*fields: str) -> Any:
    """What a generated column keeps of these fields."""
    kept = [
        SearchVector(*(_plain(field) for field in fields), config=configuration)
        for configuration in _CONFIGURATIONS
    ]
    return reduce(add, kept)


def _plain(field: str) -> Func:
    """The text without the signs that a parser may take for letters."""
    signs, plain = Value(SIGNS + APOSTROPHE), Value(" " * len(SIGNS) + "'")
    return Func(Left(field, _MOST), signs, plain, function="translate")


def looked_for(words: str) -> Any:
    """What people type, as a query: all of the words, “"as they stand"” between quotation marks, "or" and "-not".

    The last word may be unfinished, unless it stands in quotation marks.
    """
    typed = re.sub("[“”„«»]", '"', words.replace("\x00", "")).replace(APOSTROPHE, "'").strip()
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
