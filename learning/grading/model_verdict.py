"""Ask a language model for the verdict on a short answer, and check what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbots.answering.sanitize import delimit_source, sanitize
from chatbots.citations.markers import strip_markers
from chatbots.passages import NumberedPassage
from engines.errors import EngineError
from engines.llm import LLM, ChatMessage, Prompt, read_reply
from learning.material import Verdict
from text.words import read_words

_RULES = Path(__file__).with_name("rules.txt").read_text(encoding="utf-8").strip()
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_VERDICTS = {verdict.value: verdict for verdict in (Verdict.RIGHT, Verdict.PARTLY, Verdict.WRONG)}


@dataclass(frozen=True)
class ShortQuestion:
    prompt: str
    reference: str
    language: str


@dataclass(frozen=True)
class ModelVerdict:
    """What a language model says of an answer: `cited` are numbers of passages that it was given."""

    verdict: Verdict
    missing: tuple[str, ...]
    cited: tuple[int, ...]


def ask_model(llm: LLM, asked: ShortQuestion, given: str, passages: Sequence[NumberedPassage]) -> ModelVerdict | None:
    """Return the verdict of a language model, None if it fails, is no verdict, or cites what does not exist."""
    try:
        reply = read_reply(llm, grading_prompt(asked, given, passages), 2000)
    except EngineError:
        return None
    return parse_verdict(reply, {passage.number for passage in passages})


def grading_prompt(asked: ShortQuestion, given: str, passages: Sequence[NumberedPassage]) -> Prompt:
    """Return the prompt: the rules, then sources, question and answers as delimited data."""
    sources = "\n\n".join(map(delimit_source, passages))
    data = {"question": asked.prompt, "model_answer": asked.reference, "pupils_answer": given}
    parts = "\n\n".join(f"<{name}>\n{sanitize(text)}\n</{name}>" for name, text in data.items())
    rules = _RULES.format(language=read_words(asked.language)["name"])
    return Prompt((ChatMessage("system", rules), ChatMessage("user", f"<sources>\n{sources}\n</sources>\n\n{parts}")))


def parse_verdict(reply: str, numbers: set[int]) -> ModelVerdict | None:
    """Return the verdict in a model's reply. None unless it is one of three and cites at least one of `numbers`, and
    no others."""
    match = _OBJECT.search(reply)
    try:
        found: Any = json.loads(match[0]) if match else None
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("verdict"), str):
        return None
    verdict, cited = _VERDICTS.get(found["verdict"].strip().lower()), found.get("citations")
    if verdict is None or not isinstance(cited, list) or not cited:
        return None
    if not all(isinstance(number, int) and number in numbers for number in cited):
        return None
    missing = found.get("missing")
    texts = [strip_markers(one).strip() for one in missing if isinstance(one, str)] if isinstance(missing, list) else []
    kept = tuple(text[:200] for text in texts if text)[:5]
    return ModelVerdict(verdict, () if verdict == Verdict.RIGHT else kept, tuple(sorted(set(cited))))
