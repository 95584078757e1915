"""A grade finds the documents that are meant for it, however their admin wrote it."""

import pytest

from corpus.web.grades import covers


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("Year 9", "Year 9"),
        ("year 9", "Year 9"),
        ("Years 7 to 11", "Year 9"),
        ("Years 7 to 11", "Year 7"),
        ("Years 7–11", "Year 11"),
        ("Year 7 - Year 11", "Year 10"),
        ("Years 7 to 11", "Years 8 and 9"),
        ("Years 8, 9 and 12", "Year 12"),
        ("7-9", "Year 8"),
        ("Sixth form and staff", "Sixth Form"),
    ],
)
def test_it_is_for_this_grade(text: str, grade: str) -> None:
    assert covers(text, grade)


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("Year 10", "Year 1"),
        ("Year 1", "Year 10"),
        ("Years 7 to 9", "Year 10"),
        ("Years 8 and 12", "Year 9"),
        ("Year 9", "Years 7 to 11"),
        ("Key stage 3", "Year 3"),
        ("Sixth form", "Year 6"),
        ("Sixth form", ""),
        ("", "Year 9"),
        ("Years 9 to 7", "Year 8"),
        ("Years 7 to 9999999999", "Year 8"),
    ],
)
def test_it_is_not_for_this_grade(text: str, grade: str) -> None:
    assert not covers(text, grade)
