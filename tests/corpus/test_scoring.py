"""The relevance of texts that are in no index."""

from hypothesis import given
from hypothesis import strategies as st

from corpus.scoring import score_texts
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


def test_words_close_together_count_more() -> None:
    near = "Acids need goggles. " + "Lessons begin at eight and end at noon. " * 3
    apart = "Acids are poured. " + "Lessons begin at eight and end at noon. " * 3 + "Bring goggles."
    first, second = scored("Do acids need goggles?", near, apart)
    assert first > second


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
