"""Rows and lists in answers that quote the sources."""

import pytest

from chatbots.quoting.lists import enumerates
from tests.chatbots.quoting import HANDBOOK, PHOTOSYNTHESIS, answer, prompt

TRIP = """The trip goes to Bath.

The table lists the costs.

| What | Cost in pounds | Paid by |
| :-- | --: | --- |
| Coach hire | 640 | School fund |
| Roman Baths | 312 | Parents |"""


def test_a_row_is_quoted_cell_by_cell_with_the_names_of_its_columns() -> None:
    written = answer(prompt("How much does the coach hire cost and who pays?", HANDBOOK, TRIP))
    assert written.startswith("“Coach hire”: Cost in pounds “640”, Paid by “School fund” [2]")
    assert "“What”" not in written
    heat = "The specific heat capacity of a substance:\n\n"
    heat += "| Substance | J/kg |\n|---|---|\n| Iron | 450 |\n| Copper | 390 |"
    general = "The specific heat capacity is the energy that raises the temperature of 1 kg by 1 °C."
    written = answer(prompt("What is the specific heat capacity of copper?", general, heat))
    assert written.startswith("“Copper”: J/kg “390” [2]")


def test_rows_without_headers_and_empty_cells_are_quoted_too() -> None:
    written = answer(prompt("Where is the nurse?", "| Nurse |  | Room 4 |\n| Caretaker | x | Room 5 |"))
    assert written.startswith("“Nurse”: “Room 4” [1]")


BAG = """The school opens at eight.

Every pupil brings to lessons:

- two black pens
- a ruler of 30 cm
- a reading book

Phones stay at home."""


def test_a_list_is_quoted_as_a_whole_with_the_line_before_it() -> None:
    written = answer(prompt("What must every pupil bring to lessons?", PHOTOSYNTHESIS, BAG))
    listed = "- “two black pens” [2]\n- “a ruler of 30 cm” [2]\n- “a reading book” [2]\n\n"
    assert written.startswith("“Every pupil brings to lessons:” [2]\n\n" + listed)


def test_of_a_list_that_is_not_asked_for_as_a_whole_one_item_is_quoted_with_the_line_before_it() -> None:
    written = answer(prompt("How long must the ruler be?", PHOTOSYNTHESIS, BAG))
    assert written.startswith("“Every pupil brings to lessons:” [2] “a ruler of 30 cm” [2]")
    assert "reading book" not in written


def test_of_a_long_list_eight_entries_are_quoted() -> None:
    text = "Every pupil brings to lessons:\n\n" + "\n".join(f"- object number {n}" for n in range(1, 12))
    written = answer(prompt("What must every pupil bring to lessons?", text))
    assert "- “object number 8” [1]\n- …\n" in written
    assert "number 9" not in written


ACIDS = """Names and kinds.

| Name | Kind | Salts |
| --- | --- | --- |
| Hydrochloric acid | strong acid | chlorides |
| Ethanoic acid | weak acid | ethanoates |
| Carbonic acid | weak acid | – |"""


def test_every_row_that_has_what_was_asked_for_is_quoted() -> None:
    written = answer(prompt("Which acids are weak?", HANDBOOK, ACIDS))
    rows = "- “Ethanoic acid”: Kind “weak acid”, Salts “ethanoates” [2]\n- “Carbonic acid”: Kind “weak acid” [2]\n"
    assert written.startswith(rows)
    assert "strong" not in written


STORES = """Energy is kept in stores. Two stores are enough here.

| Store | Where |
| --- | --- |
| Kinetic | in moving objects |
| Thermal | in hot objects |

A spring is not in the table."""


def test_the_table_after_the_sentence_is_quoted_where_a_list_is_asked_for() -> None:
    written = answer(prompt("List all the energy stores", STORES))
    assert "- “Kinetic”: Where “in moving objects” [1]\n- “Thermal”: Where “in hot objects” [1]\n" in written
    assert "No passage surely" not in written


def test_a_row_that_the_question_names_is_quoted_alone() -> None:
    table = STORES.replace("Two stores are enough here.", "The table says where each store is:")
    written = answer(prompt("Where is the thermal store of energy?", table))
    assert "in hot objects" in written and "Kinetic" not in written


def test_a_table_without_a_row_for_what_is_asked_says_so() -> None:
    masses = "Relative atomic masses:\n\n| Element | Relative atomic mass |\n|---|---|\n| Gold | 197 |\n| Iron | 56 |"
    unnamed = answer(prompt("What is the relative atomic mass of potassium?", masses))
    assert unnamed.startswith("*No passage surely answers this. The closest:*\n\n")
    assert answer(prompt("What is the relative atomic mass of iron?", masses)).startswith(
        "“Iron”: Relative atomic mass “56”"
    )


def test_a_list_anywhere_is_quoted_where_its_heading_is_asked_for() -> None:
    tale = (
        "The stores of the school hold chairs, and of all the stores on the list the east one is full of energy bars."
    )
    assert "“Kinetic”: Where “in moving objects”" in answer(prompt("List all the energy stores", tale, STORES))


def test_a_list_of_questions_is_no_answer() -> None:
    quiz = "Three questions on energy stores:\n\n- What is kinetic?\n- What is thermal?\n- What is a store?\n"
    asked = answer(prompt("List the energy stores", quiz, "Energy is stored by springs and by hot water in a tank."))
    assert "What is kinetic?" not in asked


def test_sentences_that_count_are_quoted_together_in_order() -> None:
    walk = (
        "The walk is long. Stop 1 is the mill. Stop 2 is the lock by the old inn. Stop 3 is the bridge. Bring a coat."
    )
    written = answer(prompt("What are all the stops at the inn and the bridge?", walk))
    assert written.startswith("“Stop 1 is the mill. Stop 2 is the lock by the old inn. Stop 3 is the bridge.” [1]")
    assert "coat" not in written


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("There are two types: elastic and inelastic.", True),
        ("The types are the **screw**, the wedge and the lever.", True),
        ("Types such as wedge and screw help.", True),
        ("They are open 8 to 16.", True),
        ("We cover types, first in one dimension and then in two.", False),
        ("We learn of more forces: weight, tension and thrust.", False),
        ("The type is set by the mass of the body on the left and the spring.", False),
    ],
)
def test_what_names_several_things_of_the_kind_asked_for(text: str, is_list: bool) -> None:
    assert enumerates(text, "What are the types?", "en") is is_list
