"""Module, chapter and section numbers for the headings of a textbook. Pure.

A number comes from the heading itself (“Chapter 2: Motion”, “1.2 Speed”, “3. Kapitel”), from the file name
(`chapter-02.md`), or else from the order of the headings. A wrong number is worse than none: a level gets no numbers if
those in its headings contradict their order, and nothing is counted below a heading without a number. A document gets
numbers only if its headings use words such as module, chapter or section, or have three levels.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath

from corpus.numbering import ANY_WORD, CHAPTER, MODULE, RANKS, SECTION, WORDS, label

_DOTTED = r"\d{1,3}(?:\.\d{1,3}){0,3}"
_WORDED = re.compile(
    rf"(?P<word>{ANY_WORD})\s+(?P<number>{_DOTTED}|[IVX]{{1,6}})(?!\w|\.\w)"
    rf"|(?P<before>\d{{1,3}})\.\s+(?P<after>{ANY_WORD})\b"  # “3. Kapitel”
)
_BARE = re.compile(rf"(?P<number>{_DOTTED})(?P<sign>[.:)]?)\s+\S")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")

_LEAST_NAMED = 1 / 4  # share of the headings of a level that must use the word of its rank
_LEAST_NUMBERED = 1 / 3  # share of the headings of a level that must carry a number

Numbers = tuple[str, ...]


@dataclass(frozen=True)
class TextbookHeading:
    """A heading of a document, or of one of its files."""

    level: int
    title: str
    file: str = ""  # path of its file in a textbook of several files
    is_aside: bool = False  # whether its file is about the other files, such as a README


@dataclass(frozen=True)
class _Number:
    """The number of a heading, and the word before it if there is one."""

    number: str
    word: str = ""
    is_loose: bool = False  # without a word, dot or sign: it may be a quantity, as in “3 laws of motion”

    @property
    def rank(self) -> int | None:
        return RANKS.get(self.word.lower())

    @property
    def last(self) -> str:
        return self.number.rpartition(".")[2]


def number_headings(headings: Sequence[TextbookHeading]) -> list[Numbers]:
    """For each heading in reading order, the numbers on its path: ("Module 1", "Chapter 2", "").

    The outermost heading comes first; "" stands for a heading without a number. The number of a folder or file of a
    higher rank, such as `module-1/`, is added to the outermost.
    """
    book = _Book(headings)
    for level in sorted(book.ranks):
        book.count(level)
    return [book.parts(path) for path in book.paths]


class _Book:
    """The headings of a document, the numbers that they carry, and the numbers assigned so far."""

    def __init__(self, headings: Sequence[TextbookHeading]) -> None:
        self.headings = headings
        self.paths = _paths(headings)
        self.carried = _carried(headings)
        self.ranks = _ranks(headings, self.carried)
        self.words = _usual_words(self.carried.values())
        self.found: dict[int, _Number] = {}
        self.highest: dict[str, int] = {}  # the highest rank assigned in each file
        folders = {heading.file: map(_spaced, PurePosixPath(heading.file).parts[:-1]) for heading in headings}
        self.named = {file: list(filter(None, map(_worded, names))) for file, names in folders.items()}
        self.innermost = max((one.rank or 0 for named in self.named.values() for one in named), default=0)
        self.beside = {(self.paths[n][:-1], said.number) for n, said in self.carried.items()}
        self.begun = {
            (above, said.number.rpartition(".")[0]) for n, said in self.carried.items() for above in self.paths[n][:-1]
        }

    def count(self, level: int) -> None:
        """Assign the numbers of one level. The levels above it must be done.

        If folders name the rank of a level, only headings with a word get a number of that rank.
        """
        rank = self.ranks[level]
        own = [n for n, one in enumerate(self.headings) if one.level == level and not one.is_aside]
        saying = {n: self.carried[n] for n in own if n in self.carried}
        saying = {n: said for n, said in saying.items() if said.rank in (None, rank)}
        order = self._in_order(own)
        lone = {n: said for n, said in saying.items() if self._is_lone(n, said, order[n])}
        counting = {n for n, said in lone.items() if int(said.number) > int(order[n].number)}
        saying = {n: said for n, said in saying.items() if n not in counting}
        if saying and len(saying) >= _LEAST_NUMBERED * len(own) and self._is_sound(saying) and not lone.keys() & saying:
            found = {n: self._within(n, said) for n, said in saying.items()}
        elif len(counting) * 2 > len(own) or any(said.last != order[n].number for n, said in saying.items()):
            found = {}
        elif level == min(self.ranks):
            folders = {PurePosixPath(self.headings[n].file).parent for n in own}
            found = order if len(folders) < 2 else {}  # several folders may be the modules
        else:
            found = {n: number for n, number in order.items() if self._chain(n)}
        for n, number in found.items():
            if self._is_open(n) and (number.word or rank > self.innermost):
                self.found[n] = number
                file = self.headings[n].file
                self.highest[file] = min(rank, self.highest.get(file, rank))

    def parts(self, path: Sequence[int]) -> Numbers:
        """The numbers of the headings on a path, as described in `number_headings`."""
        parts = [self._shown(self.found[n], self.headings[n].level) if n in self.found else "" for n in path]
        file = self.headings[path[0]].file
        inside = self.highest.get(file, SECTION + 1)
        outer = [one for one in self.named[file] if one.rank and one.rank < inside]
        return (label([*(f"{one.word.capitalize()} {one.number}" for one in outer), parts[0]]), *parts[1:])

    def _shown(self, number: _Number, level: int) -> str:
        return f"{(number.word or self.words[self.ranks[level]]).capitalize()} {number.number}"

    def _in_order(self, own: Sequence[int]) -> dict[int, _Number]:
        """Numbers by order, counted from 1 under each parent heading."""
        times: Counter[int | None] = Counter()
        order = {}
        for n in own:
            above = self.paths[n][-2] if len(self.paths[n]) > 1 else None
            times[above] += 1
            order[n] = _Number(str(times[above]))
        return order

    def _is_lone(self, n: int, said: _Number, place: _Number) -> bool:
        """Whether nothing confirms that a bare number is a heading number: its order, a neighbour, or a child.

        A lone number above its order is a quantity. One below it is uncertain.
        """
        if not said.is_loose or said.number == place.number or (n, said.number) in self.begun:
            return False
        return not any((self.paths[n][:-1], str(int(said.number) + step)) in self.beside for step in (-1, 1))

    def _is_sound(self, saying: Mapping[int, _Number]) -> bool:
        """Whether numbers without a word are heading numbers: they increase and extend the numbers above."""
        under: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for n, said in saying.items():
            if not said.word:
                first, _, _ = said.number.rpartition(".")
                if first and not self._goes_on(n, first):
                    return False
                under[self.paths[n][:-1]].append(int(said.last))
        return all(one < after for group in under.values() for one, after in pairwise(group))

    def _within(self, n: int, said: _Number) -> _Number:
        """The number within its parent: “1.2” in Chapter 1 is 2."""
        first, _, last = said.number.rpartition(".")
        return replace(said, number=last) if first and self._goes_on(n, first) else said

    def _goes_on(self, n: int, first: str) -> bool:
        return f".{'.'.join(self._chain(n))}".endswith(f".{first}")

    def _chain(self, n: int) -> list[str]:
        return [self.found[above].number for above in self.paths[n][:-1] if above in self.found]

    def _is_open(self, n: int) -> bool:
        ranked = (above for above in self.paths[n][:-1] if self.headings[above].level in self.ranks)
        return all(above in self.found for above in ranked)


def _paths(headings: Sequence[TextbookHeading]) -> list[tuple[int, ...]]:
    """For each heading the indexes of the headings above it and its own."""
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


def _carried(headings: Sequence[TextbookHeading]) -> dict[int, _Number]:
    """The number in each heading. The only top heading of a file may have its number in the file name."""
    levels: dict[str, list[int]] = defaultdict(list)
    for heading in headings:
        levels[heading.file].append(heading.level)
    carried: dict[int, _Number] = {}
    for n, heading in enumerate(headings):
        own = levels[heading.file]
        is_top = heading.file and heading.level == min(own) and own.count(heading.level) == 1
        stem = _spaced(PurePosixPath(heading.file).stem) if is_top else ""
        said = _worded(heading.title) or _worded(stem) or _bare(heading.title) or _bare(stem, in_file_name=True)
        if said:
            carried[n] = said
    return carried


def _spaced(name: str) -> str:
    """A file name as words: chapter-02 is “chapter 02”."""
    return " ".join(re.split(r"[-_\s]+", name))


def _worded(title: str) -> _Number | None:
    found = _WORDED.match(title)
    if found is None:
        return None
    return _Number(_ZEROS.sub("", found["number"] or found["before"]), found["word"] or found["after"])


def _bare(title: str, *, in_file_name: bool = False) -> _Number | None:
    """A number without a word. In a file name it is never a quantity."""
    found = _BARE.match(title)
    if found is None:
        return None
    is_loose = not (in_file_name or found["sign"] or "." in found["number"])
    return _Number(_ZEROS.sub("", found["number"]), is_loose=is_loose)


def _ranks(headings: Sequence[TextbookHeading], carried: Mapping[int, _Number]) -> dict[int, int]:
    """The rank (module, chapter, section) of each heading level. Levels above the first named one are titles.

    Empty if no level is named and there are fewer than three levels, or if the words contradict the levels.
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
        if number_of >= _LEAST_NAMED * times[level]:
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
    """The word for each rank: the one that most headings use, else the usual one of their language."""
    used = Counter(number.word.lower() for number in carried if number.word)
    languages = {
        language: sum(used[word] for words in ranks.values() for word in words) for language, ranks in WORDS.items()
    }
    usual = WORDS[max(languages, key=lambda language: languages[language])]
    words = {}
    for rank in usual:
        of_rank = [(times, word) for word, times in used.items() if RANKS[word] == rank]
        words[rank] = max(of_rank)[1] if of_rank else usual[rank][0]
    return words
