"""What a model thinks is told apart from what it answers, however the tags are cut."""

import pytest

from engines.reasoning import ReasoningPiece, ThinkTags


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>Is 1 < 2? Yes.</think>\n\nYes [1].", "Is 1 < 2? Yes.", "Yes [1]."),
        ("\n <think></think>Yes.", "", "Yes."),
        ("Yes, <think> is a tag.</think>", "", "Yes, <think> is a tag.</think>"),
        ("<thinking is hard", "", "<thinking is hard"),
        ("<think>No end", "No end", ""),
        ("<think>A</th</think>B</think>", "A</th", "B</think>"),
        ("<thi", "", "<thi"),
        ("  ", "", "  "),
    ],
)
def test_tags_are_found_in_pieces_of_any_size(text: str, reasoning: str, answer: str, size: int) -> None:
    tags = ThinkTags()
    found = [tags.feed(text[n : n + size]) for n in range(0, len(text), size)]
    held = tags.finish()
    assert "".join(thought for thought, _ in found) == reasoning
    assert "".join(said for _, said in found).lstrip("\n") + held == answer


def test_a_piece_of_reasoning_adds_nothing_to_an_answer() -> None:
    piece = ReasoningPiece("Hm.")
    assert (piece, piece.reasoning, "".join(["Yes", piece])) == ("", "Hm.", "Yes")
