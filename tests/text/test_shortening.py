"""A text is shortened between two words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.shortening import shorten


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("A river", 7, "A river"),
        ("A river bends", 9, "A river…"),
        ("A river bends", 8, "A river…"),
        ("A river bends", 7, "A…"),
        ("A river, and a lake", 10, "A river…"),
        ("Riverbeds", 6, "River…"),
        ("", 5, ""),
    ],
)
def test_no_word_is_cut(text: str, most: int, shown: str) -> None:
    assert shorten(text, most) == shown


@given(st.text(alphabet="ab ,.", max_size=40), st.integers(1, 30))
def test_it_is_never_longer_and_a_beginning(text: str, most: int) -> None:
    found = shorten(text, most)
    assert len(found) <= most
    assert text.startswith(found.removesuffix("…"))
