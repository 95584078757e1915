"""The text of an article as it is searched: its lead, its sections, and windows of long sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from references.offline.opened import OpenArchive
from references.sections import ArticleSection, parse_sections
from text.stemming import stems

_SPAN, _STEP = 120, 80  # words
_WINDOW, _OVERLAP = 160, 20  # tokens (W2)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Window:
    """A piece of an article's section: at most 160 tokens, where it is, and its text."""

    section: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False)
class PageText:
    """An article. Its path is the one after all redirects."""

    path: str
    title: str
    language: str
    sections: tuple[ArticleSection, ...]

    @cached_property
    def lead(self) -> str:
        """The title and the first words, which say what the article is about."""
        words = self.sections[0].text.split()[:40] if self.sections else []
        return f"{self.title}. {' '.join(words)}"

    @cached_property
    def spans(self) -> tuple[frozenset[str], ...]:
        """The stems of overlapping spans of 120 words, with those of their heading: a quick look at the article."""
        found = []
        for section in self.sections:
            heading = stems(" ".join(section.heading_path), self.language)
            words = stems(section.text, self.language)
            for start in range(0, max(len(words) - _SPAN + _STEP, 1), _STEP):
                found.append(frozenset([*words[start : start + _SPAN], *heading]))
        return tuple(found)

    def windows(self, count_tokens: Callable[[str], int]) -> list[Window]:
        """All sections, those that are long as several windows."""
        return [
            Window(number, start, end, section.text[start:end])
            for number, section in enumerate(self.sections)
            for start, end in split_windows(section.text, count_tokens)
        ]


def read_page(archive: OpenArchive, path: str) -> PageText | None:
    """The article at a path, after all redirects; None where there is none. The last ones are cached."""
    return _read(_Key(archive), path)


class _Key:
    """An archive as the key of a cache: equal for one edition."""

    def __init__(self, archive: OpenArchive) -> None:
        self.archive = archive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.archive.revision == self.archive.revision

    def __hash__(self) -> int:
        return hash(self.archive.revision)


@lru_cache(maxsize=128)
def _read(key: _Key, path: str) -> PageText | None:
    found = key.archive.file.page(path)
    if found is None:
        return None
    return PageText(found.path, found.title, key.archive.language, tuple(parse_sections(found.html)))


def split_windows(
    text: str, count_tokens: Callable[[str], int], *, tokens: int = _WINDOW, overlap: int = _OVERLAP
) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a text as (start, end) in characters: at most `tokens` tokens each, cut between words.

    Neighbours share at least the words of `overlap` tokens. A text that is short enough is one piece. A single word
    that is too long is a piece of its own.
    """
    words = [(match.start(), match.end(), count_tokens(match[0])) for match in _WORD.finditer(text)]
    first = 0
    while first < len(words):
        last, size = first, words[first][2]
        while last + 1 < len(words) and size + words[last + 1][2] <= tokens:
            last += 1
            size += words[last][2]
        yield words[first][0], words[last][1]
        if last + 1 == len(words):
            return
        following, shared = last + 1, 0
        while following > first + 1 and shared < overlap:
            following -= 1
            shared += words[following][2]
        first = following
