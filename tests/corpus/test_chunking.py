"""Pieces: nothing lost or doubled, every limit kept, cuts where a reader would cut."""

import re
from collections.abc import Callable
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.block_size import CHUNKS_PER_BLOCK
from corpus.embedding.chunk_text import embedding_text
from corpus.ingestion.chunking import Piece, chunk
from corpus.ingestion.parsing import Section, parse
from corpus.ingestion.splitting.atoms import pack
from text.sentences import sentence_starts


def words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def marked(text: str) -> int:
    """With begin and end marks, as BERT counts."""
    return words(text) + 2


def letters(text: str) -> int:
    """Like a tokenizer that knows no word of the language: white space counts too."""
    return len(text)


def together(text: str) -> int:
    """Not additive: neighbours cost more together than apart."""
    return words(text) + len(text) // 40


COUNTERS = st.sampled_from([words, marked, letters, together])


def cut(text: str, count: Callable[[str], int] = words, limit: int = 40) -> list[str]:
    """The pieces of one section without headings, without the white space after each."""
    return [piece.text.rstrip() for piece in chunk([Section((), text)], count_tokens=count, max_tokens=limit)]


PARTS = st.sampled_from(
    [
        "One short sentence.",
        "A sentence, with commas, that goes on and on; it ends at last.",
        "No. 5, e.g. Dr. Smith's, is $x = y. Z$ long.",
        "word " * 30,
        "x" * 90,
        "细胞是生命的基本单位。植物细胞有叶绿体！",
        "- item one",
        "- item two, which is longer than the other",
        "| a | b |\n| --- | --- |\n| one cell | another cell |\n| three | four |",
        "```python\nfor x in y:\n    print(x)\n\n\nprint('done. Yes')\n```",
        "```\nnever closed",
        "$$\na^2 + b^2 = c^2\n$$",
        "> quoted text. More of it.",
        "    indented code",
        "\t \t",
        "…?! ... !!",
        "é\u0301\U0001f600",
    ]
)
TEXTS = st.lists(st.tuples(PARTS, st.sampled_from([" ", "\n", "\n\n", "\n\n\n  "])), max_size=12).map(
    lambda parts: "".join(text + glue for text, glue in parts)
)
TITLES = st.sampled_from(["Module 1: Cells", "Energy", "A very long heading " * 6, "单细胞" * 20, ""])
PATHS = st.lists(TITLES, max_size=4).map(tuple)
SECTIONS = st.lists(st.tuples(PATHS, TEXTS, st.integers(1, 50)), max_size=4).map(
    lambda found: [Section(path, text, first, (first, first + text.count("\n"))) for path, text, first in found]
)


@given(SECTIONS, COUNTERS, st.integers(12, 80), st.integers(12, 300))
def test_nothing_is_lost_and_every_limit_is_kept(
    sections: list[Section], count: Callable[[str], int], limit: int, block: int
) -> None:
    pieces = chunk(sections, count_tokens=count, max_tokens=limit, block_tokens=block)
    assert [piece.position for piece in pieces] == list(range(len(pieces)))
    for piece in pieces:
        assert piece.text.strip()
        assert count(embedding_text(piece.heading_path, piece.text)) <= limit
        assert piece.tokens == count(piece.text.rstrip())
    blocks = [list(group) for _, group in groupby(pieces, lambda piece: piece.block)]
    assert [group[0].block for group in blocks] == list(range(len(blocks)))
    assert all(sum(piece.tokens for piece in group) <= block for group in blocks)
    assert all(len(group) <= CHUNKS_PER_BLOCK for group in blocks)
    assert pieces == chunk(sections, count_tokens=count, max_tokens=limit, block_tokens=block)


@given(TEXTS, COUNTERS, st.integers(12, 60))
def test_pieces_joined_are_the_section(text: str, count: Callable[[str], int], limit: int) -> None:
    pieces = chunk([Section((), text)], count_tokens=count, max_tokens=limit, block_tokens=100)
    joined = "".join(piece.text for piece in pieces)
    assert joined.lstrip() == text.lstrip()


@given(TEXTS, st.integers(12, 60))
def test_lines_point_at_the_text(text: str, limit: int) -> None:
    lines = ["before", *text.split("\n"), "after"]
    section = Section((), text, None, (2, len(lines) - 1))
    for piece in chunk([section], count_tokens=words, max_tokens=limit):
        assert piece.lines
        first, last = piece.lines
        assert piece.text.rstrip() in "\n".join(lines[first - 1 : last])
        assert piece.text.rstrip().count("\n") == last - first
        assert lines[first - 1].strip() and lines[last - 1].strip()


@given(st.text(max_size=300), COUNTERS)
def test_any_text_can_be_cut(text: str, count: Callable[[str], int]) -> None:
    pieces = chunk([Section((), text)], count_tokens=count, max_tokens=12)
    assert "".join(piece.text for piece in pieces).lstrip() == text.lstrip()
    assert all(count(piece.text.strip()) <= 12 for piece in pieces)


def test_a_block_has_a_bounded_number_of_pieces() -> None:
    text = "\n\n".join("```\nx\n```" for _ in range(200))
    pieces = chunk([Section((), text)], count_tokens=words, max_tokens=8, block_tokens=1024)
    blocks = [len(list(group)) for _, group in groupby(pieces, lambda piece: piece.block)]
    assert sum(blocks) > 2 * CHUNKS_PER_BLOCK
    assert max(blocks) <= CHUNKS_PER_BLOCK


def test_a_block_lies_within_one_section_and_page() -> None:
    sections = [
        Section(("A",), "First. " * 30, 1),
        Section(("A",), "Second. " * 5, 2),
        Section(("B",), "Third.", 2),
    ]
    pieces = chunk(sections, count_tokens=words, max_tokens=20, block_tokens=50)
    assert [(piece.page, piece.heading_path) for piece in pieces] == sorted(
        (piece.page, piece.heading_path) for piece in pieces
    )
    assert len({(piece.block, piece.page, piece.heading_path) for piece in pieces}) == pieces[-1].block + 1
    assert pieces[0].block == pieces[1].block != pieces[-2].block != pieces[-1].block


def test_a_tokenizer_that_counts_the_whole_higher_than_its_parts() -> None:
    def count(text: str) -> int:
        return words(text) + text.count(". ")

    pieces = cut("Water. Salt. Iron. Tin. Gold. " * 20, count)
    assert all(count(piece) <= 40 for piece in pieces)
    assert max(map(count, pieces)) > 20


def test_cuts_fall_between_sentences() -> None:
    text = "Dr. Meyer has e.g. 3.5 litres of No. 7, i.e. too much. " * 12
    assert all(piece.startswith("Dr. Meyer") and piece.endswith("too much.") for piece in cut(text))


def test_paragraphs_stay_whole_where_they_fit() -> None:
    paragraphs = [f"Paragraph {number} has a first sentence. And it has a second one." for number in range(9)]
    pieces = cut("\n\n".join(paragraphs))
    assert len(pieces) < 9
    assert [paragraph for piece in pieces for paragraph in piece.split("\n\n")] == paragraphs


def test_no_tail_of_a_few_words() -> None:
    pieces = cut("A sentence has five words. " * 7 + "The end.", limit=40)
    assert len(pieces) == 2
    assert min(map(words, pieces)) > 14


@pytest.mark.parametrize(
    "whole",
    [
        "```\nFirst line. Then\n\nmore lines. Of code\n\nand it ends. Here at last\n```",
        "| metal | melts |\n| --- | --- |\n| iron. Late | yes. At 1538 |",
        "$$\nx = 1. Y\n+ 2. Z\n- 3. A + B. C\n= 4. D + E. F\n$$",
        "    x = one. Two\n    y = two. Three\n    z = three. Four\n    a = four. Five",
    ],
)
def test_code_tables_and_formulas_stay_whole(whole: str) -> None:
    assert 16 < words(whole) < 30
    pieces = cut(
        f"Eight words are not enough for one piece.\n\n{whole}\n\nNor are these eight words after it.",
        limit=30,
    )
    assert len(pieces) > 1
    assert sum(whole in piece for piece in pieces) == 1


def test_a_long_table_is_cut_between_rows() -> None:
    rows = [f"| metal {number} | melts. At {number * 100} degrees |" for number in range(30)]
    pieces = cut("\n".join(["| metal | what |", "| --- | --- |", *rows]))
    assert len(pieces) > 3
    assert all(line.startswith("|") and line.endswith("|") for piece in pieces for line in piece.split("\n"))


def test_an_inline_formula_ends_no_sentence_and_is_not_cut() -> None:
    text = "So $a. B, c; d$ holds and $e. F, g; h$ too, " * 10
    assert all(piece.count("$") % 4 == 0 for piece in cut(text, limit=30))


def test_a_long_sentence_is_cut_between_clauses() -> None:
    text = "and when the water is hot enough, " * 12
    assert all(piece.endswith("hot enough,") for piece in cut(text))


def test_what_a_colon_announces_is_not_cut_off() -> None:
    filler = "Words that fill the piece. " * 3 + "Some more here."
    items = "\n".join(f"- ingredient {number} of the mixture" for number in range(4))
    pieces = cut(f"{filler}\n\nYou will need the following:\n\n{items}")
    assert sum("following:\n\n- ingredient" in piece for piece in pieces) == 1


def test_a_long_heading_path_is_shortened_from_the_left() -> None:
    path = ("Everything there is to know about metals", "Their melting points in degrees", "Iron")
    [piece] = chunk([Section(path, "It melts.")], count_tokens=words, max_tokens=20)
    assert piece.heading_path == ("…", "Their melting points in degrees", "Iron")
    [piece] = chunk([Section(path[:1], "It melts.")], count_tokens=words, max_tokens=12)
    assert piece.heading_path == ("… is to know about metals",)
    [piece] = chunk([Section(path, "It melts.")], count_tokens=words, max_tokens=60)
    assert piece.heading_path == path


def test_embedding_text_puts_the_headings_on_a_line_of_their_own() -> None:
    assert embedding_text(("Module 1", "Cells"), "Text.") == "Module 1 › Cells\nText."
    assert embedding_text((), "Text.") == "Text."


def test_tokens_are_counted_a_few_times_per_sentence_only() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return words(text)

    text = "This is one of very many sentences. " * 5000
    chunk([Section((), text)], count_tokens=count, max_tokens=256)
    assert counted < 4 * len(text)


def test_markdown_from_file_to_pieces() -> None:
    text = "# Metals\n\nIron melts late. " + "It is heavy and it rusts. " * 20 + "\n\n## Tin\n\nTin melts early.\n"
    pieces: list[Piece] = chunk(parse(text.encode()).sections, count_tokens=words, max_tokens=64)
    assert pieces[-1].heading_path == ("Metals", "Tin")
    assert pieces[-1].lines == (7, 7)
    assert all(piece.lines == (3, 3) for piece in pieces[:-1])


@given(
    st.lists(st.tuples(st.integers(1, 30), st.sampled_from([0.0, 0.3, 1.0])), max_size=12),
    st.integers(5, 40),
)
def test_packing_is_the_cheapest_of_all(things: list[tuple[int, float]], limit: int) -> None:
    weights, joints = [weight for weight, _ in things], [joint for _, joint in things]
    target = limit * 0.7

    def cost(groups: list[range]) -> float:
        sizes = (sum(weights[group.start : group.stop]) for group in groups)
        cuts = sum(joints[g.start] for g in groups[1:])
        return sum(((size - target) / target) ** 2 for size in sizes) + cuts

    def every(start: int) -> list[list[range]]:
        found: list[list[range]] = [] if start < len(weights) else [[]]
        for stop in range(start + 1, len(weights) + 1):
            if sum(weights[start:stop]) <= limit or stop == start + 1:
                found += [[range(start, stop), *rest] for rest in every(stop)]
        return found

    packed = pack(weights, joints, limit=limit, target=target)
    assert packed in every(0)
    assert cost(packed) == pytest.approx(min(map(cost, every(0))))


@pytest.mark.parametrize(
    "sentences",
    [
        [
            "He met J. R. R. Tolkien in Oxford. ",
            "They talked, e.g. about elves! ",
            "“Really?” ",
            "She laughed.",
        ],
        ["Das gilt z. B. für Tiere (vgl. Abb. 3). ", "Am 3. Oktober war frei. ", "Gut."],
        [
            "Pi is 3.14159. ",
            "See https://example.org/a.b for more… ",
            "It cost $5. ",
            "He had $10. ",
            "So what?",
        ],
        ["La réaction, p. ex. celle-ci, est lente. ", "¿Por qué? ", "No se sabe."],
        ["今天天气很好。", "我们去公园！", "好吗？"],
        ["ذهب الولد إلى المدرسة. ", "هل عاد؟ ", "نعم."],
        [
            "In 1990 it began. ",
            "**It ended.** ",
            "[Read this. Now](http://a.b/c. D) and `x. Y` too. ",
            "End.",
        ],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = [0, *sentence_starts(text), len(text)]
    assert [text[start:end] for start, end in pairwise(starts)] == sentences


@pytest.mark.parametrize("header", ["| a" + " " * 1_000 + "| b |\n|" + "-" * 1_000 + "|---|", "|" + " a |" * 1_000])
def test_a_wide_header_is_not_repeated_as_it_stands(header: str) -> None:
    rule = "" if "-" in header else "\n|" + "---|" * 1_000
    source = f"{header}{rule}\n" + "| c | d |\n" * 1_000
    pieces = chunk(parse(source.encode(), filename="t.md").sections, count_tokens=words, max_tokens=300)
    assert sum(len(one.text) for one in pieces) < 2 * len(source)


def test_every_part_of_a_long_table_has_the_header_and_its_own_lines() -> None:
    rows = "".join(f"| P{number:03} | {number} cm |\n" for number in range(100))
    text = f"Before.\n\n| Tree | Girth |\n| --- | --- |\n{rows}\nAfter."
    pieces = chunk([Section((), text, None, (1, 106))], count_tokens=words, max_tokens=200)
    parts = [piece for piece in pieces if "| P" in piece.text]
    assert len(parts) > 3
    for piece in parts:
        assert "| Tree | Girth |\n| --- | --- |\n| P" in piece.text
        first = int(re.findall(r"P(\d+)", piece.text)[-1])
        assert piece.lines
        assert piece.lines[1] - 5 == first or piece is parts[-1]
    assert sum(piece.text.count("| P") for piece in pieces) == 100
