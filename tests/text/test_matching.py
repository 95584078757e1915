"""How well a text matches the words of a question."""

from hypothesis import given
from hypothesis import strategies as st

from text.lexemes import lexemes
from text.matching import WINDOW, closeness, coverage, inverse_frequencies

WEIGHTS = {"acid": 2.0, "dilut": 3.0, "water": 5.0}


def words(text: str) -> list[str]:
    return lexemes(text, "english")


def test_words_close_together_count_together() -> None:
    assert closeness(words("Dilute the acids with water."), WEIGHTS) == 1
    apart = "Acids " + "and more " * WINDOW + "diluted with water"
    assert closeness(words(apart), WEIGHTS) == 0.8
    assert closeness(words("acid acid ACIDS"), WEIGHTS) == 0.2, "a word counts once"
    assert closeness(words("nothing of the sort"), WEIGHTS) == 0
    assert closeness(words(""), WEIGHTS) == 0
    assert closeness(words("acid"), {}) == 0


def test_the_window_ends_where_it_says() -> None:
    for between, expected in ((WINDOW - 2, 0.5), (WINDOW - 1, 0.3)):
        assert closeness(words("acid " + "x " * between + "dilute"), WEIGHTS) == expected


@given(st.lists(st.sampled_from(["acid", "diluted", "water", "x"]), max_size=40))
def test_it_is_never_more_than_all_and_never_less_than_the_best_word(text: list[str]) -> None:
    stems = words(" ".join(text))
    best = max((WEIGHTS[stem] for stem in set(stems) & WEIGHTS.keys()), default=0)
    assert best / 10 <= closeness(stems, WEIGHTS) <= coverage(stems, WEIGHTS)


def test_coverage_is_the_share_by_weight() -> None:
    assert coverage(["water", "acid", "water", "x"], WEIGHTS) == 0.7
    assert coverage(["water"], {}) == 0


def test_rare_words_weigh_more() -> None:
    weights = inverse_frequencies({"acid", "water", "salt"}, [{"acid", "water"}, {"water"}, {"water"}])
    assert weights["salt"] > weights["acid"] > weights["water"] > 0
