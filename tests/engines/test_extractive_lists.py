"""Rows and lists in answers that quote the sources."""

from tests.engines.quoting import HANDBOOK, PHOTOSYNTHESIS, answer, prompt

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
