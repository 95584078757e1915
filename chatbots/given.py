"""What an answerer was given for an answer: kept when it is asked, and told to the owner of the answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from chatbots.models import GivenPrompt, Message, Mode
from chatbots.prompting import parts_of
from engines.extractive import ExtractiveAnswerer
from engines.llm import LLM, Prompt, Turn


def keep_prompt(message: Message, prompt: Prompt, llm: LLM) -> None:
    """Keep a prompt as a model gets it; whoever only quotes gets none."""
    if llm.generative:
        GivenPrompt.objects.create(
            school_id=message.school_id,
            message=message,
            turns=[asdict(turn) for turn in prompt.turns],
            answerer=llm.name[:120],
        )


def keep_times(message: Message, times: int) -> None:
    """Say how often a model was given its prompt."""
    GivenPrompt.objects.filter(message=message).update(times=times)


def what_was_given(message: Message) -> dict[str, Any]:
    """Template context: the parts of the prompt if a model was asked, else the passages that were read."""
    prompt = GivenPrompt.objects.filter(message=message).first()
    sources = list(message.sources.all())
    by_number = {source.number: source for source in sources}
    parts = parts_of([Turn(**turn) for turn in prompt.turns]) if prompt else []
    return {
        "message": message,
        "prompt": prompt,
        "parts": [(part, by_number.get(part.number)) for part in parts],
        "left_out": [source for source in sources if not source.was_given],
        "quoted_from": sources if message.model == ExtractiveAnswerer.name else [],
        "not_asked": message.mode == Mode.REFUSED and not sources,
        "was_rewritten": bool(message.searched_for and "rewrite_ms" in message.timings),
    }
