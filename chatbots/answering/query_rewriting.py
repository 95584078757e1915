"""Rewrite a follow-up question for the search (H8).

"And in year 10?" cannot be searched for alone. A language model rewrites such a question into a standalone one.
Without a model, or when it fails, the question is combined with the one before it and the topic of the last answer.
The combination counts if the question is context-dependent and its passages are more relevant than those found
for the question alone. `python -m benchmarks.followups` measures this fallback.
"""

from __future__ import annotations

import logging
import queue
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from django.conf import settings

from chatbots.answering.prompts import rewrite_prompt
from chatbots.answering.retrieval import Retrieval, with_earlier_timings
from engines.errors import EngineError
from engines.llm import LLM, Prompt

logger = logging.getLogger(__name__)

MAX_QUERY_LENGTH = 300
"""Most characters of a rewritten question, and of a question that can be a follow-up."""

_MAX_WORDS = 8
"""Most words of a question in which a pronoun refers to the conversation; in a longer one it refers to the question.
With twelve words 7 % of SQuAD's questions have a sign, with eight 2 %, and no follow-up of the tuning half is lost."""

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
class Rewritten:
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


def rewrite(question: str, earlier: Sequence[Exchange], *, language: str, llm: LLM) -> Rewriting:
    """Let a language model rewrite a question as it was asked, oldest exchange first. It never fails."""
    started = time.perf_counter()
    written = _ask_for_rewrite(question, earlier, language, llm)
    return Rewriting(written, {"rewrite_ms": round((time.perf_counter() - started) * 1000, 2)})


def search_in_context(
    question: str,
    earlier: Sequence[Exchange],
    *,
    language: str,
    search: Search,
    spelled: str = "",
    rewriting: Rewriting | None = None,
) -> Rewritten:
    """Search for a question in the context of the conversation, oldest exchange first. Raises what `search` raises.

    The first question of a conversation, and a very long one, are searched for as they are. `spelled` is the question
    with its spelling corrected, if given.
    """
    spelled = spelled or question
    if not earlier or len(question) > MAX_QUERY_LENGTH:
        return Rewritten("", search(spelled))
    if rewriting is None:
        return _without_model(spelled, earlier, language, search)
    found = (
        _rewritten_or_alone(question, spelled, rewriting.text, search)
        if rewriting.text
        else _without_model(spelled, earlier, language, search)
    )
    return replace(found, retrieval=replace(found.retrieval, timings={**found.retrieval.timings, **rewriting.timings}))


def is_continuation(question: str, language: str) -> bool:
    """Whether a question begins with "and", "what about" and the like, in the chatbot's language."""
    return bool(_signs_of(language).openings.match(question.strip(" ¿¡").lower()))


def has_only_question_words(question: str, language: str) -> bool:
    """Whether a question consists of nothing but question words and the like: "Why?", "And until when?"."""
    return _own_words(question, language) == 0


def is_context_dependent(question: str, language: str) -> bool:
    """Whether a question refers to something said before, judged by its words in the chatbot's language.

    True if it is a continuation, has only question words, or is short and has a pronoun. This is a heuristic and errs
    both ways.
    """
    if is_continuation(question, language) or has_only_question_words(question, language):
        return True
    words, signs = _words(question), _signs_of(language)
    # Only the first word is lowered: in others a capital marks a noun or the polite German "Sie".
    text = " ".join([*(word.lower() for word in words[:1]), *words[1:]])
    return len(words) <= _MAX_WORDS and bool(signs.pronouns.search(signs.idioms.sub("", text)))


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


def _own_words(question: str, language: str) -> int:
    """The number of words besides its opening such as "and", question words and the like."""
    signs = _signs_of(language)
    rest = signs.openings.sub("", question.strip(" ¿¡").lower(), count=1)
    return sum(word not in signs.bare for word in _words(rest))


def _fragment(text: str) -> str:
    return " ".join(text.split()).replace(SEPARATOR, "/")[:MAX_QUERY_LENGTH].strip(" ?.!¿¡")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _signs_of(language: str) -> _FollowUpSigns:
    return _SIGNS.get(language, _SIGNS["en"])


def _without_model(question: str, earlier: Sequence[Exchange], language: str, search: Search) -> Rewritten:
    """Search for the question alone and, if it is context-dependent, combined; the more relevant best passage wins.

    A continuation with one or two own words, such as "And voltage?", is combined regardless. A question that is not
    context-dependent is never combined, even if nothing is found: of 145 off-topic questions that were rightly refused,
    combining would have found something for 61. Both are compared as the search alone has them: a reader reads a
    question, but not two that are joined.
    """
    alone = Rewritten("", search(question))
    if alone.retrieval.unavailable or not is_context_dependent(question, language):
        return alone
    text = combine_with_history(question, earlier)
    try:
        unread, combined = search(question, reads=False), search(text, reads=False)
        better = combined.best_relevance > unread.best_relevance
        if not better and not (is_continuation(question, language) and _own_words(question, language) <= 2):
            return alone
        together = Rewritten(text, with_earlier_timings(search(text), alone.retrieval))
    except EngineError:
        return alone
    return alone if together.retrieval.unavailable or not together.retrieval.placed else together


def _rewritten_or_alone(question: str, spelled: str, rewritten: str, search: Search) -> Rewritten:
    """Search for what the model wrote, or for the original question if that finds nothing."""
    if _normalise(rewritten) in (_normalise(question), _normalise(spelled)):
        return Rewritten("", search(spelled))
    found = Rewritten(rewritten, search(rewritten))
    if found.retrieval.placed or found.retrieval.unavailable:
        return found
    alone = search(spelled)
    return Rewritten("", with_earlier_timings(alone, found.retrieval)) if alone.placed else found


def _normalise(text: str) -> str:
    return " ".join(_words(text.casefold()))


def _ask_for_rewrite(question: str, earlier: Sequence[Exchange], language: str, llm: LLM) -> str:
    """The standalone question as the model writes it; empty if that failed for any reason."""
    try:
        prompt = rewrite_prompt(
            question=question,
            history=[(exchange.question, exchange.answer) for exchange in earlier],
            room=settings.LECTERN_LLM_CONTEXT - settings.LECTERN_LLM_ANSWER,
        )
        written = _read_model(prompt, llm, settings.LECTERN_REWRITE_TIMEOUT)
    except Exception as problem:  # an answer never fails because of the rewriting
        logger.warning("The question was not rewritten: %s", type(problem).__name__)
        return ""
    return _clean(written)


def _read_model(prompt: Prompt, llm: LLM, seconds: float) -> str:
    """What the model writes, cut soon after the allowed length. Raises what the model raises, queue.Empty on timeout.

    A thread of its own reads the model, which may be silent beyond the timeout. The thread stops at the next piece
    that the model sends, also a hidden thought.
    """
    pieces: queue.SimpleQueue[str | Exception | None] = queue.SimpleQueue()
    enough = threading.Event()

    def write() -> None:
        try:
            for piece in llm.stream(prompt):
                pieces.put(piece)
                if enough.is_set():
                    return
            pieces.put(None)
        except Exception as problem:
            pieces.put(problem)

    threading.Thread(target=write, name="rewrite", daemon=True).start()
    until, text = time.monotonic() + seconds, ""
    try:
        while len(text) <= 2 * MAX_QUERY_LENGTH:
            piece = pieces.get(timeout=max(until - time.monotonic(), 0.001))
            if isinstance(piece, Exception):
                raise piece
            if piece is None:
                break
            text += piece
    finally:
        enough.set()
    return text


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


@dataclass(frozen=True)
class _FollowUpSigns:
    """Of one language: openings of continuations, pronouns, idioms in which pronouns refer to nothing, and words
    that say nothing by themselves."""

    openings: re.Pattern[str]
    pronouns: re.Pattern[str]
    idioms: re.Pattern[str]
    bare: frozenset[str]


def _compile_signs(openings: str, pronouns: str, idioms: str, bare: str) -> _FollowUpSigns:
    return _FollowUpSigns(
        re.compile(rf"(?:{openings})\b"),
        re.compile(rf"\b(?:{pronouns})\b"),
        re.compile(rf"\b(?:{idioms})\b"),
        frozenset(bare.split()),
    )


_SIGNS = {
    "en": _compile_signs(
        openings="and|but|so|or|then|also|what about|how about|what if|what else|who else|where else|why not",
        pronouns="it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|ones?|otherwise|instead",
        idioms=r"(?:does|did|will) it (?:rain|snow|freeze)|is it (?:cold|hot|warm|raining)|is it that|it is that|one of"
        r"|no one|(?:which|what|who|the \w+) that|(?:this|that) (?:school|year)",
        bare="why how when where who what which whose until since by from much many long often far old exactly so is"
        " was are were do does did not more there else really only please and for to",
    ),
    "de": _compile_signs(
        openings="und|aber|oder|dann|also|was ist mit|wie ist es|wie sieht es|was wenn|was sonst|wer sonst",
        pronouns="er|sie|es|ihn|ihm|ihr|ihnen|ihre[nmrs]?|sein|seine[nmrs]?|dies|diese[nmrs]?|das(?= [a-zäöü]|$)|davon"
        "|dafür|dagegen|damit|dazu|darin|daran|darauf|daraus|darüber|dabei|danach|dadurch|deshalb|dort|solche|sonst",
        idioms="gibt es|es gibt|dies(?:e[rs]?|em|en) (?:Schule|Jahr)",
        bare="warum wieso weshalb wie wann wo wer wen wem was welche welcher welches bis seit ab viel viele lange oft"
        " weit alt genau so ist sind war nicht mehr denn noch wirklich nur bitte und für zu wozu woher wohin",
    ),
    "fr": _compile_signs(
        openings="et|mais|ou|alors|donc|puis|sinon|qu['’]en est-il|que dire|quoi d['’]autre|qui d['’]autre"
        "|pourquoi pas",
        pronouns="il|ils|elle|elles|cela|ça|ceci|celui|celle|ceux|celles|lui|leurs?|eux|cette|ces",
        idioms="y a t il|il y a|heure est il|(?:pleut|neige|fait|faut|agit) il|cette (?:école|année)|est il vrai",
        bare="pourquoi comment quand où qui que quoi quel quelle quels quelles combien jusqu depuis à de est ce"
        " sont longtemps exactement pas plus encore vraiment seulement et pour",
    ),
    "es": _compile_signs(
        openings="y|e|pero|o|entonces|pues|también|qué hay de|qué pasa con|qué más|quién más|por qué no",
        pronouns="él|ella|ellos|ellas|esto|eso|aquello|ese|esa|esos|esas|ello|ahí|allí|sus?",
        idioms="lo que|esa (?:escuela|clase)",
        bare="por qué cómo cuándo dónde quién quiénes cuál cuáles cuánto cuánta cuántos cuántas hasta desde de a"
        " es son tiempo exactamente no más realmente solo y para",
    ),
}
