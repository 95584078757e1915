"""Tokens counted word by word are as many as those of the whole text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordLevel, WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Whitespace

from engines import token_counts
from engines.token_counts import token_counter

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
    assert token_counter(tokenizer)(text) == whole(tokenizer, text)


@given(TEXTS)
def test_other_tokenizers_count_the_whole_text(text: str) -> None:
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "acid rain": 1}, unk_token="[UNK]"))
    tokenizer.add_tokens(["acid rain"])
    assert token_counter(tokenizer)(f"{text}acid rain") == whole(tokenizer, f"{text}acid rain")


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
        assert token_counter(tokenizer)(text) == whole(tokenizer, text)


def test_words_are_forgotten_when_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_counts, "KEPT", 3)
    words = token_counts.Counted(len)
    assert [words["x" * n] for n in range(60)] == list(range(60))
    assert 0 < len(words) <= 3
