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

# Shares of the headings of a level that must use the word of its rank, carry a number, and one without a word or sign.
_MIN_NAMED, _MIN_NUMBERED, _MIN_LOOSE = 1 / 4, 1 / 3, 1 / 2

Numbers = tuple[str, ...]


@dataclass(frozen=True)
class TextbookHeading:
    level: int
    title: str
    file: str = ""  # path of its file in a textbook of several files
    is_aside: bool = False  # whether its file is about the other files, such as a README


@dataclass(frozen=True)
class _Number:
    number: str
    word: str = ""  # before it
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
        self.paths = _find_paths(headings)
        self.carried = _find_carried(headings)
        self.ranks = _find_ranks(headings, self.carried)
        self.words = _find_words(self.carried.values())
        self.numbers: dict[int, _Number] = {}
        self.highest: dict[str, int] = {}  # the highest rank assigned in each file
        folders = {heading.file: map(_space, PurePosixPath(heading.file).parts[:-1]) for heading in headings}
        self.named = {file: list(filter(None, map(_read_worded, names))) for file, names in folders.items()}
        self.innermost = max((one.rank or 0 for named in self.named.values() for one in named), default=0)

    def count(self, level: int) -> None:
        """Number a level below those done. If folders name its rank, only headings with a word get a number."""
        rank = self.ranks[level]
        own = [n for n, one in enumerate(self.headings) if one.level == level and not one.is_aside]
        carried = {n: said for n in own if (said := self.carried.get(n)) and said.rank in (None, rank)}
        order = self._in_order(own)
        if self._are_numbers(carried, own):
            found = {n: self._find_number_within(n, said) for n, said in carried.items()}
        elif any(said.last != order[n].number for n, said in carried.items()):
            found = {}
        elif level == min(self.ranks):
            folders = {PurePosixPath(self.headings[n].file).parent for n in own}
            found = order if len(folders) < 2 else {}  # several folders may be the modules
        else:
            found = {n: number for n, number in order.items() if self._chain(n)}
        for n, number in found.items():
            ranked = (above for above in self.paths[n][:-1] if self.headings[above].level in self.ranks)
            if all(above in self.numbers for above in ranked) and (number.word or rank > self.innermost):
                self.numbers[n] = number
                file = self.headings[n].file
                self.highest[file] = min(rank, self.highest.get(file, rank))

    def parts(self, path: Sequence[int]) -> Numbers:
        words = [self.words.get(self.ranks.get(self.headings[n].level, 0), "") for n in path]
        known = [(self.numbers.get(n), word) for n, word in zip(path, words, strict=True)]
        parts = [f"{(one.word or word).capitalize()} {one.number}" if one else "" for one, word in known]
        file = self.headings[path[0]].file
        inside = self.highest.get(file, SECTION + 1)
        outer = [one for one in self.named[file] if one.rank and one.rank < inside]
        return (label([*(f"{one.word.capitalize()} {one.number}" for one in outer), parts[0]]), *parts[1:])

    def _in_order(self, own: Sequence[int]) -> dict[int, _Number]:
        """Numbers by order, counted from 1 under each parent heading."""
        times: Counter[tuple[int, ...]] = Counter()
        order = {}
        for n in own:
            times[self.paths[n][-2:-1]] += 1
            order[n] = _Number(str(times[self.paths[n][-2:-1]]))
        return order

    def _are_numbers(self, carried: Mapping[int, _Number], own: Sequence[int]) -> bool:
        """Whether enough headings carry a number, and those without a word extend those above and increase."""
        is_loose = any(said.is_loose for said in carried.values())
        if not carried or len(carried) < (_MIN_LOOSE if is_loose else _MIN_NUMBERED) * len(own):
            return False
        bare = {n: said for n, said in carried.items() if not said.word}
        under: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for n, said in bare.items():
            under[self.paths[n][:-1]].append(int(said.last))
        steps = [after - one for group in under.values() for one, after in pairwise(group)]
        goes_on = all("." not in self._find_number_within(n, said).number for n, said in bare.items())
        return goes_on and all(step == 1 if is_loose else step > 0 for step in steps)

    def _find_number_within(self, n: int, said: _Number) -> _Number:
        """The number within its parent: “1.2” in Chapter 1 is 2."""
        first, _, last = said.number.rpartition(".")
        return replace(said, number=last) if f".{'.'.join(self._chain(n))}".endswith(f".{first}") else said

    def _chain(self, n: int) -> list[str]:
        return [self.numbers[above].number for above in self.paths[n][:-1] if above in self.numbers]


def _find_paths(headings: Sequence[TextbookHeading]) -> list[tuple[int, ...]]:
    paths: list[tuple[int, ...]] = []
    above: tuple[int, ...] = ()
    for n, heading in enumerate(headings):
        wider = (one for one in above if headings[one].level < heading.level and headings[one].file == heading.file)
        above = (*wider, n)
        paths.append(above)
    return paths


def _find_carried(headings: Sequence[TextbookHeading]) -> dict[int, _Number]:
    """The number in each heading. The only top heading of a file may have its number in the file name."""
    levels: dict[str, list[int]] = defaultdict(list)
    for heading in headings:
        levels[heading.file].append(heading.level)
    carried: dict[int, _Number] = {}
    for n, heading in enumerate(headings):
        own = levels[heading.file]
        is_top = heading.file and heading.level == min(own) and own.count(heading.level) == 1
        stem = _space(PurePosixPath(heading.file).stem) if is_top else ""
        worded = _read_worded(heading.title) or _read_worded(stem)
        if said := worded or _read_bare(heading.title) or _read_bare(stem, in_file_name=True):
            carried[n] = said
    return carried


def _space(name: str) -> str:
    return " ".join(re.split(r"[-_\s]+", name))


def _read_worded(title: str) -> _Number | None:
    found = _WORDED.match(title)
    return found and _Number(_ZEROS.sub("", found["number"] or found["before"]), found["word"] or found["after"])


def _read_bare(title: str, *, in_file_name: bool = False) -> _Number | None:
    """A number without a word. In a file name it is never a quantity."""
    found = _BARE.match(title)
    is_loose = found and not (in_file_name or found["sign"] or "." in found["number"])
    return found and _Number(_ZEROS.sub("", found["number"]), is_loose=bool(is_loose))


def _find_ranks(headings: Sequence[TextbookHeading], carried: Mapping[int, _Number]) -> dict[int, int]:
    """The rank of each level. Empty if no level is named and there are under three, or words contradict levels."""
    ranks_of: dict[int, list[int | None]] = defaultdict(list)
    for n, heading in enumerate(headings):
        if not heading.is_aside:
            ranks_of[heading.level].append(carried[n].rank if n in carried else None)
    named: dict[int, int] = {}
    for level, said in sorted(ranks_of.items()):
        rank = max((MODULE, CHAPTER, SECTION), key=said.count)
        if said.count(rank) >= _MIN_NAMED * len(said):
            named[level] = rank
    if not named:
        usual = {1: MODULE, 2: CHAPTER, 3: SECTION}
        return usual if usual.keys() <= ranks_of.keys() else {}
    if any(after <= one for one, after in pairwise(named.values())):
        return {}
    ranks: dict[int, int] = {}
    for level in sorted(level for level in ranks_of if level >= min(named)):
        last = max(ranks, default=level)
        rank = named.get(level) or ranks[last] + level - last
        if rank < min((other for deeper, other in named.items() if deeper > level), default=SECTION + 1):
            ranks[level] = rank
    return ranks


def _find_words(carried: Iterable[_Number]) -> dict[int, str]:
    """The word for each rank: the one that most headings use, in the language that fits them best."""
    used = Counter(number.word.lower() for number in carried)
    language = max(WORDS, key=lambda one: sum(used[word] for words in WORDS[one].values() for word in words))
    return {rank: max(words, key=lambda word: used[word]) for rank, words in WORDS[language].items()}
