"""How places are shared between sources (H2 to H4)."""

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.certainty import THRESHOLD
from corpus.passages import Passage
from corpus.search.fusion import COMPARABLE, Candidates, SelectedPassage, allocate, reserve_places
from corpus.source_kinds import get_kind
from knowledge.sources import PERSONAL
from school_library.sources import SCHOOL


def passage(kind: str, number: int, relevance: float, text: str = "") -> Passage:
    return Passage(
        kind=get_kind(kind),
        document_id=UUID(int=number + (1000 if kind == "school" else 0)),
        document_title=f"{kind} {number}",
        version=1,
        heading_path=(),
        page=None,
        lines=None,
        position=0,
        block=0,
        excerpt=text or f"{kind} text {number}",
        text=text or f"{kind} text {number}",
        score=relevance,
        relevance=relevance,
    )


def pools(personal: list[float], school: list[float], weights: tuple[int, int] = (60, 40)) -> list[Candidates]:
    return [
        Candidates(weight, [passage(kind, i, r) for i, r in enumerate(sorted(found, reverse=True))])
        for kind, found, weight in zip(("personal", "school"), (personal, school), weights, strict=True)
    ]


def share_places(found: list[Candidates], *, places: int, threshold: float) -> list[SelectedPassage]:
    return list(allocate(found, places=places, threshold=threshold).placed)


def counts(placed: list[SelectedPassage]) -> tuple[int, int]:
    kinds = [one.passage.kind for one in placed]
    return kinds.count(PERSONAL), kinds.count(SCHOOL)


@pytest.mark.parametrize(
    ("weights", "places", "expected"),
    [
        ((60, 40), 1, (1, 0)),
        ((60, 40), 3, (2, 1)),
        ((60, 40), 5, (3, 2)),
        ((60, 40), 20, (12, 8)),
        ((50, 50), 1, (1, 0)),
        ((50, 50), 3, (2, 1)),
        ((50, 50), 5, (3, 2)),
        ((50, 50), 20, (10, 10)),
        ((100, 0), 1, (1, 0)),
        ((100, 0), 5, (5, 0)),
        ((100, 0), 20, (20, 0)),
        ((0, 100), 3, (0, 3)),
        ((0, 100), 5, (0, 5)),
        ((0, 100), 20, (0, 20)),
    ],
)
def test_weights_share_the_places_when_both_sides_are_comparable(
    weights: tuple[int, int], places: int, expected: tuple[int, int]
) -> None:
    placed = share_places(pools([0.9] * 20, [0.9] * 20, weights), places=places, threshold=THRESHOLD)
    assert counts(placed) == expected


def test_a_side_with_fewer_relevant_passages_gives_its_places_to_the_other() -> None:
    assert counts(share_places(pools([0.9], [0.9] * 9), places=5, threshold=THRESHOLD)) == (1, 4)
    assert counts(share_places(pools([], [0.9] * 9), places=5, threshold=THRESHOLD)) == (0, 5)
    assert counts(share_places(pools([0.9] * 9, [0.4]), places=5, threshold=THRESHOLD)) == (5, 0)


def test_the_only_side_with_documents_is_used_even_with_weight_0() -> None:
    assert counts(share_places(pools([], [0.9] * 9, (100, 0)), places=5, threshold=THRESHOLD)) == (0, 5)


def test_a_reserved_place_is_not_kept_by_a_passage_that_is_far_less_relevant() -> None:
    placed = share_places(pools([0.99] * 5, [0.55, 0.52]), places=5, threshold=THRESHOLD)
    assert counts(placed) == (5, 0)


def test_a_reserved_place_is_kept_by_a_comparable_passage() -> None:
    assert counts(share_places(pools([0.99] * 5, [0.8, 0.78]), places=5, threshold=THRESHOLD)) == (3, 2)


def test_the_same_text_takes_one_place_and_names_both() -> None:
    own, library = (
        passage("personal", 1, 0.8, "Acid into water."),
        passage("school", 2, 0.9, "Acid  into\nwater."),
    )
    (placed,) = share_places([Candidates(60, [own]), Candidates(40, [library])], places=5, threshold=THRESHOLD)
    assert placed.passage is own
    assert placed.also == (library,)


WORDS = "water boils at sea level when its vapour pressure equals the pressure of the air above the surface"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (WORDS, "**" + WORDS.upper().replace(" ", "  ") + "**.", True),
        (f"No longer valid: {WORDS}", WORDS, False),
        (WORDS, WORDS.replace("boils", "freezes"), False),
        (WORDS, WORDS.replace("surface", "ocean"), False),
        (WORDS, WORDS.replace("when its", "not when its"), False),
        (f"{WORDS} of 100 hPa", f"{WORDS} of 101 hPa", False),
        (f"{WORDS} at -5 °C", f"{WORDS} at 5 °C", False),
        (f"{WORDS} where x < 3", f"{WORDS} where x > 3", False),
        (f"{WORDS} | ✓ |", f"{WORDS} | ✗ |", False),
        (f"{WORDS} at 7,5", f"{WORDS} at 75", False),
        (f"{WORDS} {WORDS}", WORDS, False),
        ("ja", "nein", False),
        ("†", "‡", False),
        ("...", "!!!", False),
        ("लड़का", "लड़की", False),
        ("水は100度で沸騰します", "水は100度で 沸騰します。", True),
        ("水は100度で沸騰します", "水は90度で沸騰します", False),
    ],
)
def test_only_passages_that_say_the_same_collapse(one: str, other: str, same: bool) -> None:
    found = [passage("school", 1, 0.9, one), passage("school", 2, 0.8, other)]
    placed = share_places([Candidates(40, found)], places=5, threshold=THRESHOLD)
    assert [len(p.also) for p in placed] == ([1] if same else [0, 0])


def test_order_is_by_weighted_relevance_and_the_number_shown_is_not_weighted() -> None:
    placed = share_places(pools([0.7], [0.9]), places=5, threshold=THRESHOLD)
    assert [(one.passage.kind.value, one.passage.relevance) for one in placed] == [
        ("personal", 0.7),
        ("school", 0.9),
    ]


def test_a_place_fewer_than_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one place"):
        share_places([], places=0, threshold=THRESHOLD)


relevances = st.lists(st.floats(0, 1), max_size=25)
weight = st.integers(0, 100)


@given(relevances, relevances, weight, st.integers(1, 20), st.floats(0, 1))
def test_properties(own: list[float], library: list[float], weight: int, places: int, threshold: float) -> None:
    both = pools(own, library, (weight, 100 - weight))
    placed = share_places(both, places=places, threshold=threshold)
    personal, school = counts(placed)
    assert len(placed) <= places
    assert all(one.passage.relevance >= threshold for one in placed)
    assert placed == share_places(both, places=places, threshold=threshold)
    if weight != 50:  # of equal weights the one named first has the odd place
        assert placed == share_places(list(reversed(both)), places=places, threshold=threshold)
    assert [one.weighted for one in placed] == sorted((one.weighted for one in placed), reverse=True)
    relevant_own = [r for r in own if r >= threshold]
    relevant_library = [r for r in library if r >= threshold]
    if own and library and 0 < weight < 100:
        assert len(placed) == min(places, len(relevant_own) + len(relevant_library))
        shares = reserve_places([weight, 100 - weight], places)
        comparable = [*relevant_own, *relevant_library]
        enough = len(relevant_own) >= shares[0] and len(relevant_library) >= shares[1]
        if enough and comparable and min(comparable) >= COMPARABLE * max(comparable):
            assert [personal, school] == shares


@given(st.lists(weight, min_size=1, max_size=4), st.integers(1, 20))
def test_reserved_places_add_up(weights: list[int], places: int) -> None:
    shares = reserve_places(weights, places)
    assert sum(shares) == (places if sum(weights) else 0)
    assert all(abs(share - w * places / (sum(weights) or 1)) < 1 for share, w in zip(shares, weights, strict=True))


def filling_in(found: list[float]) -> Candidates:
    return Candidates(0, [replace(one, kind=get_kind("web")) for one in pools(found, [])[0].passages], True)


@pytest.mark.parametrize(
    ("personal", "school", "expected"),
    [
        ([0.9] * 5, [0.9] * 5, (3, 2, 0)),
        ([0.51] * 5, [0.51] * 5, (3, 2, 0)),
        ([0.6], [0.7], (1, 1, 3)),
        ([], [], (0, 0, 4)),
        ([0.4], [0.49], (0, 0, 4)),
    ],
)
def test_what_fills_in_gets_the_places_that_stay_empty(
    personal: list[float], school: list[float], expected: tuple[int, int, int]
) -> None:
    """However relevant it is, it takes no place from what shares them."""
    others = pools(personal, school)
    for number, one in enumerate(others):
        others[number] = replace(
            one, passages=[replace(p, excerpt=f"other {number} {i}") for i, p in enumerate(one.passages)]
        )
    result = allocate([*others, filling_in([0.99, 0.98, 0.97, 0.96])], places=5, threshold=THRESHOLD)
    assert tuple(share.taken for share in result.shares) == expected
    assert [share.reserved for share in result.shares] == [3, 2, 0]
    filled = [one for one in result.placed if one.weight == 0]
    assert len(filled) == expected[2]
    assert result.placed[len(result.placed) - len(filled) :] == tuple(filled), "they come last"


def test_a_copy_in_what_fills_in_is_named_beside_the_one_that_shares() -> None:
    (own,) = pools([0.6], [])[:1]
    same = replace(own.passages[0], kind=get_kind("web"), document_id=None, external_id="a")
    copy = replace(filling_in([0.9]), passages=[same])
    (placed,) = allocate([own, copy], places=5, threshold=THRESHOLD).placed
    assert placed.passage.kind == PERSONAL
    assert [one.kind.value for one in placed.also] == ["web"]


def test_copies_of_what_is_no_document_are_told_apart_by_what_they_are_from() -> None:
    page = replace(passage("web", 1, 0.9, "The same."), document_id=None, external_id="a")
    others = [replace(page, external_id="b", position=1), replace(page, position=2)]
    (placed,) = allocate([Candidates(0, [page, *others], True)], places=5, threshold=THRESHOLD).placed
    assert [one.origin for one in placed.also] == ["b"]


def test_what_fills_in_has_no_weight() -> None:
    with pytest.raises(ValueError, match="Weights"):
        allocate([Candidates(10, [], True)], places=5, threshold=THRESHOLD)
