"""How surely an article is the one that a question is about. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from corpus.certainty import SPREAD


@dataclass(frozen=True)
class PageEvidence:
    """What speaks for an article.

    `by_title`: `Candidate.by_title`, from 0 to 1.5. `best` and `second`: the weighted share of the question's words in
    its best two spans of text, from 0 to 1. `cosine`: of the question and “title + lead”. `trust`: how far the vectors
    count in the language, from 0 to 1.
    """

    by_title: float
    best: float
    second: float
    cosine: float
    trust: float = 1.0


def page_probability(page: PageEvidence) -> float:
    """How surely this article is the right one, from 0 to 1.

    A logistic regression on the candidates of 500 SQuAD questions, among 20,000 and 100,000 generated articles. From
    0.5 on (LECTERN_TITLE_SIM_EXIT) an article found by its title is right for 98 % of them. For the wider search
    (LECTERN_SIM_THRESHOLD) 0.3 to 0.9 find the same within a point, and 0.3 reads the fewest articles. The figures are
    in docs/benchmarks.md. In a language that the embedder does not know, words stand for the cosine.
    """
    cosine = page.trust * page.cosine + (1 - page.trust) * 0.6 * page.best
    logit = 2.6 * page.by_title + 6.3 * page.best + 5.5 * page.second + 7.5 * cosine - 10.9
    return 1 / (1 + math.exp(-logit))


def relevance_among(relevance: float, articles: int) -> float:
    """The relevance of a passage that was chosen from so many articles: the more there are, the less it says.

    `corpus.search.scoring` knows only the texts that are scored, but the best of many unrelated texts look good, too.
    The offset grows with the logarithm of the number, like that of `corpus.search.relevance`. It was fitted at two
    ends with SQuAD questions. Among 20,000 generated articles the threshold 0.5 keeps 86 % of the questions with an
    answer and refuses 86 % of those about articles that are not there; without it 17 % are refused. In the demo's 8
    articles it refuses 98.7 % of all SQuAD questions, and 96.7 % without it.
    """
    if not 0 < relevance < 1:
        return relevance
    offset = 0.44 * math.log(max(articles, 1)) + 1.2
    logit = math.log(relevance / (1 - relevance)) - offset / SPREAD
    return 1 / (1 + math.exp(-logit))
