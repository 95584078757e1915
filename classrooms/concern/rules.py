"""Rules as a school reads and edits them: a text with classes of words, and patterns under categories.

    @self = i, im, me, my
    @harm = kill*, hurt*, end my life

    [self-harm]
    @self ~4 @harm unless pizza

`parse` reads such a text and names the line of each mistake. docs/concern.md explains the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from classrooms.concern import shapes
from classrooms.concern.folding import words
from classrooms.concern.lookup import Item, Lookup

CATEGORIES = ("self-harm", "violence", "abuse", "personal-data", "instructions")
LANGUAGES = ("en", "de", "fr", "es")
"""Languages with default rules."""

SET_ASIDE = "set aside"
"""The section of expressions that are harmless: their words are not looked at further."""

FURTHEST = 12
"""Most words that may stand between two parts of a pattern."""

LONGEST_TEXT, MOST_PARTS, SHORTEST_STEM = 200_000, 6, 3
MOST_EXPRESSIONS = 50_000
"""Of all classes together, those that a class takes from another one counted again. The default ones have 8,000."""

_HEAD = re.compile(r"\[([^\[\]]*)\]")
_CLASS = re.compile(r"@[a-z][a-z0-9-]*")
_PARTS = re.compile(r"\([^()]*\)|~\d*|\.\.\d*|[^\s()]+|[()]")


class RulesError(ValueError):
    """What is wrong in a text of rules: `mistakes` has (line, message) in order."""

    def __init__(self, mistakes: list[tuple[int, str]]) -> None:
        self.mistakes = mistakes
        super().__init__("\n".join(f"Line {line}: {message}" for line, message in mistakes))


@dataclass(frozen=True)
class Step:
    """One part of a pattern: a class of words, and where it stands relative to the parts before it.

    It comes after them, or is near in any order, with at most `distance` words between; None is the whole sentence.
    """

    words: str
    any_order: bool = False
    distance: int | None = 0


@dataclass(frozen=True)
class Rule:
    """A pattern of a category as it stands in `line`. None of the patterns in `unless` may occur in the sentence."""

    category: str
    steps: tuple[Step, ...]
    unless: tuple[tuple[Step, ...], ...]
    line: int
    text: str


@dataclass(frozen=True)
class Rules:
    """Rules that were read: `classes` has the expressions of each class of words, by its name."""

    rules: tuple[Rule, ...]
    classes: dict[str, tuple[Item, ...]] = field(repr=False)

    @cached_property
    def lookup(self) -> Lookup:
        """The classes in the form in which words are looked up."""
        return Lookup(self.classes)


def default(language: str) -> str:
    """Return the rules that Lectern brings for one of LANGUAGES, as a text to edit."""
    if language not in LANGUAGES:
        raise ValueError(f"There are no default rules for “{language}”.")
    return (Path(__file__).parent / "defaults" / f"{language}.txt").read_text(encoding="utf-8")


def parse(text: str) -> Rules:
    """Return the rules of a text; RulesError names each line with a mistake."""
    if len(text) > LONGEST_TEXT:
        raise RulesError([(1, f"The rules are longer than {LONGEST_TEXT} characters.")])
    reader = _Reader()
    for line, content in _lines(text):
        try:
            reader.read(line, content)
        except _MistakeError as mistake:
            reader.mistakes.append((line, str(mistake)))
    if reader.mistakes:
        raise RulesError(reader.mistakes)
    return Rules(tuple(reader.rules), reader.classes)


class _MistakeError(Exception):
    pass


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, content) without comments; an indented line continues the one before it."""
    started, content = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace() and content:
            content += f" {line.strip()}"
            continue
        if content:
            yield started, content
        started, content = number, line.strip()
    if content:
        yield started, content


class _Reader:
    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.classes: dict[str, tuple[Item, ...]] = dict.fromkeys(shapes.NAMES, ())
        self.mistakes: list[tuple[int, str]] = []
        self._category = ""
        self._expressions = 0

    def read(self, line: int, content: str) -> None:
        if content.startswith("["):
            self._category = _category(content)
        elif content.startswith("@") and "=" in content:
            self._define(content)
        elif not self._category:
            raise _MistakeError("A pattern stands below the name of a category, such as [self-harm].")
        else:
            pattern, *exceptions = re.split(r"(?:^|\s)unless(?:\s|$)", content)
            unless = tuple(self._steps(exception) for exception in exceptions)
            self.rules.append(Rule(self._category, self._steps(pattern), unless, line, content))

    def _define(self, content: str) -> None:
        name, _, listed = content.partition("=")
        name = name.strip()
        if not _CLASS.fullmatch(name):
            raise _MistakeError(f"“{name}” is no name of a class: small letters, digits and hyphens after @.")
        if name[1:] in self.classes:
            which = "is built in" if name[1:] in shapes.NAMES else "is defined twice"
            raise _MistakeError(f"{name} {which}.")
        self.classes[name[1:]] = ()  # a mistake in it is named once, not wherever it is used
        self.classes[name[1:]] = self._items(listed.split(","))

    def _items(self, expressions: list[str]) -> tuple[Item, ...]:
        items: dict[Item, None] = {}
        for expression in (each.strip() for each in expressions):
            if expression.startswith("@"):
                if self._known(expression) in shapes.NAMES:
                    raise _MistakeError(f"{expression} is no list of words: write it in the pattern.")
                self._count(len(self.classes[expression[1:]]))
                items.update(dict.fromkeys(self.classes[expression[1:]]))
            elif expression:
                self._count(1)
                items[_item(expression)] = None
        if not items:
            raise _MistakeError("There are no words.")
        return tuple(items)

    def _count(self, expressions: int) -> None:
        if self._expressions + expressions > MOST_EXPRESSIONS:
            raise _MistakeError(f"All classes together have at most {MOST_EXPRESSIONS:,} words and expressions.")
        self._expressions += expressions

    def _steps(self, pattern: str) -> tuple[Step, ...]:
        steps: list[Step] = []
        any_order, waiting = False, False
        distance: int | None = 0
        for part in _PARTS.findall(pattern):
            if part.startswith(("~", "..")):
                if waiting or not steps:
                    raise _MistakeError(f"“{part}” stands between two words or classes.")
                any_order, distance, waiting = part[0] == "~", _distance(part), True
            else:
                steps.append(Step(self._word(part), any_order, distance))
                any_order, distance, waiting = False, 0, False
        if waiting or not steps:
            raise _MistakeError("Something is missing at the end of the pattern.")
        if len(steps) > MOST_PARTS:
            raise _MistakeError(f"A pattern has at most {MOST_PARTS} parts; put fixed expressions in a class.")
        return tuple(steps)

    def _word(self, part: str) -> str:
        """The class that a part of a pattern names; words without one make their own."""
        if part.startswith("@"):
            return self._known(part)
        if part in ("(", ")"):
            raise _MistakeError("A bracket has no other half.")
        items = self._items(part.strip("()").split("|"))
        name = "|".join(" ".join(item) for item in items) + "|"  # the name of no class that a school defines
        self.classes[name] = items
        return name

    def _known(self, part: str) -> str:
        if part[1:] not in self.classes:
            raise _MistakeError(f"There is no class {part} above this line.")
        return part[1:]


def _category(content: str) -> str:
    head = _HEAD.fullmatch(content)
    name = " ".join(head[1].split()) if head else ""
    if name not in (*CATEGORIES, SET_ASIDE):
        raise _MistakeError(f"The name of a category is one of [{'], ['.join((*CATEGORIES, SET_ASIDE))}].")
    return name


def _distance(part: str) -> int | None:
    digits = part.lstrip("~.")
    if digits and int(digits[:4]) > FURTHEST:
        raise _MistakeError(f"At most {FURTHEST} words stand between; without a number it is the whole sentence.")
    return int(digits) if digits else None


def _item(expression: str) -> Item:
    """The folded words of an expression. A word may be given by its beginning, kill*, or its end, *prompt."""
    parts: list[str] = []
    for chunk in expression.split():
        bare = chunk.strip("*")
        folded = [form.forms[0] for form in words(bare)]
        if not folded or "*" in bare:
            raise _MistakeError(f"“{chunk}” is no word.")
        if chunk[0] == chunk[-1] == "*":
            raise _MistakeError(f"“{chunk}” has two *: one, at the beginning or at the end.")
        if chunk != bare and len(folded[0 if chunk[0] == "*" else -1]) < SHORTEST_STEM:
            raise _MistakeError(f"“{chunk}” is too short: * wants {SHORTEST_STEM} letters.")
        if chunk[0] == "*":
            folded[0] = f"*{folded[0]}"
        elif chunk[-1] == "*":
            folded[-1] = f"{folded[-1]}*"
        parts += folded
    return tuple(parts)
