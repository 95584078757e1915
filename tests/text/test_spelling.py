"""Misspelled words of a question, and the words that were meant."""

import pytest

from text.spelling import correct, doubtful_words, list_near_lengths, written_forms

ENGLISH = {"abrasion": 5, "river": 20, "rivers": 3, "Napoleon": 4, "slavery": 19, "Slavery": 1, "photosynthesis": 2}
GERMAN = {"Abtragung": 3, "Gewässer": 4, "Erosion": 2, "Fluss": 5}
FRENCH = {"érosion": 4, "rivière": 6, "photosynthèse": 2}
SPANISH = {"erosión": 4, "río": 6, "fotosíntesis": 2}


def corrected(question: str, forms: dict[str, int], language: str = "en") -> str:
    return correct(question, doubtful_words(question, language), forms, language)


@pytest.mark.parametrize(
    ("language", "forms", "question", "meant"),
    [
        ("en", ENGLISH, "wat is abrasoin in a rivver?", "what is abrasion in a river?"),
        ("en", ENGLISH, "Wat is photosintesis?", "What is photosynthesis?"),
        ("en", ENGLISH, "Abrasoin’s effect, teh river", "Abrasion’s effect, the river"),
        ("en", ENGLISH, "who was napolean", "who was napoleon"),
        ("de", GERMAN, "Was ist die Abtargung in einem Gewaesser?", "Was ist die Abtragung in einem Gewässer?"),
        ("de", GERMAN, "was ist errosion", "was ist erosion"),
        ("fr", FRENCH, "Qu’est-ce que l’érosoin d’une riviére ?", "Qu’est-ce que l’érosion d’une rivière ?"),
        ("es", SPANISH, "¿Qué es la fotosintesis?", "¿Qué es la fotosíntesis?"),
    ],
)
def test_errors_are_corrected(language: str, forms: dict[str, int], question: str, meant: str) -> None:
    assert corrected(question, forms, language) == meant


@pytest.mark.parametrize(
    "question",
    [
        "What is steam?",  # a word of the dictionary
        "What is abrasion?",
        "What does LS-05 mean, and abrasoin5?",  # with digits
        "What is ABRASOIN or abrasoiN?",  # capitals inside
        "What did Savery build?",  # a name that may be no “slavery”
        "Who is Napelean?",  # a name at distance 2
        "What is “abrasoin”?",
        "Why couldn’t it?",
        "See www.rivver.example and rivver@school.example",
        "What is zzqx?",
        "war, gas, hat and sea",
        "Summarise the behaviour of aluminium, its colour, and the defence of the centre",  # British
    ],
)
def test_other_words_are_left_alone(question: str) -> None:
    assert corrected(question, ENGLISH) == question


def test_only_words_that_the_documents_do_not_have_are_replaced() -> None:
    assert correct("rivver and abrasoin", ["rivver"], ENGLISH, "en") == "river and abrasoin"


def test_the_likelier_error_and_the_more_frequent_word_decide() -> None:
    assert corrected("the valeys", {"valleys": 2, "values": 2}) == "the valleys"
    assert corrected("the glacirr", {"glacier": 9, "glacial": 90}) == "the glacier"
    assert corrected("the sedimenr", {"sediment": 9, "sediments": 3}) == "the sediment"


def test_short_words_are_compared_at_distance_1() -> None:
    assert corrected("the wavves", {"waves": 3}) == "the waves"
    assert corrected("the wvaez", {"waves": 3}) == "the wvaez"
    assert list_near_lengths(["blk", "wave", "abrasoin"]) == {3, 4, 5, 6, 7, 8, 9, 10}


def test_a_question_of_many_unknown_words_is_no_misspelled_one() -> None:
    assert doubtful_words(" ".join(f"zqx{chr(97 + n)}w" for n in range(21)), "en") == []
    assert doubtful_words("abrasoin", "nl") == []


def test_words_are_taken_from_a_text_as_written() -> None:
    assert written_forms("Rivière, l’eau: 12 abc3 e\u0301rosion", {7}) == ["Rivière", "érosion"]
