"""Reading the passages that were found, and what is then said of them."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.certainty import (
    MIN_CERTAINTY,
    MIN_NEXT,
    OPEN,
    SURE,
    THRESHOLD,
    TYPICAL_NEXT,
    Level,
    certainty,
    convert_to_relevance,
    get_level,
    get_passage_level,
)
from corpus.passages import Passage, Standing
from corpus.search.relevance import TYPICAL_SCOPE, estimate_score, relevance
from corpus.search.reranking import CLOSE, MAX_READ, is_unsure, rerank
from corpus.search.statements import NAMED
from engines.reader.reading import Reading
from school_library.sources import SCHOOL

QUESTION = "When did the lock open?"


class Scripted:
    """A reader that is sure of the texts which hold one of its words, and marks the word."""

    name = "scripted"
    languages = frozenset({"en"})
    max_tokens = 256

    def __init__(self, *words: str) -> None:
        self.words = words
        self.calls: list[list[str]] = []

    @property
    def read_texts(self) -> list[str]:
        return [text for texts in self.calls for text in texts]

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        self.calls.append(list(texts))
        return [self._read(text) for text in texts]

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def _read(self, text: str) -> Reading:
        word = next((word for word in self.words if word in text), "")
        start = text.find(word) if word else 0
        logit = 6.0 if word else -6.0
        ones = np.ones(1, dtype=np.float32)
        return Reading(logit, logit, np.array([[start, start + max(len(word), 1)]]), ones, ones)


def passage(text: str, relevance: float, position: int = 0, **fields: str) -> Passage:
    one = Passage(SCHOOL, "Guide", (), text, text, relevance, position=position, language="en")
    return replace(one, **fields)  # type: ignore[arg-type]


def reranked(found: Sequence[Passage], reader: Scripted, question: str = QUESTION) -> list[Passage]:
    by_key = rerank(question, found, reader)
    return sorted((by_key[one.key] for one in found), key=lambda one: -one.relevance)


def test_what_answers_comes_first_and_what_does_not_falls_below_the_threshold() -> None:
    found = [passage("The lock is deep.", 0.8), passage("It opened in 1726.", 0.6, 1)]
    first, second = reranked(found, Scripted("1726"))
    assert (first.text, first.answer_words) == ("It opened in 1726.", "1726")
    assert (get_passage_level(first), get_passage_level(second)) == (Level.ANSWERS, Level.SAME_SUBJECT)
    assert first.relevance >= 0.5 > second.relevance
    assert second.answer_words == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How strong may it be? At most 0.5 mol/l.", ""),
        ("It has 0.5 mol/l. How strong may it be? Ask.", ""),
        ("In 1726 it opened. How strong is it?", "In 1726"),
        ("How strong it is", "How strong"),
    ],
)
def test_a_question_in_the_text_is_not_marked_as_its_answer(text: str, words: str) -> None:
    (read,) = reranked([passage(text, 0.8)], Scripted("How strong" if "1726" not in text else "In 1726"))
    assert read.answer_words == words


def test_the_first_is_read_and_the_others_together_unless_it_surely_answers() -> None:
    found = [passage(f"Passage {n}.", 0.9 - n / 100, n) for n in range(20)]
    sure, second, unsure = Scripted("Passage 0."), Scripted("Passage 1."), Scripted()
    for reader in (sure, second, unsure):
        rerank(QUESTION, found, reader)
    texts = [f"Guide\n{one.text}" for one in found[:MAX_READ]]
    assert sure.calls == [texts[:1]]
    assert second.calls == unsure.calls == [texts[:1], texts[1:]]


def test_what_is_hardly_relevant_is_not_read_unless_it_comes_first() -> None:
    found = [passage(f"Passage {n}.", 0.1, n) for n in range(3)]
    reader = Scripted()
    rerank(QUESTION, found, reader)
    assert reader.calls == [["Guide\nPassage 0."]]


def test_what_was_not_read_is_not_above_what_was() -> None:
    found = [passage(f"Passage {n}.", 0.9, n) for n in range(6)]
    for reader, count in ((Scripted("Passage 0."), 1), (Scripted("Passage 1."), MAX_READ)):
        by_key = rerank(QUESTION, found, reader)
        read = [one for one in by_key.values() if one.certainty is not None]
        rest = [one for one in by_key.values() if one.certainty is None]
        assert len(read) == count
        assert max(one.relevance for one in rest) <= min(one.relevance for one in read)


def test_copies_are_read_once_and_fare_alike() -> None:
    reader = Scripted("1726")
    found = [passage("It opened in 1726.", 0.6, n) for n in range(4)]
    copies = rerank(QUESTION, found, reader).values()
    assert len(reader.read_texts) == 1
    assert len({(one.relevance, one.certainty) for one in copies}) == 1


def test_what_is_said_of_other_languages_rests_on_how_far_the_best_passage_is_ahead() -> None:
    def searched(*scores: float) -> list[Passage]:
        one, standing = passage("Die Schleuse.", 0.7, language="de"), Standing(1, 99, 0.8, 0.0, 0.0, 0.0, (), ())
        return [
            replace(one, excerpt=f"{n}", position=n, score=score, standing=standing) for n, score in enumerate(scores)
        ]

    asked, reader = "Wann wurde die Schleuse geöffnet?", Scripted()
    ahead, close = (list(rerank(asked, searched(1.4, second), reader).values()) for second in (0.7, 1.35))
    assert [one.relevance for one in (*ahead, *close)] == [0.7] * 4
    assert not reader.read_texts
    assert [get_passage_level(one) for one in ahead] == [Level.ANSWERS, Level.SAME_SUBJECT]
    assert [get_passage_level(one) for one in close] == [Level.MAY_ANSWER] * 2
    for question in (asked, "Darf die Schleuse geöffnet werden?"):
        assert (is_unsure(question, ahead), is_unsure(question, close)) == (False, True)


def test_what_was_not_searched_in_other_languages_is_left_as_it_is() -> None:
    found = [passage("Die Schleuse.", 0.7, 0, language="de"), passage("Une écluse.", 0.7, 1, language="")]
    reader = Scripted()
    assert list(rerank(QUESTION, found, reader).values()) == found
    assert not reader.read_texts


@pytest.mark.parametrize(
    "question",
    [
        "May pupils open the lock?",
        "are we allowed to open it",
        "How does a lock compare with a weir?",
        "lock opening",
        "Is the lock deep?",
    ],
)
def test_silence_proves_nothing_where_a_few_words_cannot_answer(question: str) -> None:
    one = passage("Only the keeper opens it.", 0.7)
    assert reranked([one], Scripted(), question)[0].relevance == pytest.approx(0.7)
    assert reranked([one], Scripted("keeper"), question)[0].relevance > 0.7


def test_where_a_few_words_cannot_answer_what_is_close_may_be_shown() -> None:
    close, closer = passage("Only the keeper opens it.", CLOSE), passage("It is opened at noon.", 0.4, 1)
    far = passage("The inn has a garden.", CLOSE - 0.01, 2)
    found = reranked([close, closer, far], Scripted(), "May pupils open the lock?")
    assert [one.text for one in found] == [closer.text, close.text, far.text]
    assert [get_passage_level(one) for one in found] == [Level.MAY_ANSWER, Level.MAY_ANSWER, Level.SAME_SUBJECT]
    assert is_unsure("May pupils open the lock?", found)
    assert reranked([closer], Scripted(), QUESTION)[0].relevance < THRESHOLD


def test_a_long_block_is_read_from_its_excerpt_on_below_its_title() -> None:
    text = "Before. It opened in 1726. After."
    one = replace(passage(text, 0.7), excerpt="It opened in 1726.")
    reader = Scripted("1726")
    (read,) = reranked([one], reader)
    assert reader.read_texts == ["Guide\nIt opened in 1726. After."]
    assert read.answer_words == "1726"


@given(st.floats(0.001, 0.999))
def test_relevance_has_its_threshold_where_certainty_has(share: float) -> None:
    assert (convert_to_relevance(share) >= THRESHOLD) == (share >= MIN_CERTAINTY)


@given(st.floats(-8, 8), st.floats(-8, 8), st.floats(-0.5, 2), st.floats(0, 1))
def test_more_certain_by_reading_or_search_is_never_less(low: float, more: float, score: float, lead: float) -> None:
    nothing = np.zeros((0, 2), dtype=np.int64)
    shares = np.zeros(0, dtype=np.float32)

    def sure(answered: float, score: float, lead: float) -> float:
        return certainty(Reading(answered, 0.0, nothing, shares, shares), score=score, lead=lead)

    assert sure(low, score, lead) <= sure(low + abs(more), score, lead)
    assert sure(low, score, lead) <= sure(low, score + 0.04, lead)
    assert sure(low, score, lead) <= sure(low, score, lead + 0.04)


def test_a_passage_that_stands_out_is_surer_and_a_copy_is_no_neighbour() -> None:
    standing = Standing(1, 9, 0.4, 1.0, 0.5, 0.0, (), ())
    first = replace(passage("It opened early.", 0.9), score=1.2, standing=standing)
    copy, near = replace(first, position=1), replace(passage("It is deep.", 0.8, 2), score=1.1, standing=standing)
    far = replace(near, score=0.4)

    def sure(*found: Passage, of: Passage = first) -> float:
        return rerank(QUESTION, found, Scripted())[of.key].certainty or 0.0

    assert sure(first, near) < sure(first, replace(near, score=TYPICAL_NEXT)) < sure(first, far)
    assert sure(first) == sure(first, copy) == sure(first, copy, replace(near, score=TYPICAL_NEXT))
    assert sure(first, far) == sure(first, replace(far, score=MIN_NEXT))
    assert sure(first, far, of=far) == sure(far, of=far)


@given(st.floats(-0.4, 1.5))
def test_a_passage_without_a_score_has_the_typical_one_of_its_relevance(score: float) -> None:
    size, mean, spread = TYPICAL_SCOPE
    assert estimate_score(relevance(score, size=size, mean=mean, spread=spread)) == pytest.approx(score)


@pytest.mark.parametrize(
    ("share", "level"),
    [
        (SURE, Level.ANSWERS),
        (SURE - 0.01, Level.MAY_ANSWER),
        (MIN_CERTAINTY, Level.MAY_ANSWER),
        (0.0, Level.SAME_SUBJECT),
    ],
)
def test_levels(share: float, level: Level) -> None:
    assert get_level(share) is level


def test_what_was_not_read_answers_at_most_perhaps() -> None:
    assert get_passage_level(passage("x", 0.99)) is Level.MAY_ANSWER
    assert get_passage_level(passage("x", 0.49)) is Level.SAME_SUBJECT


def test_a_passage_that_the_question_names_by_its_number_answers_whatever_reading_says() -> None:
    standing = Standing(1, 9, 0.2, 1.0, 0.5, 0.0, ("step", "3"), (), stated=NAMED)
    one = replace(passage("3. Filter the sand off.", NAMED), standing=standing)
    (read,) = reranked([one], Scripted(), "What is step 3?")
    assert get_passage_level(read) == Level.ANSWERS


def test_a_heading_over_another_passage_that_has_its_words_is_not_read() -> None:
    trip = replace(passage("The trip costs £12.", 0.99), heading_path=("Trip to the lighthouse", "Journey"))
    tower = replace(passage("The lighthouse is high.", 0.6, 1), heading_path=("Trip to the lighthouse",))
    elsewhere, beside = replace(tower, document_id=UUID(int=1)), replace(tower, heading_path=("Towers",))
    question, silent = "How much did the lighthouse cost?", Scripted()
    read = rerank(question, [trip, tower], silent)
    assert silent.read_texts[0] == "Guide › Journey\nThe trip costs £12."
    assert MIN_CERTAINTY <= (read[trip.key].certainty or 0.0) <= OPEN
    assert get_passage_level(rerank(question, [trip, tower], Scripted("£12"))[trip.key]) == Level.ANSWERS
    silence = replace(trip, text="It costs £12.", excerpt="It costs £12.")
    for found in ([trip], [trip, elsewhere], [trip, beside], [silence, tower]):
        reader = Scripted()
        (one, *_) = rerank(question, found, reader).values()
        assert reader.read_texts[0] == f"Guide › Trip to the lighthouse › Journey\n{one.text}"


def test_a_page_that_people_chose_may_be_used_whatever_reading_says() -> None:
    chosen = replace(passage("The gates of the lock are of oak.", THRESHOLD), is_chosen=True)
    (read,) = rerank(QUESTION, [chosen], Scripted()).values()
    assert read.relevance >= THRESHOLD and read.certainty is not None
    assert is_unsure(QUESTION, [read])
