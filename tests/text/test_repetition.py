"""What goes round in circles, and what only looks like it."""

import pytest

from text.repetition import is_repetitive

ONE = "The pH of coffee is 5."


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE} {ONE} {ONE} ",
        f"{ONE}\n\nIt is sour today. {ONE} Yes! {ONE}\n",
        f"1. {ONE}\n2. the **pH** of coffee is 5! [1]\n3. {ONE}\n",
        "The pH of coffee is 5 [1]. The pH of coffee is 5 [2]. [3] The pH of coffee is 5. ",
        "It is the same thing as " + "the same thing as " * 12,
        "£1.45 … costs " + "£1.45 more " * 12,
    ],
)
def test_a_text_that_goes_round_in_circles(text: str) -> None:
    assert is_repetitive(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{ONE} {ONE} ",
        f"{ONE} {ONE} {ONE[:-1]}",
        f"{ONE} The pH of milk is 6. The pH of soap is 9. The pH of blood is 7. ",
        "Yes. No. Yes. No. Yes. Not here. Not here. Not here. ",
        "| a | b | c | d |\n" * 5,
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "1. Salt is an acid. Answer: This is false. 2. Milk is a base. Answer: This is false. 3. Water burns at once. "
        "Answer: This is false. 4. Iron rusts in air. ",
        "A mole has 600000000000000000000000000000000000000000000000 parts ",
    ],
)
def test_a_text_that_goes_on(text: str) -> None:
    assert not is_repetitive(text)
