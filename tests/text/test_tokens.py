"""Tokens counted word by word are as many as those of the whole text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordLevel, WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Whitespace

from engines.embedding import load_embedder
from engines.embedding.models import SMALL
from text import tokens
from text.tokens import estimate_tokens, make_token_counter

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'’-日本ß"
VOCABULARY = ["[UNK]", "[CLS]", *LETTERS, *(f"##{letter}" for letter in LETTERS), "acid", "##ity", "water"]


def bert() -> Any:
    tokenizer = Tokenizer(WordPiece({word: n for n, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.add_special_tokens(["[CLS]"])
    return tokenizer


def whole(tokenizer: Any, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


PARTS = ["acidity", "Water", "it's", "[CLS]", "x" * 120, "日本", "é", "e\u0301", "\u0301", "\u2028", "ẞ", "¿"]
SPACES = [" ", "\n", "\t", "\r\n", "\x0b", "\x1c", "\x85", "\xa0", "\u200b", "\u3000", ""]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PARTS + SPACES), max_size=30).map("".join))


@given(TEXTS)
def test_word_by_word_there_are_as_many_as_in_the_whole(text: str) -> None:
    tokenizer = bert()
    assert make_token_counter(tokenizer)(text) == whole(tokenizer, text)


@given(TEXTS)
def test_other_tokenizers_count_the_whole_text(text: str) -> None:
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "acid rain": 1}, unk_token="[UNK]"))
    tokenizer.add_tokens(["acid rain"])
    assert make_token_counter(tokenizer)(f"{text}acid rain") == whole(tokenizer, f"{text}acid rain")


@pytest.mark.parametrize(
    "change",
    [
        lambda tokenizer: tokenizer.add_tokens([AddedToken("acid rain", normalized=False)]),
        lambda tokenizer: setattr(tokenizer, "normalizer", None),
        lambda tokenizer: setattr(tokenizer, "pre_tokenizer", Whitespace()),
    ],
)
def test_one_that_is_not_quite_berts_counts_the_whole_text(change: Any) -> None:
    tokenizer = bert()
    change(tokenizer)
    for text in ("acid rain", "a acid rain b", "Acid, water"):
        assert make_token_counter(tokenizer)(text) == whole(tokenizer, text)


class Counting:
    """The packaged tokenizer, and how often it was asked."""

    def __init__(self) -> None:
        self._bert, self.asked = bert(), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bert, name)

    def encode(self, text: str, **options: Any) -> Any:
        self.asked += 1
        return self._bert.encode(text, **options)


def test_a_word_is_counted_once_unless_it_is_very_long() -> None:
    tokenizer = Counting()
    count = make_token_counter(tokenizer)
    assert count("acid " * 50 + "acid") == 51
    assert tokenizer.asked == 1
    count(" ".join(["x" * 50] * 3))
    assert tokenizer.asked == 4


def test_words_are_forgotten_when_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "CACHED_WORDS", 3)
    tokenizer = Counting()
    count = make_token_counter(tokenizer)
    for _ in range(2):
        count("one two three four five")
    assert tokenizer.asked == 10


NATURAL = [
    "Acid goes into water, never water into acid. Goggles are worn whenever a liquid is open on the bench.",
    "Die Gefährdungsbeurteilung der Naturwissenschaftsräume umfasst Sicherheitsvorkehrungen und Vorschriften.",
    "L’élève doit porter des lunettes de protection lorsqu’il manipule l’acide chlorhydrique.",
    "¿Cuánto tiempo dura la práctica? Mañana habrá reunión con la señora Núñez.",
    "Öğrencilerin laboratuvarda koruyucu gözlük takması zorunludur.",
    "Ученики должны надевать защитные очки в лаборатории.",
    "def acid(water: float) -> float:\n    return water * 0.5  # mol/l\n",
    "| Name | Mark |\n| --- | --- |\n| Przybylski | 13 |\n| Ngwenya | 7 |\n",
    r"$\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}$",
    "CH3COOH + NaHCO3 -> CH3COONa + H2O + CO2; 1,2-Dichlorbenzol",
]


@pytest.mark.parametrize("text", NATURAL, ids=lambda text: text[:12])
def test_an_estimate_is_not_below_what_a_tokenizer_counts_nor_far_above(text: str) -> None:
    counted = load_embedder(SMALL, "onnx-int8").count_tokens(text)
    assert counted <= estimate_tokens(text) <= 2.5 * counted + 8


@given(TEXTS, TEXTS)
def test_estimates_of_parts_may_be_added_up(one: str, other: str) -> None:
    assert estimate_tokens(f"{one}\n{other}") <= estimate_tokens(one) + estimate_tokens(other) + 1
    assert estimate_tokens(one) <= 3 + len(one.encode(errors="replace")) * 2


@pytest.mark.parametrize(("text", "bytes_at_most"), [("龘靐齉", 9), ("👩‍🔬", 11), ("ไทย", 9), ("\ud800", 1)])
def test_of_unknown_scripts_every_byte_counts(text: str, bytes_at_most: int) -> None:
    assert estimate_tokens(text) == 3 + bytes_at_most
