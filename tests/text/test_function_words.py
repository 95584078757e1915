"""Function words are stripped in one place."""

import pytest

from text.function_words import content_stems


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "What’s the sun’s mass?", {"sun", "mass"}),
        ("en", "What does vitamin C do?", {"vitamin", "c"}),
        ("en-GB", "How many points is exercise 5?", {"mani", "point", "exercis", "5"}),
        ("de", "Wie geht’s der Säure?", {"geht", "saur"}),
        ("fr", "Qu’est-ce que l’acide ?", {"acid"}),
        ("en", "What is it?", {"what", "is", "it"}),
        ("xx", "what is it", {"what", "is", "it"}),
    ],
)
def test_function_words_go_unless_there_is_nothing_else(language: str, text: str, expected: set[str]) -> None:
    assert content_stems(text, language) == expected


def test_more_words_can_be_ignored() -> None:
    assert content_stems("How many points?", "en", ignored="how many") == {"point"}
