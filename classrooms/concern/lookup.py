"""The classes of words that a word belongs to, without looking at each class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from classrooms.concern.folding import Word

Item = tuple[str, ...]
"""An expression: its words, folded. A word may have * at its beginning or end for any letters."""

_REMEMBERED = 5_000
"""Words of which is remembered where they belong."""

_SHORTEST_STARRED = 4
"""Letters of a word in which * may hide some."""

MAX_STARRED = 10
"""Words with * of one window that are looked up."""


class Lookup:
    """Finds the words of a window in classes of expressions. Safe to share between threads."""

    def __init__(self, classes: Mapping[str, Sequence[Item]]) -> None:
        self._whole: dict[str, list[tuple[str, Item]]] = defaultdict(list)
        self._beginnings: dict[str, list[tuple[str, Item]]] = defaultdict(list)
        self._ends: dict[str, list[tuple[str, Item]]] = defaultdict(list)
        for name, items in classes.items():
            for item in items:
                self._table(item[0])[item[0].strip("*")].append((name, item))
        # Words by each of their first letters, since any of them may be hidden.
        self._lettered: dict[tuple[int, str], list[str]] = defaultdict(list)
        for word in dict.fromkeys([*self._whole, *self._beginnings]):
            for letter in enumerate(word[:_SHORTEST_STARRED] if len(word) >= _SHORTEST_STARRED else ""):
                self._lettered[letter].append(word)
        self._remembered: dict[tuple[str, ...], tuple[tuple[str, Item], ...]] = {}

    def places(self, window: Sequence[Word]) -> dict[str, list[tuple[int, int]]]:
        """Return, by class, the places of its words in a window."""
        places: dict[str, list[tuple[int, int]]] = {}
        starred = 0
        for place, word in enumerate(window):
            forms = word.forms
            if any("*" in form for form in forms):
                starred += 1
                forms = forms if starred <= MAX_STARRED else tuple(form for form in forms if "*" not in form)
            for name, item in self._starting(forms):
                end = place + len(item)
                if len(item) > 1 and (
                    end > len(window)
                    or not all(map(_matches, item[1:], (each.forms for each in window[place + 1 : end])))
                ):
                    continue
                spans = places.setdefault(name, [])
                if not spans or spans[-1] != (place, end):
                    spans.append((place, end))
        return places

    def _table(self, word: str) -> dict[str, list[tuple[str, Item]]]:
        return self._ends if word[0] == "*" else self._beginnings if word[-1] == "*" else self._whole

    def _starting(self, forms: tuple[str, ...]) -> tuple[tuple[str, Item], ...]:
        """Classes with those of their expressions that may begin with a word."""
        if (known := self._remembered.get(forms)) is not None:
            return known
        if len(self._remembered) >= _REMEMBERED:
            self._remembered.clear()
        found = tuple(dict.fromkeys(entry for form in forms for entry in self._entries(form)))
        self._remembered[forms] = found
        return found

    def _entries(self, form: str) -> Iterator[tuple[str, Item]]:
        if "*" in form:
            yield from self._behind_stars(form)
            return
        yield from self._whole.get(form, ())
        for length in range(1, len(form) + 1):
            yield from self._beginnings.get(form[:length], ())
            yield from self._ends.get(form[-length:], ())

    def _behind_stars(self, form: str) -> Iterator[tuple[str, Item]]:
        if len(form) < _SHORTEST_STARRED or form.count("*") * 2 > len(form):
            return
        seen = next(((at, letter) for at, letter in enumerate(form[:_SHORTEST_STARRED]) if letter != "*"), None)
        for word in self._lettered.get(seen, ()) if seen else ():
            for table in (self._whole, self._beginnings):
                if word in table and _fits(form, word, is_beginning=table is self._beginnings):
                    yield from table[word]


def _matches(word: str, forms: tuple[str, ...]) -> bool:
    if word[-1] == "*":
        return any(form.startswith(word[:-1]) for form in forms)
    if word[0] == "*":
        return any(form.endswith(word[1:]) for form in forms)
    return word in forms


def _fits(form: str, word: str, *, is_beginning: bool) -> bool:
    """Whether a form with * for letters may be a word, such as s*icide."""
    if len(form) < len(word) or (len(form) > len(word) and not is_beginning) or len(word) < _SHORTEST_STARRED:
        return False
    return all(shown in ("*", letter) for shown, letter in zip(form, word, strict=False))
