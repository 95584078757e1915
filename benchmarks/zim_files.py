"""ZIM files for benchmarks: articles of SQuAD among generated ones, written with libzim's own writer."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from libzim.writer import Creator, Hint, Item, StringProvider

from benchmarks import ground

PARAGRAPHS = 4  # of a section


@dataclass(frozen=True)
class Article:
    title: str
    html: str

    @property
    def path(self) -> str:
        return self.title.replace(" ", "_")


def write_zim(path: Path, corpus: Path, generated: int) -> None:
    """Write the articles of a corpus in the form of `shared/data/squad`, with so many generated articles beside them.

    Generated articles consist of sentences of the corpus' distractors, and their titles of its words, so that both look
    like the real ones. A third of the titles share a word with a real title. The same arguments give the same articles.
    """
    passages, distractors = ground.read(corpus, "passages"), ground.read(corpus, "distractors")
    real = list(_real_articles(passages))
    texts = [row["text"] for row in distractors]
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    with Creator(partial).config_indexing(True, "eng").config_nbworkers(2) as creator:
        creator.set_mainpath(real[0].path)
        for name, value in _metadata(generated).items():
            creator.add_metadata(name, value)
        for article in [*real, *_generated_articles(texts, [one.title for one in real], generated)]:
            creator.add_item(_Page(article))
    partial.replace(path)


class _Page(Item):  # type: ignore[misc]
    def __init__(self, article: Article) -> None:
        super().__init__()
        self.article = article

    def get_path(self) -> str:
        return self.article.path

    def get_title(self) -> str:
        return self.article.title

    def get_mimetype(self) -> str:
        return "text/html"

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self.article.html)

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: True}


def _metadata(generated: int) -> dict[str, Any]:
    return {
        "Name": f"squad_{generated}",
        "Title": "SQuAD among generated articles",
        "Language": "eng",
        "Date": datetime.date(2026, 11, 1),
        "Creator": "SQuAD 2.0 (CC BY-SA 4.0)",
        "Publisher": "Lectern",
        "Description": "For benchmarks.references",
    }


def _real_articles(passages: Sequence[dict[str, Any]]) -> Iterator[Article]:
    ordered = sorted(passages, key=lambda row: (row["title"], row["id"]))
    for title, rows in groupby(ordered, key=itemgetter("title")):
        yield Article(title, _html(title, [row["text"] for row in rows]))


def _generated_articles(texts: Sequence[str], titles: Sequence[str], count: int) -> Iterator[Article]:
    chance = random.Random(1)  # noqa: S311
    sentences = [sentence for text in texts for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)]
    words = sorted({word for text in texts for word in re.findall(r"\b[A-Za-z][a-z]{3,}\b", text)})
    shared = sorted({word for title in titles for word in re.findall(r"[A-Za-z]{4,}", title)})
    seen = {title.lower() for title in titles}
    while count:
        pool = shared if chance.random() < 1 / 3 else words
        title = " ".join([chance.choice(pool), *chance.choices(words, k=chance.choice((1, 1, 2)))]).capitalize()
        if title.lower() in seen:
            continue
        seen.add(title.lower())
        count -= 1
        paragraphs = [" ".join(chance.choices(sentences, k=4)) for _ in range(chance.randint(2, 6))]
        yield Article(title, _html(title, [f"{title}: {paragraphs[0]}", *paragraphs[1:]]))


def _html(title: str, paragraphs: Sequence[str]) -> str:
    """A page as Wikipedia's ZIM files have them: the lead, then sections with headings."""
    parts = [f"<h1>{escape(title)}</h1><p>{escape(paragraphs[0])}</p>"]
    for start in range(1, len(paragraphs), PARAGRAPHS):
        parts.append(f'<h2 id="part-{start}">Part {1 + start // PARAGRAPHS}</h2>')
        parts += [f"<p>{escape(text)}</p>" for text in paragraphs[start : start + PARAGRAPHS]]
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    return f'<!DOCTYPE html><html lang="en">{head}<body>{"".join(parts)}</body></html>'
