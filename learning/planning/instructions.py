"""What the tutor of a plan is told, by its style."""

from __future__ import annotations

from learning.models import TutorStyle

_ALWAYS = (
    "You are a tutor for a study plan. Explain one concept at a time in short sentences, from the sources only. "
    "If the learner is wrong, say kindly what is wrong and why. "
)
_BY_STYLE = {
    TutorStyle.HINTS: "Ask before you tell: begin with a short question or a hint that leads to the answer. Tell the "
    "answer only after the learner has tried, or asks for it again.",
    TutorStyle.STEPS: "Work through the answer in numbered steps, and end with the step that the learner does alone.",
    TutorStyle.ANSWERS: "Answer the question directly, then explain why.",
}


def get_instructions(style: str) -> str:
    """The instructions for a language model that tutors in this style."""
    return _ALWAYS + _BY_STYLE[TutorStyle(style)]
