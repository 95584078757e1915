"""Whether what an answer says stands in the passages it cites for it."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbots.citations.claim_verification import MAX_CLAIMS, Support, find_unsupported_entities, verify_claims
from chatbots.passages import NumberedPassage
from engines.embedding import get_embedder, load_embedder
from engines.embedding.models import SMALL
from tests.engines.models import High

ACIDS = (
    "For year 9 the hydrochloric acid is kept at 0.5 mol/l, half of what the laboratory policy would allow. "
    "Goggles go on before the first bottle is opened. Splashes on skin are rinsed at once."
)
TRIP = (
    "The museum trip leaves at half past eight from the north gate. Each pupil pays 12 euros for the bus. "
    "Packed lunches are eaten in the park beside the museum."
)
LIBRARY = "The library opens at eight. Books are lent for three weeks, and a lost book costs its price."
PASSAGES = [NumberedPassage(n, "", (), text, text) for n, text in enumerate((ACIDS, TRIP, LIBRARY), start=1)]


def states(text: str, *, vectors: bool = True, language: str = "en") -> list[tuple[int, str]]:
    found = verify_claims(text, PASSAGES, language=language, embedder=get_embedder() if vectors else None)
    return [(verdict.number, verdict.state.value) for verdict in found.values()]


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Goggles go on before the first bottle is opened [1].", Support.SUPPORTED),
        ("“Splashes on skin are rinsed at once.” [1]", Support.SUPPORTED),
        ("In year 9 the acid has 0.5 mol/l, half of what the policy would allow [1].", Support.SUPPORTED),
        ("For the bus, pupils pay 12 euros each [2].", Support.SUPPORTED),
        ("For the bus, pupils pay 12 euros each [1].", Support.NOT_FOUND),
        ("The museum trip leaves from the north gate at half past eight [3].", Support.NOT_FOUND),
        ("Books are lent for three weeks [1].", Support.NOT_FOUND),
        ("The hamster needs fresh water every morning [3].", Support.NOT_FOUND),
    ],
)
def test_states(text: str, expected: Support, vectors: bool) -> None:
    ((_, state),) = states(text, vectors=vectors)
    assert state == expected or (expected == Support.NOT_FOUND and not vectors and state == Support.WEAK)


def test_an_altered_number_is_not_supported() -> None:
    ((_, state),) = states("For the bus each pupil pays 15 euros [2].")
    assert state != Support.SUPPORTED


def test_the_passage_that_says_it_is_named() -> None:
    (verdict,) = verify_claims(
        "For the bus, pupils pay 12 euros each [1].", PASSAGES, language="en", embedder=get_embedder()
    ).values()
    assert verdict.better == 2


def test_passages_cited_together_may_each_bring_a_part() -> None:
    text = "Goggles go on before the first bottle is opened and books are lent for three weeks [1][3]."
    assert states(text) == [(1, "supported"), (3, "supported")]
    assert states(text.replace("[3]", "[2]"))[1] == (2, "not found")


def test_each_marker_has_a_verdict_in_order() -> None:
    text = "Splashes on skin are rinsed at once [1]. Books are lent for three weeks [2][3]. `[1]`"
    assert [number for number, _ in states(text)] == [1, 2, 3]


def test_of_a_passage_in_another_language_nothing_bad_is_said() -> None:
    text = "Die Bibliothek öffnet um acht, und Bücher werden für drei Wochen ausgeliehen [3]."
    assert states(text, language="de") == []
    passage = NumberedPassage(1, "", (), "Die Bücherei öffnet um acht. Bücher leiht man für drei Wochen aus.", "")
    (verdict,) = verify_claims(text.replace("[3]", "[1]"), [passage], language="de", embedder=None).values()
    assert verdict.state == Support.SUPPORTED


def test_a_marker_without_words_has_none() -> None:
    found = verify_claims("[1]\n\nBooks are lent for three weeks [3].", PASSAGES, language="en", embedder=None)
    assert {place: verdict.number for place, verdict in found.items()} in ({0: 1, 1: 3}, {1: 3})


def test_odd_answers_do_no_harm() -> None:
    empty = [NumberedPassage(1, "", (), "", "")]
    assert verify_claims("", PASSAGES, language="en", embedder=get_embedder()) == {}
    (verdict,) = verify_claims("Something [1].", empty, language="en", embedder=get_embedder()).values()
    assert verdict.state == Support.NOT_FOUND
    assert [number for number, _ in states("Something [9] and more [1].")] == [1]


def test_what_stands_in_no_passage_is_told_but_what_was_asked_about_is_not() -> None:
    text = "The trip to Berlin costs 12 euros in 2031 [2]."
    found = find_unsupported_entities(text, PASSAGES, question="What does the trip in 2031 cost?", language="en")
    assert [text[one.start : one.end] for one in found] == ["Berlin"]


def test_a_model_of_high_cosines_says_the_same() -> None:
    packaged = load_embedder(SMALL, "onnx-int8")
    text = "For the bus, pupils pay 12 euros each [2]. The hamster drinks water [3]. Books are lent for weeks [1]."
    expected, found = (
        verify_claims(text, PASSAGES, language="en", embedder=model) for model in (packaged, High(packaged))
    )
    assert [one.state for one in found.values()] == [one.state for one in expected.values()]
    assert [one.score for one in found.values()] == pytest.approx([one.score for one in expected.values()], abs=0.3)


class Untouched(High):
    """A model that must not be asked."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        raise AssertionError(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError(texts)


def test_what_is_quoted_word_for_word_costs_no_vectors() -> None:
    text = "“Splashes on skin are rinsed at once.” [1] “Books are lent for three weeks” [3]."
    found = verify_claims(text, PASSAGES, language="en", embedder=Untouched(get_embedder()))
    assert [verdict.state for verdict in found.values()] == [Support.SUPPORTED] * 2


def test_a_model_that_never_stops_is_looked_at_so_far() -> None:
    text = "Books are lent for three weeks [3]. " * (MAX_CLAIMS + 50)
    assert len(verify_claims(text, PASSAGES, language="en", embedder=None)) == MAX_CLAIMS


def test_nouns_of_an_answer_in_german_are_no_names_whatever_language_was_asked_for() -> None:
    text = "Der Bus zum Museum kostet jeden Schüler 12 Euro, und am Sonntag fährt Herr Müller ohne Fahrkarte mit [2]."
    found = find_unsupported_entities(text, PASSAGES, question="Was kostet der Bus?", language="en")
    assert [text[one.start : one.end] for one in found] == ["Müller"]


def test_words_that_say_nothing_count_for_nothing() -> None:
    assert states("It has 0.5 mol/l [1].") == [(1, "supported")]
    assert states("They are worn before the first bottle is opened [1].")[0][1] == "supported"


def test_rows_of_a_table_are_judged_whatever_language_they_look_like() -> None:
    rows = ("| Beaker | Weight | Shelf |", "| --- | --- | --- |", "| Beaker type 17 | 51 | C19 |")
    table = "\n".join([*rows, "| Beaker type 18 | 64 | D2 |"])
    passage = NumberedPassage(1, "Glass", (), table, table)
    (verdict,) = verify_claims(
        "Beaker type 17 weighs 52 [1].", [passage], language="en", embedder=get_embedder()
    ).values()
    assert verdict.state != Support.SUPPORTED


class Counting:
    """The embedder of the process, with a count of what it embeds."""

    def __init__(self) -> None:
        self._embedder = get_embedder()
        self.embedded: list[str] = []
        self.name, self.dimensions = "counting/int8", self._embedder.dimensions
        self.max_tokens, self.languages = self._embedder.max_tokens, self._embedder.languages
        self.count_tokens = self._embedder.count_tokens

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        return self._embedder.embed_passages(texts)


def test_only_sentences_that_may_change_a_verdict_are_embedded() -> None:
    embedder = Counting()
    clear = "The packed lunches and the museum trip: pupils pay 12 euros for the bus [1]."
    (verdict,) = verify_claims(clear, PASSAGES, language="en", embedder=embedder).values()
    assert verdict.state == Support.NOT_FOUND
    known = len(embedder.embedded)
    assert known < sum(text.count(". ") + 1 for text in (ACIDS, TRIP, LIBRARY))
    verify_claims(clear, PASSAGES, language="en", embedder=embedder)
    assert len(embedder.embedded) == known, "they are kept"
