"""Articles whose title may be what a question is about (W2: titles first)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from references.offline.opened import OpenArchive
from references.offline.question import QuestionWords
from references.offline.title_index import Title
from text.stemming import stems

_SUGGESTED = 8


@dataclass(frozen=True)
class ArticleCandidate:
    """An article by its path after all redirects, and how well its title, or that of a redirect, fits the question.

    `fit` is the share of the title's weighted words that are in the question, `share` that of the question's words that
    are in the title; both are from 0 to 1.
    """

    path: str
    fit: float = 0.0
    share: float = 0.0

    @property
    def by_title(self) -> float:
        """How well the title alone tells the article: titles that are in the question as a whole come first."""
        return self.fit**2 * (0.5 + self.share)


def title_candidates(archive: OpenArchive, question: QuestionWords, count: int) -> list[ArticleCandidate]:
    """Find the `count` articles whose titles fit a question best, best first."""
    weights = _Weights(archive, question)
    found = [*_exact(archive, question), *_by_words(archive, weights), *_suggested(archive, question, weights)]
    ranked = sorted(
        {title.path: title for title in found}.values(), key=lambda one: (-weights.fit(one).by_title, one.path)
    )
    best: dict[str, ArticleCandidate] = {}
    for title in ranked:
        if len(best) == count:
            break
        path = archive.file.find_path(title.path)
        if path is not None and path not in best:
            fit = weights.fit(title)
            best[path] = ArticleCandidate(path, fit.fit, fit.share)
    return list(best.values())


def title_fit(archive: OpenArchive, question: QuestionWords, path: str, title: str) -> ArticleCandidate:
    """How well the title of an article fits that was found otherwise."""
    return _Weights(archive, question).fit(Title(title, path, tuple(stems(title, archive.language))))


class _Weights:
    """How much each stem of a question says: the rarer in titles, the more. A slip stands for the word it was meant."""

    def __init__(self, archive: OpenArchive, question: QuestionWords) -> None:
        self._titles = archive.titles
        self.meant: dict[str, Sequence[str]] = {}
        """The stems in titles that each stem of the question stands for."""
        for stem in question.words:
            known = archive.titles.frequency(stem)
            self.meant[stem] = [stem] if known else archive.titles.similar_words(stem)[:3]
        self._stem_of = {meant: stem for stem, every in self.meant.items() for meant in every}
        self._of: dict[str, float] = {}
        self._total = math.fsum(self.of(stem) for stem in self._stem_of) or 1.0

    def of(self, stem: str) -> float:
        if stem not in self._of:
            self._of[stem] = math.log(1 + self._titles.titles / (self._titles.frequency(stem) + 0.5))
        return self._of[stem]

    def fit(self, title: Title) -> ArticleCandidate:
        every = dict.fromkeys(title.stems)
        in_question = math.fsum(self.of(stem) for stem in every if stem in self._stem_of)
        content = math.fsum(self.of(stem) for stem in every) or 1.0
        return ArticleCandidate(title.path, min(in_question / content, 1.0), min(in_question / self._total, 1.0))


def _exact(archive: OpenArchive, question: QuestionWords) -> Iterable[Title]:
    """Titles that stand in the question as they are. A partial index lacks some, so the file is asked, too."""
    yield from archive.titles.exact(question.names)
    if archive.titles.limit is not None:
        for name in question.names:
            for written in dict.fromkeys([name, name[:1].upper() + name[1:]]):
                path = archive.file.find_title(written) or archive.file.find_path(written.replace(" ", "_"))
                if path is not None:
                    yield Title(written, path, tuple(stems(written, archive.language)))


def _by_words(archive: OpenArchive, weights: _Weights) -> Iterable[Title]:
    meant = [word for every in weights.meant.values() for word in every]
    yield from archive.titles.with_words(meant, 40)
    for stem, every in weights.meant.items():
        if not every and len(stem) > 3:
            yield from archive.titles.with_beginning(stem, _SUGGESTED)


def _suggested(archive: OpenArchive, question: QuestionWords, weights: _Weights) -> Iterable[Title]:
    """What the file suggests for the rarest words, and for all of them."""
    rarest = sorted(question.words, key=lambda stem: -weights.of(stem))[:3]
    for words in [" ".join(question.words.values()), *(question.words[stem] for stem in rarest)]:
        for path in archive.file.suggest(words, _SUGGESTED):
            found = archive.file.get_entry_title(path)
            if found:
                yield Title(found, path, tuple(stems(found, archive.language)))
