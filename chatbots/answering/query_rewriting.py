"""Rewrite a follow-up question for the search (H8).

"And in year 10?" cannot be searched for alone. A language model rewrites such a question into a standalone one.
Without a model, or when it fails, a question that may refer to what was said is also searched for together with the
question before it and the topic of the last answer; the more relevant result counts. `python -m benchmarks.followups`
measures this.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol

from django.conf import settings

from chatbots.answering.execution import read_in_loop
from chatbots.answering.prompts import rewrite_prompt
from chatbots.answering.retrieval import Retrieval, add_earlier_timings
from engines.llm import LLM, Prompt
from text.function_words import function_words
from text.question_types import expected_answer

logger = logging.getLogger(__name__)

MAX_QUERY_LENGTH = 300
"""Most characters of a rewritten question, and of a question that can be a follow-up."""

_MAX_WORDS = 8
"""Most words of a question in which a pronoun refers to the conversation; in a longer one it refers to the question."""

_MAX_BARE_WORDS = 4
"""Most words of a question such as "And for year 9?", which is combined with the one before in any case."""

SEPARATOR = " / "
"""Not a middle dot or a dash: the embedder reads them as words, which cost a tenth of the follow-ups."""


@dataclass(frozen=True)
class Exchange:
    """An earlier question with its answer; `topic` is the location of the first passage that the answer cites."""

    question: str
    answer: str
    searched_for: str = ""
    topic: str = ""


@dataclass(frozen=True)
class RewrittenQuery:
    """What was searched for instead of the question, or an empty string, and what was found."""

    searched_for: str
    retrieval: Retrieval


class Search(Protocol):
    """Searches the sources of a chatbot; `reads` says whether the passages may be read."""

    def __call__(self, text: str, *, reads: bool = True) -> Retrieval: ...


@dataclass(frozen=True)
class Rewriting:
    """What a language model made of a question; empty if it failed."""

    text: str
    timings: Mapping[str, float]


def is_rewritten_by_model(question: str, earlier: Sequence[Exchange], llm: LLM) -> bool:
    """Whether a language model rewrites it: not the first question of a conversation, nor a very long one."""
    return llm.generative and bool(earlier) and len(question) <= MAX_QUERY_LENGTH


async def rewrite(question: str, earlier: Sequence[Exchange], *, llm: LLM) -> Rewriting:
    """Let a language model rewrite a question as it was asked, oldest exchange first. It never fails."""
    started = time.perf_counter()
    written = await _ask_for_rewrite(question, earlier, llm)
    return Rewriting(written, {"rewrite_ms": round((time.perf_counter() - started) * 1000, 2)})


def search_in_context(
    question: str,
    earlier: Sequence[Exchange],
    *,
    language: str,
    search: Search,
    spelled: str = "",
    rewriting: Rewriting | None = None,
) -> RewrittenQuery:
    """Search for a question in the context of the conversation, oldest exchange first. Raises what `search` raises.

    The first question of a conversation, and a very long one, are searched for as they are. `spelled` is the question
    with its spelling corrected, if given.
    """
    spelled = spelled or question
    if not earlier or len(question) > MAX_QUERY_LENGTH:
        return RewrittenQuery("", search(spelled))
    if rewriting is None:
        return _without_model(spelled, earlier, language, search)
    found = (
        _rewritten_or_alone(question, spelled, rewriting.text, search)
        if rewriting.text
        else _without_model(spelled, earlier, language, search)
    )
    return replace(found, retrieval=replace(found.retrieval, timings={**found.retrieval.timings, **rewriting.timings}))


def has_only_question_words(question: str, language: str) -> bool:
    """Whether a question consists of nothing but question words and the like: "Why?", "And until when?"."""
    cue = _words(expected_answer(question).cue.lower())
    return not set(_words(question.lower())).difference(function_words(language), _EMPTY, cue)


def is_context_dependent(question: str, language: str) -> bool:
    """Whether a question may refer to something said before, judged by its words in the chatbot's language.

    True if it begins with "and", "what about" and the like, has only question words, or is short and has a pronoun.
    This is a heuristic and errs both ways.
    """
    if _OPENING.match(question) or has_only_question_words(question, language):
        return True
    words = _words(question)
    # Only the first word is lowered: in others a capital marks a noun or the polite German "Sie".
    own = {*(word.lower() for word in words[:1]), *words[1:]}
    return len(words) <= _MAX_WORDS and not own.isdisjoint(_PRONOUNS.get(language, _PRONOUNS["en"]))


def choose_quote_query(question: str, searched_for: str, language: str) -> str:
    """The query by which the extractive answerer selects sentences: the question, unless it has only question words.

    The words of earlier questions, which the search needs, would select sentences that were quoted already.
    """
    return searched_for if searched_for and has_only_question_words(question, language) else question


def combine_with_history(question: str, earlier: Sequence[Exchange]) -> str:
    """Join the question it refers to, the question before, the question itself and the topic of the last answer.

    It refers to the last question that was searched for alone or as a model rewrote it. Question marks are removed, so
    that the result reads as one question.
    """
    last = earlier[-1]
    first, is_combined, _ = last.searched_for.partition(SEPARATOR)
    parts = [
        first or last.question,
        last.question if is_combined else "",
        question,
        last.topic,
    ]
    return SEPARATOR.join(dict.fromkeys(part for part in (_fragment(part) for part in parts) if part))


def _fragment(text: str) -> str:
    return " ".join(text.split()).replace(SEPARATOR, "/")[:MAX_QUERY_LENGTH].strip(" ?.!¿¡")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _without_model(question: str, earlier: Sequence[Exchange], language: str, search: Search) -> RewrittenQuery:
    """Search for the question alone or, if it is context-dependent, combined; the more relevant best passage wins.

    A question that is not context-dependent is never combined, even if nothing is found: of 145 off-topic questions
    that were rightly refused, combining would have found something for 61. One like "And voltage?" is combined
    regardless. Both are compared as the search alone has them: a reader reads a question, but not two that are joined.
    """
    if not is_context_dependent(question, language):
        return RewrittenQuery("", search(question))
    text = combine_with_history(question, earlier)
    alone, combined = search(question, reads=False), search(text, reads=False)
    is_bare = bool(_OPENING.match(question)) and len(_words(question)) <= _MAX_BARE_WORDS
    is_better = is_bare or combined.best_relevance > alone.best_relevance
    if is_better and not (alone.unavailable or combined.unavailable):
        together = search(text)
        if together.placed and not together.unavailable:
            return RewrittenQuery(text, add_earlier_timings(together, alone))
    return RewrittenQuery("", add_earlier_timings(search(question), alone))


def _rewritten_or_alone(question: str, spelled: str, rewritten: str, search: Search) -> RewrittenQuery:
    """Search for what the model wrote, or for the original question if that finds nothing."""
    if _normalise(rewritten) in (_normalise(question), _normalise(spelled)):
        return RewrittenQuery("", search(spelled))
    found = RewrittenQuery(rewritten, search(rewritten))
    if found.retrieval.placed or found.retrieval.unavailable:
        return found
    alone = search(spelled)
    return RewrittenQuery("", add_earlier_timings(alone, found.retrieval)) if alone.placed else found


def _normalise(text: str) -> str:
    return " ".join(_words(text.casefold()))


async def _ask_for_rewrite(question: str, earlier: Sequence[Exchange], llm: LLM) -> str:
    """The standalone question as the model writes it; empty if that failed for any reason."""
    try:
        prompt = rewrite_prompt(
            question=question,
            history=[(exchange.question, exchange.answer) for exchange in earlier],
            room=settings.LECTERN_LLM_CONTEXT - settings.LECTERN_LLM_ANSWER,
        )
        async with asyncio.timeout(settings.LECTERN_REWRITE_TIMEOUT):
            written = await _read_model(prompt, llm)
    except Exception as problem:  # an answer never fails because of the rewriting
        logger.warning("The question was not rewritten: %s", type(problem).__name__)
        return ""
    return _clean(written)


async def _read_model(prompt: Prompt, llm: LLM) -> str:
    """What the model writes, cut soon after the allowed length. Raises what the model raises."""
    written = ""
    async with aclosing(read_in_loop(llm, prompt)) as pieces:
        async for piece in pieces:
            written += piece
            if len(written) > 2 * MAX_QUERY_LENGTH:
                break
    return written


def _clean(written: str) -> str:
    """The rewritten question without label and quotation marks; empty if it cannot be one, such as a cited answer."""
    text = _LABEL.sub("", written.replace("\x00", "").strip()).strip(" \t`*")
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1].strip()
    text = text.replace(SEPARATOR, "/")
    is_line = len(text) <= MAX_QUERY_LENGTH and len(text.splitlines()) == 1
    return text if is_line and _normalise(text) and not _NO_QUESTION.search(text) else ""


_LABEL = re.compile(r"^(?:\w+ ){0,2}(?:question|frage|pregunta) ?:", re.IGNORECASE)
_QUOTED = re.compile('["\'“„«‘]([^"“”„«»]+)["\'“”»’]')
_NO_QUESTION = re.compile(r"\[\d+\]|</?\w+>")


_OPENING = re.compile(
    r"[\s¿¡]*(?:and|but|so|or|then|also|(?:what|how) about|what if|und|aber|oder|dann|was ist mit|was wenn|wie sieht es"
    r"|et|mais|ou|alors|donc|puis|que dire|y|e|pero|o|entonces|pues|también|qué hay de|qué pasa con)\b",
    re.IGNORECASE,
)
_PRONOUNS = {
    code: frozenset(words.split())
    for code, words in {
        "en": "it its they them their theirs he him his she her hers this that these those one ones otherwise instead",
        "de": "er sie es ihn ihm ihr ihnen ihre ihren ihrem ihrer sein seine seinen dies diese dieser das davon dafür"
        " dagegen damit dazu darin daran darauf darüber dabei danach dadurch deshalb dort solche sonst",
        "fr": "il ils elle elles cela ça ceci celui celle ceux celles lui leur leurs eux",
        "es": "él ella ellos ellas esto eso aquello ese esa esos esas ello ahí allí su sus",
    }.items()
}
_EMPTY = frozenset(
    word
    for words in (
        "else exactly really more please again still tell explain don understand get right correct quiz go on",
        "warum wieso weshalb denn genau noch bitte nochmal mal erkläre erklär verstehe richtig stimmt mehr weiter",
        "comment exactement encore plus explique comprends juste continue",
        "cómo cuál más explica entiendo correcto cierto sigue otra vez",
    )
    for word in words.split()
)
"""Words of questions that say nothing by themselves, beside function words."""
