"""Which module, chapter and section of a textbook a heading opens: “Module 1”, “Chapter 2”, “Section 3”. Pure.

The numbers are those that the headings carry (“Chapter 2: Motion”, “1.2 Speed”, “3. Kapitel”, or a file named
`chapter-02.md`), else the order of the headings. Wrong numbers are worse than none: a level gets none where what its
headings carry contradicts their order, and nothing is counted below a heading without a number. A document has such
numbers where its headings speak of modules, chapters or sections, or go down three levels.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath

MODULE, CHAPTER, SECTION = 1, 2, 3

_WORDS: Mapping[str, Mapping[int, Sequence[str]]] = {
    "en": {MODULE: ("module", "unit", "part"), CHAPTER: ("chapter", "lesson"), SECTION: ("section",)},
    "de": {MODULE: ("modul", "einheit", "teil"), CHAPTER: ("kapitel", "lektion"), SECTION: ("abschnitt",)},
    "fr": {MODULE: ("module", "unité", "partie"), CHAPTER: ("chapitre", "leçon"), SECTION: ("section",)},
    "es": {MODULE: ("módulo", "unidad", "parte"), CHAPTER: ("capítulo", "lección"), SECTION: ("sección",)},
}
"""Of each language and rank, the usual word first."""

_KINDS = {MODULE: "module", CHAPTER: "chapter", SECTION: "section"}
_RANKS = {word: rank for ranks in _WORDS.values() for rank, words in ranks.items() for word in words}
_WORD = "(?i:" + "|".join(sorted(_RANKS, key=len, reverse=True)) + ")"
_DOTTED = r"\d{1,3}(?:\.\d{1,3}){0,3}"
_WORDED = re.compile(
    rf"(?P<word>{_WORD})\s+(?P<number>{_DOTTED}|[IVX]{{1,6}})(?!\w|\.\w)"
    rf"|(?P<before>\d{{1,3}})\.\s+(?P<after>{_WORD})\b"  # “3. Kapitel”
)
_BARE = re.compile(rf"(?P<number>{_DOTTED})(?P<sign>[.:)]?)\s+\S")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")

_TELLING = 4  # one in so many headings of a level says what it is
_CARRYING = 3  # one in so many carries its number

Numbers = tuple[str, ...]


@dataclass(frozen=True)
class Heading:
    """A heading of a document, or of one of its files."""

    level: int
    title: str
    file: str = ""  # its path, where there are several
    is_aside: bool = False  # in a file about the others, such as a README


@dataclass(frozen=True)
class _Number:
    """What a heading is counted as, with the word that it carries, if it does."""

    number: str
    word: str = ""
    is_loose: bool = False  # without a word, dot or sign: it may count things, as in “3 laws of motion”

    @property
    def rank(self) -> int | None:
        return _RANKS.get(self.word.lower())

    @property
    def last(self) -> str:
        return self.number.rpartition(".")[2]


def numbers(headings: Sequence[Heading]) -> list[Numbers]:
    """For each heading, in reading order, what those above it and itself are: ("Module 1", "Chapter 2", "").

    One for each heading on its path, outermost first; "" is one without a number. Folders and files that carry a number
    of a higher rank, such as `module-1/`, stand with the outermost.
    """
    book = _Book(headings)
    for level in sorted(book.ranks):
        book.count(level)
    return [book.parts(path) for path in book.paths]


def label(parts: Iterable[str]) -> str:
    """As it is cited: “Module 1, Chapter 2, Section 3”; empty where there is nothing to say."""
    return ", ".join(filter(None, parts))


def kind_of(part: str) -> str:
    """What “Kapitel 2” is, in one word: module, chapter or section; empty where it is none of them."""
    found = _worded(part.rpartition(", ")[2])
    return _KINDS[found.rank] if found and found.rank else ""


class _Book:
    """The headings of a document with what they carry, and the numbers found so far."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self.headings = headings
        self.paths = _paths(headings)
        self.carried = _carried(headings)
        self.ranks = _ranks(headings, self.carried)
        self.words = _usual_words(self.carried.values())
        self.found: dict[int, _Number] = {}
        self.highest: dict[str, int] = {}  # by file, of what is found in it
        self.named = {heading.file: _folders(heading.file) for heading in headings}
        self.innermost = max((one.rank or 0 for named in self.named.values() for one in named), default=0)
        self.beside = {(self.paths[n][:-1], said.number) for n, said in self.carried.items()}
        self.begun = {
            (above, said.number.rpartition(".")[0])
            for n, said in self.carried.items()
            for above in self.paths[n][:-1]
        }

    def count(self, level: int) -> None:
        """Find the numbers of one level; those above it must have theirs.

        Where folders say which module a file is in, only a word in a heading says so as well.
        """
        rank = self.ranks[level]
        own = [n for n, one in enumerate(self.headings) if one.level == level and not one.is_aside]
        saying = {n: self.carried[n] for n in own if n in self.carried}
        saying = {n: said for n, said in saying.items() if said.rank in (None, rank)}
        order = self._in_order(own)
        lone = {n: said for n, said in saying.items() if self._is_lone(n, said, order[n])}
        counting = {n for n, said in lone.items() if int(said.number) > int(order[n].number)}
        saying = {n: said for n, said in saying.items() if n not in counting}
        if (
            saying
            and len(saying) * _CARRYING >= len(own)
            and self._is_sound(saying)
            and not lone.keys() & saying
        ):
            found = {n: self._within(n, said) for n, said in saying.items()}
        elif len(counting) * 2 > len(own) or any(said.last != order[n].number for n, said in saying.items()):
            found = {}
        elif level == min(self.ranks):
            found = order if self._lies_in_one_folder(own) else {}
        else:
            found = {n: number for n, number in order.items() if self._chain(n)}
        for n, number in found.items():
            if self._is_open(n) and (number.word or rank > self.innermost):
                self.found[n] = number
                file = self.headings[n].file
                self.highest[file] = min(rank, self.highest.get(file, rank))

    def parts(self, path: Sequence[int]) -> Numbers:
        """What the headings of a path are, as `numbers` says."""
        parts = [self._shown(self.found[n], self.headings[n].level) if n in self.found else "" for n in path]
        file = self.headings[path[0]].file
        inside = self.highest.get(file, SECTION + 1)
        outer = [one for one in self.named[file] if one.rank and one.rank < inside]
        return (label([*(f"{_capital(one.word)} {one.number}" for one in outer), parts[0]]), *parts[1:])

    def _shown(self, number: _Number, level: int) -> str:
        return f"{_capital(number.word or self.words[self.ranks[level]])} {number.number}"

    def _in_order(self, own: Sequence[int]) -> dict[int, _Number]:
        """Counted under the heading above each."""
        times: Counter[int | None] = Counter()
        order = {}
        for n in own:
            above = self.paths[n][-2] if len(self.paths[n]) > 1 else None
            times[above] += 1
            order[n] = _Number(str(times[above]))
        return order

    def _is_lone(self, n: int, said: _Number, place: _Number) -> bool:
        """Whether nothing but itself makes a number one of headings: its place, one beside it, or one below it.

        One above its place counts things. One below it may also follow headings without numbers: nobody knows.
        """
        if not said.is_loose or said.number == place.number or (n, said.number) in self.begun:
            return False
        return not any((self.paths[n][:-1], str(int(said.number) + step)) in self.beside for step in (-1, 1))

    def _is_sound(self, saying: Mapping[int, _Number]) -> bool:
        """Whether numbers without a word are numbers of headings: they grow, and go on from those above."""
        under: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for n, said in saying.items():
            if not said.word:
                first, _, _ = said.number.rpartition(".")
                if first and not self._goes_on(n, first):
                    return False
                under[self.paths[n][:-1]].append(int(said.last))
        return all(one < after for group in under.values() for one, after in pairwise(group))

    def _within(self, n: int, said: _Number) -> _Number:
        """“1.2” in Chapter 1 is its second."""
        first, _, last = said.number.rpartition(".")
        return replace(said, number=last) if first and self._goes_on(n, first) else said

    def _goes_on(self, n: int, first: str) -> bool:
        return f".{'.'.join(self._chain(n))}".endswith(f".{first}")

    def _chain(self, n: int) -> list[str]:
        return [self.found[above].number for above in self.paths[n][:-1] if above in self.found]

    def _is_open(self, n: int) -> bool:
        return all(above in self.found for above in self.paths[n][:-1] if self._is_ranked(above))

    def _is_ranked(self, n: int) -> bool:
        return self.headings[n].level in self.ranks

    def _lies_in_one_folder(self, own: Sequence[int]) -> bool:
        """Where files lie in several, it is the folders that are modules, or nobody knows."""
        return len({PurePosixPath(self.headings[n].file).parent for n in own}) < 2


def _paths(headings: Sequence[Heading]) -> list[tuple[int, ...]]:
    """The places of the headings above each and its own."""
    paths: list[tuple[int, ...]] = []
    above: list[int] = []
    for n, heading in enumerate(headings):
        if n and heading.file != headings[n - 1].file:
            above = []
        while above and headings[above[-1]].level >= heading.level:
            above.pop()
        above.append(n)
        paths.append(tuple(above))
    return paths


def _carried(headings: Sequence[Heading]) -> dict[int, _Number]:
    """What each heading carries; the only one at the top of a file may have its number in the file's name."""
    levels: dict[str, list[int]] = defaultdict(list)
    for heading in headings:
        levels[heading.file].append(heading.level)
    carried: dict[int, _Number] = {}
    for n, heading in enumerate(headings):
        own = levels[heading.file]
        is_top = heading.file and heading.level == min(own) and own.count(heading.level) == 1
        stem = _spaced(PurePosixPath(heading.file).stem) if is_top else ""
        said = _worded(heading.title) or _worded(stem) or _bare(heading.title) or _named(stem)
        if said:
            carried[n] = said
    return carried


def _folders(file: str) -> list[_Number]:
    """What the folders of a file carry, outermost first."""
    return [said for said in map(_worded, map(_spaced, PurePosixPath(file).parts[:-1])) if said]


def _spaced(name: str) -> str:
    """A file's name as a heading would have it: chapter-02 is “chapter 02”."""
    return " ".join(re.split(r"[-_\s]+", name))


def _worded(title: str) -> _Number | None:
    found = _WORDED.match(title)
    if found is None:
        return None
    return _Number(_ZEROS.sub("", found["number"] or found["before"]), found["word"] or found["after"])


def _bare(title: str) -> _Number | None:
    found = _BARE.match(title)
    if found is None:
        return None
    return _Number(_ZEROS.sub("", found["number"]), is_loose=not found["sign"] and "." not in found["number"])


def _named(stem: str) -> _Number | None:
    """What a file is called: nobody counts things there."""
    found = _bare(stem)
    return replace(found, is_loose=False) if found else None


def _ranks(headings: Sequence[Heading], carried: Mapping[int, _Number]) -> dict[int, int]:
    """Which level of headings is that of modules, chapters and sections. Those above the first that says so are titles.

    Empty where none says so and there are no three levels, and where the words go against the levels.
    """
    level_of = [heading.level for heading in headings if not heading.is_aside]
    times = Counter(level_of)
    said: dict[int, Counter[int]] = defaultdict(Counter)
    for n, number in carried.items():
        if number.rank and not headings[n].is_aside:
            said[headings[n].level][number.rank] += 1
    telling: dict[int, int] = {}
    for level in sorted(said):
        rank, number_of = min(said[level].items(), key=lambda one: (-one[1], one[0]))
        if number_of * _TELLING >= times[level]:
            telling[level] = rank
    if not telling:
        usual = {1: MODULE, 2: CHAPTER, 3: SECTION}
        return usual if usual.keys() <= times.keys() else {}
    if any(after <= one for one, after in pairwise(telling.values())):
        return {}
    ranks: dict[int, int] = {}
    for level in sorted(level for level in times if level >= min(telling)):
        below = min((rank for other, rank in telling.items() if other > level), default=SECTION + 1)
        last = max(ranks, default=level)
        rank = telling.get(level) or ranks[last] + level - last
        if rank < below:
            ranks[level] = rank
    return ranks


def _usual_words(carried: Iterable[_Number]) -> dict[int, str]:
    """The word for each rank: the one most headings use, else the usual one of their language."""
    used = Counter(number.word.lower() for number in carried if number.word)
    languages = {
        language: sum(used[word] for words in ranks.values() for word in words)
        for language, ranks in _WORDS.items()
    }
    usual = _WORDS[max(languages, key=lambda language: languages[language])]
    words = {}
    for rank in usual:
        of_rank = [(times, word) for word, times in used.items() if _RANKS[word] == rank]
        words[rank] = max(of_rank)[1] if of_rank else usual[rank][0]
    return words


def _capital(word: str) -> str:
    return word.capitalize()
