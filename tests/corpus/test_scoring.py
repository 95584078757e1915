"""The relevance of texts that are in no index."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from corpus.search.scoring import score_texts
from engines.embedding import get_embedder

TEXTS = (
    "Hydrochloric acid may be at most 1 mol/l in lessons. Goggles are worn whenever acids are poured.",
    "The school fair is on Saturday. Parents bring cakes, and the choir sings at noon.",
    "Volcanoes form where plates of the earth drift apart.",
)


def scored(question: str, *texts: str, language: str = "en") -> list[float]:
    return score_texts(texts, question, language=language, embedder=get_embedder())


def test_what_answers_the_question_is_relevant_and_the_rest_is_not() -> None:
    acid, fair, volcanoes = scored("How strong may hydrochloric acid be?", *TEXTS)
    assert acid > 0.7
    assert max(fair, volcanoes) < 0.3


def test_what_nothing_answers_is_relevant_nowhere() -> None:
    assert max(scored("Who was the first king of Norway?", *TEXTS)) < 0.5


class Indifferent:
    """An embedder to which all texts are alike, so that only words count."""

    name, dimensions, max_tokens, languages = "indifferent/fp32", 1, 254, frozenset({"en"})

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.ones(1, dtype=np.float32)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.mark.parametrize(
    ("question", "more", "less"),
    [
        ("Do acids need goggles?", "Acids need goggles.", "Acids need care."),
        ("Do acids need goggles?", "Acid, goggles " + "x " * 20, "Acid " + "x " * 20 + "goggles"),
        ("Do acids need goggles?", "Acid " + "x " * 20 + "goggles", "Acid " + "x " * 20),
    ],
    ids=["more words", "closer together", "more words far apart"],
)
def test_words_count_and_count_more_close_together(question: str, more: str, less: str) -> None:
    first, second = score_texts([more, less], question, language="en", embedder=Indifferent())
    assert first > second + 0.01


def test_function_words_and_the_question_word_do_not_count() -> None:
    texts = ["points", "how many points", "points for the"]
    assert len(set(score_texts(texts, "How many points?", language="en", embedder=Indifferent()))) == 1


def test_in_a_script_that_the_embedder_does_not_know_words_decide() -> None:
    right, wrong = scored(
        "الحمض في المختبر؟", "يسكب الحمض في المختبر ببطء", "تبدأ المدرسة في الساعة الثامنة", language="ar"
    )
    assert right > wrong


def test_no_texts_have_no_scores() -> None:
    assert scored("Why?") == []


@given(st.text(max_size=60), st.lists(st.text(max_size=120), min_size=1, max_size=3))
def test_a_score_is_a_share_for_every_text(question: str, texts: list[str]) -> None:
    found = scored(question, *texts)
    assert len(found) == len(texts)
    assert all(0 <= value <= 1 for value in found)


def test_in_another_language_than_the_question_the_meaning_decides() -> None:
    """Neither its weight nor what is added to cosines across languages is left out."""
    goggles, summer, _ = scored(
        "Wann müssen Schüler im Labor Schutzbrillen tragen?",
        "Goggles must be worn in the laboratory at all times.",
        "The school is closed for six weeks in summer.",
        "A warm lunch costs four euros.",
    )
    assert goggles > 0.85 and summer < 0.5
