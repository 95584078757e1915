"""A document whose text looks broken says so."""

import pytest

from corpus.ingestion.text_quality import find_broken_text

PLAIN = "The school library lends books for three weeks, and every pupil may borrow five of them at once. "


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PLAIN, ""),
        ("Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani. ", ""),
        (" ".join(PLAIN), "single letters"),
        ("The peace16482 of westphalia12 ended the33 war in towns4 where many2 people lived. ", "glued"),
        ("The sohool lihrary lcnds bcoks fcr tliree vveeks and evory pupii rnay horrow the fivc cf tbem ", "known"),
        ("| A-1 | x | y |\n| B-2 | z | w |\n", ""),
        ("We see that $a = b + c$ holds, and so does $c = a - b$ for all of the numbers in this book. ", ""),
    ],
)
def test_lone_letters_glued_numbers_and_unknown_words_are_told(text: str, why: str) -> None:
    note = find_broken_text([text * 12])
    assert why in note
    assert bool(note) == bool(why)


def test_a_short_text_is_not_judged() -> None:
    assert not find_broken_text(["x y z"])
