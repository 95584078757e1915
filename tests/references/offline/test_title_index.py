"""The title index: words, beginnings, slips, and builds that are interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from references.offline.title_index import NoTitleIndex, TitleIndex, build_title_index, title_key

TITLES = [
    "Immune system", "Immunology", "Oxygen", "Photosynthesis", "University of Chicago", "Chicago", "AC/DC",
    "Émile Zola", "Force", "History of Rome", "Rome", "Ölpreiskrise",
]  # fmt: skip


def entries(start: int) -> Iterator[tuple[int, str, str] | None]:
    """Every third entry is no article."""
    for number in range(start, 3 * len(TITLES)):
        title = TITLES[number // 3]
        yield (number, title, title.replace(" ", "_")) if number % 3 == 0 else None


@pytest.fixture
def index(tmp_path: Path) -> TitleIndex:
    build_title_index(tmp_path / "titles.sqlite", "first", entries, language="en")
    return TitleIndex(tmp_path / "titles.sqlite")


def titles(found: list) -> list[str]:  # type: ignore[type-arg]
    return [one.title for one in found]


def test_titles_are_found_by_any_of_the_words(index: TitleIndex) -> None:
    found = titles(index.with_words(["chicago", "immun"], 10))
    assert set(found) == {"Chicago", "Immune system", "University of Chicago"}
    assert titles(index.with_words(["chicago"], 10)) == ["Chicago", "University of Chicago"]
    assert set(titles(index.with_words(["rome", "unknown"], 10))) == {"Rome", "History of Rome"}
    assert index.with_words(["unknown"], 10) == []
    assert index.with_words([], 10) == []
    assert len(index.with_words(["rome"], 1)) == 1


def test_titles_are_found_by_a_beginning(index: TitleIndex) -> None:
    assert titles(index.with_beginning("photo", 5)) == ["Photosynthesis"]
    assert titles(index.with_beginning('ph"o', 5)) == []


def test_equal_titles_are_found_whatever_case_accents_and_signs(index: TitleIndex) -> None:
    assert titles(index.exact(["university OF chicago", "ac dc", "emile zola", "olpreiskrise"])) == [
        "University of Chicago", "AC/DC", "Émile Zola", "Ölpreiskrise",
    ]  # fmt: skip
    assert index.exact(["", "?"]) == []
    assert title_key("  Émile–Zola! ") == "emile zola"


@pytest.mark.parametrize(
    ("slip", "word"),
    [
        ("oxigen", "oxygen"),
        ("imun", "immun"),
        ("photosyntesi", "photosynthesi"),
        ("imunologi", "immunolog"),
        ("cihcago", "chicago"),
    ],
)
def test_a_misspelled_word_is_understood(index: TitleIndex, slip: str, word: str) -> None:
    assert index.frequency(slip) == 0
    assert index.similar_words(slip) == [word]


def test_short_and_strange_words_are_no_slips(index: TitleIndex) -> None:
    assert index.similar_words("rom") == index.similar_words("zzzzzz") == index.similar_words("oxigan") == []


class Interrupted(Exception):
    pass


def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("references.offline.title_index._BATCH", 7)
    path, starts = tmp_path / "titles.sqlite", []

    def watched(start: int) -> Iterator[tuple[int, str, str] | None]:
        starts.append(start)
        return entries(start)

    def stop(passed: int, indexed: int) -> None:
        if passed == 14:
            raise Interrupted

    with pytest.raises(Interrupted):
        build_title_index(path, "first", watched, language="en", done=stop)
    assert not path.exists()
    assert build_title_index(path, "first", watched, language="en") == len(TITLES)
    assert starts == [0, 14]
    assert titles(TitleIndex(path).exact(TITLES)) == TITLES


def test_a_build_of_another_edition_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "titles.sqlite"
    path.with_name("titles.sqlite.partial").write_bytes(b"no database at all")
    assert build_title_index(path, "first", entries, language="en") == len(TITLES)
    assert build_title_index(path, "second", entries, language="en") == len(TITLES)
    assert TitleIndex(path).edition == "second"


def test_a_limit_makes_a_partial_index(tmp_path: Path) -> None:
    path = tmp_path / "titles.sqlite"
    assert build_title_index(path, "first", entries, language="en", limit=2) == 2
    assert TitleIndex(path).limit == 2
    assert titles(TitleIndex(path).exact(TITLES)) == TITLES[:2]


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoTitleIndex, match="There is no title index"):
        TitleIndex(tmp_path / "none.sqlite")
    (tmp_path / "broken.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(NoTitleIndex, match="cannot be read"):
        TitleIndex(tmp_path / "broken.sqlite")
