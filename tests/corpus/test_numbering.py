"""Modules, chapters and sections are told by numbers that headings carry, else by their order, or not at all (T1)."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.numbering import label


def of(text: str, file: str = "", is_aside: bool = False) -> list[TextbookHeading]:
    """Headings as they stand in Markdown, a line each."""
    lines = [line.partition(" ") for line in text.strip().splitlines()]
    return [TextbookHeading(len(signs), title, file, is_aside) for signs, _, title in lines]


def labels(headings: list[TextbookHeading]) -> list[str]:
    return [label(parts) for parts in number_headings(headings)]


def test_numbers_that_headings_carry_and_sections_by_their_order() -> None:
    text = """
# Module 3: Acceleration
## Introduction
### What you will learn
## Chapter 1: Speeding up
### Key terms
### Graphs
#### Slopes
## Chapter 2: Slowing down
### Brakes"""
    assert labels(of(text)) == [
        "Module 3",
        "Module 3",
        "Module 3",
        "Module 3, Chapter 1",
        "Module 3, Chapter 1, Section 1",
        "Module 3, Chapter 1, Section 2",
        "Module 3, Chapter 1, Section 2",
        "Module 3, Chapter 2",
        "Module 3, Chapter 2, Section 1",
    ]


def test_every_heading_of_a_path_has_its_own_number() -> None:
    assert number_headings(of("# Module 1\n## Chapter 2: Heat\n### Melting\n#### Ice"))[-1] == (
        "Module 1",
        "Chapter 2",
        "Section 1",
        "",
    )


def test_three_levels_are_counted_in_their_order() -> None:
    assert labels(of("# Motion\n## Speed\n### Mean\n### Top\n## Force\n# Heat\n### Ice"))[2:] == [
        "Module 1, Chapter 1, Section 1",
        "Module 1, Chapter 1, Section 2",
        "Module 1, Chapter 2",
        "Module 2",
        "Module 2, Section 1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Year 9 acids\n## Practical\n## Timing",
        "## One\n### Two",
        "# 3 ways to move\n## 10 facts",
        "# Chapter 1\n## Module 1\n### x",  # against the levels
        "# Motion\n## 4. Speed\n### x\n## 2. Force\n### y\n## 3. Time",  # numbers that do not grow: chapters have none
        "",
    ],
)
def test_no_chapters_where_nothing_says_so(text: str) -> None:
    assert not any("Chapter" in said for said in labels(of(text)))


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("# Module 1: a\n## Chapter 2: b\n### Section 2.4: c", "Module 1, Chapter 2, Section 4"),
        ("# Module 1: a\n## Chapter 2: b\n### Section 7.4: c", "Module 1, Chapter 2, Section 7.4"),
        ("# 1 a\n## 1.1 b\n## 1.2 c\n### 1.2.1 d", "Module 1, Chapter 2, Section 1"),
        ("# Physics\n## Chapter 4. a\n### 4.2 b", "Chapter 4, Section 2"),
        ("# Part II\n## CHAPTER 05 – a", "Part II, Chapter 5"),
        ("# Unit 2: a\n## Lesson 3: b", "Unit 2, Lesson 3"),
        ("# Modul 2: a\n## 3. Kapitel\n### b", "Modul 2, Kapitel 3, Abschnitt 1"),
        ("# Module 2 : a\n## Chapitre 3 : b\n### c", "Module 2, Chapitre 3, Section 1"),
        ("# Unidad 2: a\n## Lección 3: b\n### c", "Unidad 2, Lección 3, Sección 1"),
        ("# Module 1: a\n### b", "Module 1, Section 1"),
        ("# Module 1: a\n## Partly cloudy\n## Chapter 12th night", "Module 1, Chapter 2"),
    ],
)
def test_ways_to_write_a_number(text: str, last: str) -> None:
    assert labels(of(text))[-1] == last


def test_what_a_heading_says_in_passing_is_no_number() -> None:
    sections = "\n".join(f"### Topic {name}" for name in "ABCDE")
    assert labels(of(f"# Module 1\n## Chapter 1: x\n{sections}\n### Part 2 of it"))[-1].endswith("Section 6")


@pytest.mark.parametrize(
    ("sections", "numbered"),
    [
        ("Speed|3 laws of motion|Exercises", "- - -"),  # counts things: the order is in doubt
        ("Speed|3. Force|Exercises", "- 3 -"),  # its sign says that it is a number
        ("Introduction|1 Speed|2 Force|Summary", "- 1 2 -"),
        ("1 Speed|2 Force|Interlude|3 Time", "1 2 - 3"),
        ("1 Speed|2 Force|5 laws of motion", "- - -"),
        ("3 Speed|4 Force", "3 4"),  # a part of a larger book
        ("Introduction|1 Speed|Summary", "- - -"),  # the first section, or the second
        ("5 Speed|9 Force", "- -"),
    ],
)
def test_a_bare_number_agrees_with_the_order_or_is_none(sections: str, numbered: str) -> None:
    headings = of("# Chapter 1: Motion\n## " + sections.replace("|", "\n## "))
    assert [parts[-1] for parts in number_headings(headings)[1:]] == [
        "" if number == "-" else f"Section {number}" for number in numbered.split()
    ]


def test_a_bare_number_is_one_where_those_below_go_on_from_it() -> None:
    assert labels(of("# 3 Heat\n## 3.1 Ice\n### Melting"))[-1] == "Module 3, Chapter 1, Section 1"


def test_what_contradicts_the_order_leaves_a_level_without_numbers() -> None:
    sections = "\n".join(f"### Topic {name}" for name in "ABCDE")
    assert labels(of(f"# Module 1\n## Chapter 1: x\n{sections}\n### Section 3"))[2:] == ["Module 1, Chapter 1"] * 6


def test_files_go_on_counting_and_a_readme_does_not() -> None:
    book = [
        *of("# About this book\n## How to read it", "README.md", is_aside=True),
        *of("# Motion\n## Speed\n### Mean", "1.md"),
        *of("# Heat\n## Ice\n### Melting", "2.md"),
    ]
    assert labels(book)[-1] == "Module 2, Chapter 1, Section 1"
    assert labels(book)[:2] == ["", ""]


def test_names_of_folders_and_files_carry_numbers() -> None:
    book = [
        *of("# Kinematics\n## Speed", "module-1/chapter-01.md"),
        *of("# Dynamics", "module-1/chapter-02.md"),
        *of("# Heat\n## Ice", "module_02-heat/chapter-03-ice.md"),
    ]
    assert labels(book) == [
        "Module 1, Chapter 1",
        "Module 1, Chapter 1, Section 1",
        "Module 1, Chapter 2",
        "Module 2, Chapter 3",
        "Module 2, Chapter 3, Section 1",
    ]
    apart = [*of("# A\n## b\n### c", "03-heat.md"), *of("# D\n## e\n### f", "04-light.md")]
    assert labels(apart)[-1] == "Module 4, Chapter 1, Section 1"


def test_what_folders_carry_is_not_counted_again() -> None:
    files = ("README.md", "module-1/01-a.md", "module-1/02-b.md", "module-2/03-c.md")
    book = [heading for file in files for heading in of("# A\n## b\n### c", file)]
    assert labels(book) == [""] * 3 + ["Module 1"] * 6 + ["Module 2"] * 3
    book = [*of("# A\n## b\n### c", "module-2/forces.md"), *of("# D\n## e\n### f", "module-2/motion.md")]
    assert labels(book) == ["Module 2"] * 6
    assert labels(of("# Module 3: A\n## Chapter 1: b", "module-2/a.md"))[-1] == "Module 3, Chapter 1"


def test_a_word_in_the_name_of_a_file_goes_before_a_number_in_its_title() -> None:
    assert labels(of("# 5 steps to success", "chapter-02.md")) == ["Chapter 2"]


def test_files_in_folders_without_numbers_are_not_counted() -> None:
    book = [*of("# A\n## b\n### c", "heat/ice.md"), *of("# D\n## e\n### f", "light/lens.md")]
    assert labels(book) == [""] * 6


TITLES = st.sampled_from(
    ["Speed", "Module 2: x", "Chapter 1", "Chapter 3. y", "Section 1.2: z", "1.2 q", "2 w", "3. Kapitel", ""]
)
HEADINGS = st.lists(
    st.builds(
        TextbookHeading,
        st.integers(1, 6),
        TITLES,
        st.sampled_from(["", "module-1/a.md", "02-b.md"]),
        st.booleans(),
    ),
    max_size=25,
)


@given(HEADINGS)
def test_a_heading_goes_on_from_the_one_above_it(headings: list[TextbookHeading]) -> None:
    found = number_headings(headings)
    assert len(found) == len(headings)
    open_parts: list[tuple[int, tuple[str, ...]]] = []
    file = None
    for heading, parts in zip(headings, found, strict=True):
        open_parts = [] if heading.file != file else open_parts
        file = heading.file
        while open_parts and open_parts[-1][0] >= heading.level:
            open_parts.pop()
        above = open_parts[-1][1] if open_parts else ()
        assert parts[:-1] == above
        open_parts.append((heading.level, parts))


@given(st.lists(st.integers(1, 3), max_size=25))
def test_counted_headings_under_one_heading_are_one_two_three(levels: list[int]) -> None:
    under: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for parts in number_headings([TextbookHeading(level, "Speed") for level in levels]):
        if parts[-1]:
            under[parts[:-1]].append(parts[-1])
    for said in under.values():
        by_word: dict[str, list[int]] = defaultdict(list)
        for part in said:
            word, number = part.split()
            by_word[word].append(int(number))
        assert all(one == list(range(1, len(one) + 1)) for one in by_word.values())
