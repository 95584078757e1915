"""How relevant texts outside any index are to a question, on the same scale as search results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corpus.search.relevance import relevance
from corpus.search.search import CLOSENESS, COVERAGE, LIFT, MEANING
from corpus.search.statements import find_statement
from engines.embedding import Embedder
from engines.embedding.cosine_scale import cosine_scale, knows_language, language_trust
from text.languages import get_configuration
from text.matching import closeness, coverage
from text.question_language import is_foreign
from text.question_match import QuestionWords
from text.stemming import stems


def score_texts(
    texts: Sequence[str],
    question: str,
    *,
    language: str,
    embedder: Embedder,
    embeddings: NDArray[np.float32] | None = None,
) -> list[float]:
    """Return how surely each text is evidence for the question: from 0 to 1, 0.5 is the threshold of the search.

    The measure is that of `corpus.search.search`, but every word of the question counts alike: a few texts cannot tell
    rare words from common ones. Function words do not count. Texts may have at most `embedder.max_tokens` tokens.
    `embeddings` are those of the texts by this embedder, (len(texts), dimensions), if they are known already.
    """
    if not texts:
        return []
    asked = QuestionWords(question, language)
    weights = dict.fromkeys(asked.stems, 1.0)
    trust = language_trust(get_configuration(language), embedder)
    vectors = embedder.embed_passages([text.strip() for text in texts]) if embeddings is None else embeddings
    foreign = knows_language(embedder, language) and is_foreign(question, language)
    scale = cosine_scale(embedder)
    cosines = trust * (scale.apply(vectors @ embedder.embed_query(question)) + scale.foreign * foreign)
    mean, spread = float(cosines.mean()), float(cosines.std(ddof=1)) if len(texts) > 1 else 0.0
    words = [stems(text, language) for text in texts]
    by_words = [
        (1 + COVERAGE - trust) * coverage(found, weights) + CLOSENESS * closeness(found, weights) for found in words
    ]
    scores = [
        max(cosine + more, MEANING * cosine + LIFT if foreign else 0.0)
        for cosine, more in zip(map(float, cosines), by_words, strict=True)
    ]
    return [
        max(relevance(score, size=len(texts), mean=mean, spread=spread), find_statement(asked, (), text))
        for score, text in zip(scores, texts, strict=True)
    ]
