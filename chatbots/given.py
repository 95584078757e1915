"""What an answerer was given for an answer: kept when it is asked, and told to the owner of the answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from chatbots.models import GivenPrompt, Message, Mode
from chatbots.prompting import parts_of
from engines.extractive import ExtractiveAnswerer
from engines.llm import LLM, Prompt, Turn


def keep_prompt(message: Message, prompt: Prompt, llm: LLM, *, times: int = 1) -> None:
    """Keep a prompt as a model gets it, in place of the one before; whoever only quotes gets none."""
    if llm.generative:
        GivenPrompt.objects.update_or_create(
            message_id=message.pk,
            defaults={
                "school_id": message.school_id,
                "turns": [asdict(turn) for turn in prompt.turns],
                "answerer": llm.name[:120],
                "times": times,
            },
        )


def keep_what_fitted(message: Message, prompt: Prompt) -> None:
    """Say with the stored sources which of them are in the prompt, and of a passage that was cut what is (C3).

    They are numbered before the prompt is made, so that they stand on the page at once.
    """
    message.sources.exclude(number__in=[one.number for one in prompt.passages]).update(was_given=False)
    for passage in prompt.passages[-1:]:
        cut = message.sources.filter(number=passage.number).exclude(text=passage.text)
        cut.update(text=passage.text, excerpt=passage.excerpt)


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
