"""Any text in any place of a question stays text in every format."""

from __future__ import annotations

import re
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from learning.exports.gift import gift
from learning.exports.questions import ExportedQuestion
from learning.material import QuestionKind
from learning.questions.wording import get_wording
from tests.learning.gift_reader import read_gift

SIGNS = st.sampled_from(["=", "~", "#", "{", "}", ":", "\\", "->", "%50%", "[html]", "//", "::", "\n\n", "<b>", "&lt;"])
PIECES = st.one_of(SIGNS, st.text(max_size=6), st.sampled_from(["n", "word ", "]]>", "$CATEGORY: x", "*"]))
TEXT = st.lists(PIECES, min_size=1, max_size=8).map("".join).filter(lambda text: bool(clean(text)))


def clean(text: str) -> str:
    """What every format keeps of a text."""
    text = re.sub(r"\r\n?", "\n", text)
    text = re.sub("[^\t\n\x20-\x7e\x80-\ud7ff\ue002-\ufffd\U00010000-\U0010ffff]", "", text)
    return text.replace("->", "→").strip()


def question(kind: QuestionKind, prompt: str, options: tuple[str, ...], answer: dict[str, object]) -> ExportedQuestion:
    return ExportedQuestion(
        id=UUID(int=1),
        concept="Acid",
        kind=kind,
        prompt=prompt,
        options=options,
        targets=(),
        answer=answer,
        explanation=prompt,
        sources=(options[0] if options else "Rivers",),
        words=get_wording("en"),
    )


@given(TEXT, TEXT, TEXT)
def test_a_choice_in_gift(prompt: str, right: str, wrong: str) -> None:
    prompt, right, wrong = (clean(text) for text in (prompt, right, wrong))
    one = question(QuestionKind.SINGLE, prompt, (wrong, right), {"correct": 1})
    (read,) = read_gift(gift("Acids", [one]))
    assert read.prompt == prompt and read.kind == "multichoice"
    assert read.answers == [(0, wrong), (100, right)]
    assert read.feedback.startswith(prompt)


@given(TEXT, TEXT)
def test_a_cloze_in_gift(prompt: str, accepted: str) -> None:
    prompt, accepted = clean(prompt), clean(accepted)
    one = question(QuestionKind.CLOZE, prompt, (), {"accepted": [accepted]})
    (read,) = read_gift(gift("Acids", [one]))
    assert read.prompt == prompt and read.kind == "shortanswer"
    ((weight, written),) = read.answers
    assert (weight, written.replace("\\*", "*")) == (100, accepted)
