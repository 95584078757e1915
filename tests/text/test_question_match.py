"""Which words of a question a text has."""

import pytest

from text.question_match import QuestionWords


@pytest.mark.parametrize(
    ("language", "question", "text", "expected"),
    [
        ("de", "Wann beginnt der Aufbau?", "Der Aufbau beginnt um 8:30 Uhr.", {"beginnt", "aufbau"}),
        ("de", "Wo kann man Kuchen abgeben?", "Kuchen können in der Mensa abgegeben werden.", {"kuch", "abgeb"}),
        ("de", "Was müssen wir mitbringen?", "Teller sind mitzubringen.", {"mitbring"}),
        ("de", "Bis wann muss ich überweisen?", "Das Geld wurde überwiesen.", {"uberweis"}),
        ("de", "Wo können wir parken?", "Der Parkplatz ist offen.", {"park"}),
        ("de", "Was kostet die Klassenfahrt?", "Die Klasse zahlt den Eintritt.", set()),
        ("fr", "Combien coûte le billet ?", "Les billets coûtent 2 euros.", {"coût", "billet"}),
        ("en", "What happens if it rains?", "In case of rain we stay.", {"rain"}),
        ("en", "What is rain?", "The train is late.", set()),
    ],
)
def test_a_word_is_found_in_any_of_its_forms(language: str, question: str, text: str, expected: set[str]) -> None:
    assert QuestionWords(question, language).find_in(text) == expected


def test_words_of_questions_say_nothing_unless_there_are_no_others() -> None:
    assert QuestionWords("How many marks is question 4 worth?", "en").stems == {"mark", "question", "4"}
    assert QuestionWords("What happened?", "en").stems == {"what", "happen"}


@pytest.mark.parametrize(
    ("question", "text", "label"),
    [
        ("What does step 4 say?", "4. Hang a crystal", "4"),
        ("What does step 4 say?", "Step 4: Hang a crystal", "4"),
        ("What does clause 2.3 say?", "2.3 A device is kept", "2.3"),
        ("What does clause 2.3 say?", "Clause 2.3 also applies to exams.", ""),
        ("What does step 4 say?", "Lesson 4: crystals", ""),
        ("What happened in 1825?", "1825 was a good year", ""),
    ],
)
def test_what_a_question_asks_for_by_its_number_is_told_by_its_beginning(question: str, text: str, label: str) -> None:
    assert QuestionWords(question, "en").find_label(text) == label


def test_a_number_stands_for_the_noun_before_it() -> None:
    asked = QuestionWords("What does step 4 of experiment 12 say?", "en")
    assert asked.find_labelled("4") == {"step", "4"}
    assert asked.find_labelled("12") == {"experi", "12"}
    assert not asked.find_labelled("5")
