"""The trial of a language model: it answers packaged questions from packaged passages as a chatbot would."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from chatbots.answering import execution
from chatbots.answering.draft import AnswerRequest, Draft, Kind
from chatbots.answering.generation import REPETITIVE, UNCITED, Writing
from chatbots.answering.prompts import build_grounded_prompt
from chatbots.answering.refusals import get_refusal_sentence
from chatbots.citations.claim_verification import Support
from chatbots.models import Mode
from chatbots.passages import NumberedPassage
from corpus.models import Installation
from engines.llm import LLM
from engines.model_check import describe_model
from engines.reader.trial import samples

SAMPLES, PLACES = 10, 4
MIN_RIGHT, MIN_REFUSED = 7, 5
"""Right answers and right refusals, of SAMPLES each, of a model that fits."""


@dataclass(frozen=True)
class ModelTrial:
    """What came of a question to each sample that its passage answers, and one that it does not answer.

    A right answer cites that passage, which supports it. Loops and answers that cite nothing may be of either kind.
    """

    model: str
    right: int
    refused: int
    uncited: int
    loops: int
    first_token_seconds: float

    @property
    def fits(self) -> bool:
        """Whether the model is better than quotations."""
        return self.right >= MIN_RIGHT and self.refused >= MIN_REFUSED and not self.loops

    def __str__(self) -> str:
        return (
            f"{'fits' if self.fits else 'does not fit: quotations serve better'} "
            f"({self.right} of {SAMPLES} answers right, {self.refused} of {SAMPLES} refusals right, "
            f"{self.uncited} answers without a source, {self.loops} without an end, "
            f"first token after {self.first_token_seconds:.1f} s)"
        )


def try_model(llm: LLM, name: str, room: int | None, say: Callable[[str], None]) -> ModelTrial:
    """Ask all questions. Raises EngineError."""
    known, right, refused, notices, waits = samples()[:SAMPLES], 0, 0, list[str](), list[float]()
    for place, sample in enumerate(known):
        texts = [known[(place + other) % SAMPLES].passage for other in range(PLACES)]
        texts = texts[place % PLACES :] + texts[: place % PLACES]
        passages = [NumberedPassage(number, "", (), text, text) for number, text in enumerate(texts, start=1)]
        for question in (sample.answered, sample.unanswered):
            done = _ask(llm, question, passages, room)
            found = done.verification
            notices += done.notices
            waits += [done.timings["first_token_ms"] / 1000] if "first_token_ms" in done.timings else []
            cites = texts.index(sample.passage) + 1 in done.cited and not found.unfounded
            cites = cites and all(state == Support.SUPPORTED for state, _ in found.support.values())
            right += question == sample.answered and cites and not done.model_text
            refused += question == sample.unanswered and done.mode == Mode.REFUSED and not done.model_text
        say(f"{2 * place + 2} of {2 * SAMPLES} questions asked")
    counts = (notices.count(UNCITED.notice), notices.count(REPETITIVE.notice))
    return ModelTrial(name, right, refused, *counts, statistics.median(waits or [0.0]))


def _ask(llm: LLM, question: str, passages: list[NumberedPassage], room: int | None) -> Draft:
    """The answer, verified. Raises EngineError."""
    refusal = get_refusal_sentence("en")
    prompt = build_grounded_prompt(
        question=question,
        passages=passages,
        instructions="",
        history=(),
        language="en",
        refuses_with=refusal,
        room=room,
    )
    request = AnswerRequest(question, llm, refusal)
    writing = Writing(Draft(Mode.GROUNDED, model=llm.name, is_generated=True, prompt=prompt), request)
    for _ in execution.run_here(writing.write(execution.read_here)):
        pass
    draft = {event.kind: event for event in writing.finish()}[Kind.DONE].draft
    assert draft
    return draft


def find_trial() -> ModelTrial | None:
    """The last trial of the model of the settings; None if it was never tried as this version tries models."""
    row = Installation.objects.first()
    stored = row.language_model_trial if row else {}
    is_current = stored.keys() == ModelTrial.__dataclass_fields__.keys() and stored["model"] == describe_model()
    return ModelTrial(**stored) if is_current else None
