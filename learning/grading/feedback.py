"""Words for a verdict: what was right, what is missing and where to read on, with [n]."""

from __future__ import annotations

from collections.abc import Sequence

from chatbots.citations.markers import list_cited_numbers, strip_markers
from learning.material import Grade, Verdict

_OPENINGS = {
    Verdict.RIGHT: "Right.",
    Verdict.PARTLY: "Partly right.",
    Verdict.WRONG: "Not right.",
    Verdict.UNSURE: "",  # the page says it, and it may be rated later
}


def grade_by_share(share: float, said: Sequence[str], explanation: str, *, chance: float = 0.0) -> Grade:
    """Return the verdict by a share of right parts: right if it is whole, partly if it is better than `chance`."""
    verdict = Verdict.RIGHT if share >= 1 else Verdict.PARTLY if share > chance else Verdict.WRONG
    return make_grade(verdict, share, said, explanation)


def make_grade(
    verdict: Verdict, share: float, said: Sequence[str], explanation: str, cited: Sequence[int] = ()
) -> Grade:
    """Return a grade with its feedback: the verdict, the sentences `said`, and the sources `cited`, or else those of
    the explanation."""
    numbers = tuple(cited) or tuple(sorted(list_cited_numbers(explanation)))
    markers = "".join(f"[{number}]" for number in numbers)
    read_on = [] if not markers else [markers if verdict == Verdict.RIGHT else f"Read on in {markers}."]
    feedback = " ".join(filter(None, [_OPENINGS[verdict], *said, *read_on]))
    return Grade(verdict, feedback, min(max(share, 0.0), 1.0), numbers)


def quote_text(text: str) -> str:
    """Return a text of the question between quotation marks, without markers of its own."""
    return f"“{strip_markers(text).strip()}”"


def join_texts(texts: Sequence[str]) -> str:
    return ", ".join(map(quote_text, texts))
