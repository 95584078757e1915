"""What has become of a passage: which words have changed, and which text has taken its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.reading.blocks import block_text
from corpus.reading.diff import DiffPart, differences, find_counterpart

WORDS = st.lists(st.sampled_from([*"abcdef", " ", "\n", ".", "| x |", "日本", "Größe", "$v = s/t$"]), max_size=40)
TEXTS = st.one_of(st.text(max_size=60), WORDS.map("".join))


def joined(parts: list[DiffPart]) -> str:
    return "".join(part.text for part in parts)


def changed(parts: list[DiffPart]) -> list[str]:
    return [part.text.strip() for part in parts if part.changed]


def kept(parts: list[DiffPart]) -> str:
    return "".join("".join(part.text.split()) for part in parts if not part.changed)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_restored(old: str, new: str) -> None:
    found = differences(old, new)
    assert joined(found.before) == old
    assert joined(found.after) == new


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_the_same_on_both_sides(old: str, new: str) -> None:
    found = differences(old, new)
    assert kept(found.before) == kept(found.after)


@given(TEXTS)
def test_a_text_has_no_difference_from_itself(text: str) -> None:
    found = differences(text, text)
    assert not changed(found.before)
    assert not changed(found.after)


@given(TEXTS, TEXTS)
def test_runs_alternate_and_a_change_begins_and_ends_with_a_word(old: str, new: str) -> None:
    found = differences(old, new)
    for parts in (found.before, found.after):
        assert all(one.changed != two.changed for one, two in pairwise(parts))
        assert all(part.text == part.text.strip() != "" for part in parts if part.changed)


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        ("Use 0.5 mol/l of acid.", "Use 1.5 mol/l of acid.", ["0.5"], ["1.5"]),
        (
            "Wear the old goggles now.",
            "Wear new safety glasses now.",
            ["the old goggles"],
            ["new safety glasses"],
        ),
        ("Wear goggles.", "Wear  \n goggles.", [], []),
        ("Wear goggles.", "Always wear goggles.", ["Wear"], ["Always wear"]),
        (
            "It doesn’t melt at 1,538 degrees.",
            "It does melt at 1,535 degrees.",
            ["doesn’t", "1,538"],
            ["does", "1,535"],
        ),
        ("日本の首都", "日本の大都", ["首"], ["大"]),
        ("It is hot.", "", ["It is hot."], []),
    ],
)
def test_which_words_are_marked(old: str, new: str, removed: list[str], added: list[str]) -> None:
    found = differences(old, new)
    assert (changed(found.before), changed(found.after)) == (removed, added)


ROW = "| iron | 1538 | yes |\n"


def test_long_texts_are_compared_by_lines() -> None:
    old = f"Metals.\n{ROW * 3000}The end."
    new = f"Metals.\n{ROW * 3000}| tin | 232 | no |\nThe close."
    found = differences(old, new)
    assert (changed(found.before), changed(found.after)) == (["The end."], ["| tin | 232 | no |\nThe close."])
    assert (joined(found.before), joined(found.after)) == (old, new)


@dataclass
class Chunk:
    text: str
    block: int
    position: int
    heading_path: list[str] = field(default_factory=list)


ACID = "Use hydrochloric acid of 0.5 mol/l for year 9. Acid goes into water, never water into acid."
TRIP = "We meet at the gym. Bring rain clothes and a packed lunch. The bus is back in the afternoon."


def found_in(texts: list[str], excerpt: str, *, under: str = "", headings: list[str] | None = None) -> str | None:
    """The counterpart of an excerpt cited under a heading, in blocks of one chunk each."""
    named = headings or ["" for _ in texts]
    chunks = [Chunk(text, n, n, [name]) for n, (text, name) in enumerate(zip(texts, named, strict=True))]
    place = find_counterpart(chunks, excerpt, headings=[under], position=0)
    return block_text(chunks, place.block)[place.start : place.end] if place else None


def test_the_text_with_the_most_words_in_common_has_taken_its_place() -> None:
    now = "Use hydrochloric acid of 0.1 mol/l for year 9. Acid goes into water, never water into acid."
    assert found_in([TRIP, now], ACID) == now


def test_it_is_cut_out_of_its_section_at_sentences() -> None:
    now = "Use hydrochloric acid of 0.1 mol/l for year 9 and 10. Acid goes into water, never water into acid."
    section = f"The practical takes two lessons of forty-five minutes each in the laboratory. {now} {TRIP}"
    assert found_in([section], ACID) == now


def test_a_sentence_put_into_it_belongs_to_it() -> None:
    first, last = ACID.split(". ")
    now = f"{first}. Ask the technician for it at least two days before. {last}"
    assert found_in([f"{now}\n\n{TRIP}"], ACID) == now


def test_it_is_found_where_it_is_cut_into_two_chunks() -> None:
    chunks = [
        Chunk("Use hydrochloric acid of 0.1 mol/l for year 9. ", 0, 0),
        Chunk("Acid goes into water, never water into acid.", 0, 1),
    ]
    place = find_counterpart(chunks, ACID, headings=[], position=0)
    assert place
    assert block_text(chunks, place.block)[place.start : place.end] == "".join(chunk.text for chunk in chunks)


def test_of_equals_the_one_under_the_same_headings_goes_first() -> None:
    rule = "Wear gloves whenever a liquid other than water is open."
    chunks = [Chunk(rule, n, n, [name]) for n, name in enumerate(("Flames", "Acids", "Salts"))]
    excerpt = "Wear goggles whenever a liquid other than water is open."
    for heading, block in (("Acids", 1), ("Salts", 2), ("Gone", 0)):
        place = find_counterpart(chunks, excerpt, headings=[heading], position=0)
        assert place
        assert place.block == block


def test_of_equals_elsewhere_the_nearest_goes_first() -> None:
    chunks = [Chunk("Wear gloves on the bench.", n, n) for n in range(4)]
    place = find_counterpart(chunks, "Wear goggles on the bench.", headings=["Gone"], position=2)
    assert place
    assert place.block == 2


def test_a_row_of_a_table_stands_for_itself() -> None:
    table = "| metal | melts at |\n| --- | --- |\n| iron | 1538 degrees |\n| copper | 1085 degrees |\n"
    assert found_in([table], "| iron | 1535 degrees |") == "| iron | 1538 degrees |"


@pytest.mark.parametrize("excerpt", [ACID, "", "***"])
def test_a_text_on_something_else_has_not_taken_its_place(excerpt: str) -> None:
    other = "The school handbook of the year says in which room of the house the books are and who has the key to it."
    assert found_in([TRIP, other], excerpt, headings=["", ""]) is None


def test_nothing_has_taken_its_place_where_nothing_is() -> None:
    assert find_counterpart([], ACID, headings=[], position=0) is None
