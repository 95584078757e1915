"""Words as comparable stems."""

import pytest

from text.stemming import is_code, stems


@pytest.mark.parametrize(
    ("text", "code"), [("Rule LS-05 holds", "ls-05"), ("see A-1.", "a-1"), ("(KS\u201103)", "ks-03")]
)
def test_a_code_is_one_word(text: str, code: str) -> None:
    found = set(stems(text, "en"))
    assert code in found and is_code(code)
    assert not {"ls", "a", "ks", "05", "1", "03"} & found


def test_letters_and_years_joined_otherwise_are_no_codes() -> None:
    found = set(stems("form LS-R, the mid-1990s, a well-known 3-4-5 triangle, B2, LS 05", "en"))
    assert not any(map(is_code, found))
    assert {"ls", "r", "1990s", "known", "05"} <= found
