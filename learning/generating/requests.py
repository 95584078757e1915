"""Ask a language model for concepts and questions: what it is told, how much at a time, and what that costs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from chatbots.answering.sanitize import delimit_source, sanitize, sanitize_attribute
from chatbots.passages import NumberedPassage
from engines.errors import EngineError
from engines.llm import LLM, ChatMessage, Prompt, read_reply
from learning.generating.replies import WrittenConcept, read_concepts
from learning.material import ConceptText, DraftQuestion
from text.tokens import estimate_tokens
from text.words import read_words

logger = logging.getLogger(__name__)

MAX_TOKENS = 5_000
"""Tokens of the passages of one concept, about."""

_RULES = Path(__file__).with_name("rules.txt").read_text(encoding="utf-8").strip()
RULES_TOKENS = estimate_tokens(_RULES)
"""About how many tokens each request has beside its passages."""

_SECTION = "Name at most {most} concepts, in teaching order, each with two questions of different kinds."
_CONCEPT = "Name one concept, “{name}”, with {count} questions of different kinds. Others, for wrong options: {others}."


SECTION_TOKENS, MAX_SECTIONS, CONCEPTS_OF_A_SECTION = 600, 30, 6
"""About how much one request has, so that its reply fits a usual limit, and how many requests are made for a plan."""

MAX_FAILURES = 2
"""Replies that fail or cannot be read, after which the model is asked nothing more about a plan."""


def ask_about_section(
    llm: LLM, passages: Sequence[NumberedPassage], *, topic: str, language: str, most: int
) -> list[WrittenConcept] | None:
    """Ask for the concepts of these passages. None for a reply that cannot be read, or none."""
    about = f"<topic>\n{sanitize(topic)}\n</topic>\n\n" if topic else ""
    return _ask(llm, passages, about + _SECTION.format(most=most), language)


def ask_about_concept(
    llm: LLM, concept: ConceptText, others: Sequence[ConceptText], *, language: str, count: int
) -> list[DraftQuestion] | None:
    """Ask for questions about one concept, by its numbered passages. None for a reply that cannot be read, or
    none."""
    room, passages = MAX_TOKENS, list[NumberedPassage]()
    for passage in concept.passages:
        room -= estimate_tokens(passage.text)
        if passages and room < 0:
            break
        passages.append(passage)
    names = ", ".join(sanitize_attribute(one.name) for one in others[:20]) or "none"
    task = _CONCEPT.format(count=count, name=sanitize_attribute(concept.name), others=names)
    found = _ask(llm, passages, task, language)
    return None if found is None else [question for one in found for question in one.questions]


def _ask(llm: LLM, passages: Sequence[NumberedPassage], task: str, language: str) -> list[WrittenConcept] | None:
    sources = "\n\n".join(map(delimit_source, passages))
    messages = (
        ChatMessage("system", _RULES.format(language=read_words(language)["name"])),
        ChatMessage("user", f"<sources>\n{sources}\n</sources>\n\n{task}"),
    )
    try:
        return read_concepts(read_reply(llm, Prompt(messages), 60_000), made_by=llm.name)
    except EngineError as error:
        logger.warning("The language model failed while it wrote a study plan: %s", type(error).__name__)
        return None


def describe_cost(llm: LLM, concepts: int) -> str:
    """Say what a plan with so many concepts costs at most, before it is asked for; "" without a language model."""
    if not llm.generative:
        return ""
    tokens = MAX_SECTIONS * (SECTION_TOKENS + RULES_TOKENS) + concepts * (MAX_TOKENS + RULES_TOKENS)
    return (
        f"The language model “{llm.name}” is asked at most {MAX_SECTIONS + concepts} times, with {tokens:,} tokens in "
        f"all: once for each section of some {SECTION_TOKENS} tokens, and for each concept that has no questions then."
    )
