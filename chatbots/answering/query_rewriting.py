"""What a question within a conversation is searched for (H8).

"And in year 10?" says nothing by itself. A language model rewrites such a question into one that stands alone. Without
one, or when it fails, the question it goes back to, and where the last answer stood, are searched for with it: if its
words lean on what came before, and the passages found so are more relevant than those for the question alone.
`python -m benchmarks.followups` measures the latter.
"""

from __future__ import annotations

import logging
import queue
import re
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from django.conf import settings

from chatbots.answering.prompts import rewrite_prompt
from chatbots.answering.retrieval import Retrieval
from engines.errors import EngineError
from engines.llm import LLM, Prompt

logger = logging.getLogger(__name__)

MOST = 300
"""Characters of a rewritten question, and of a question that is taken for a follow-up."""

_FEW = 8
"""Words of a question in which a pronoun points back; in a longer one it rather points to the question's own words. Of
SQuAD's questions 7 % have a sign in twelve words, 2 % in eight; no follow-up of the tuning half is lost by that."""

_BETWEEN = " / "
"""The embedder reads a middle dot or a dash as a word, which cost a tenth of the follow-ups."""


@dataclass(frozen=True)
class Exchange:
    """An earlier question that was answered or refused; `topic` is where the first passage that it cites stands."""

    question: str
    answer: str
    searched_for: str = ""
    topic: str = ""


@dataclass(frozen=True)
class Rewritten:
    """What was searched for instead of the question, empty if nothing was, and what was found."""

    searched_for: str
    retrieval: Retrieval


def rewrite_and_search(
    question: str,
    earlier: Sequence[Exchange],
    *,
    language: str,
    llm: LLM,
    search: Callable[[str], Retrieval],
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Rewritten:
    """Search for a question with the conversation in mind; `earlier` is oldest first. Raises what `search` raises.

    The first question of a conversation, and a very long one, are searched for as they stand. `waiting` is entered
    while the model is waited for.
    """
    if not earlier or len(question) > MOST:
        return Rewritten("", search(question))
    if not llm.generative:
        return _without_model(question, earlier, language, search)
    started = time.perf_counter()
    with waiting():
        rewritten = _rewritten(question, earlier, language, llm)
    spent = {"rewrite_ms": round((time.perf_counter() - started) * 1000, 2)}
    found = (
        _rewritten_or_alone(question, rewritten, search)
        if rewritten
        else _without_model(question, earlier, language, search)
    )
    return replace(found, retrieval=replace(found.retrieval, timings={**found.retrieval.timings, **spent}))


def continues(question: str, language: str) -> bool:
    """Whether a question begins with "and", "what about" and the like, in the language of the chatbot."""
    return bool(_signs_of(language).begins.match(question.strip(" ¿¡").lower()))


def is_bare(question: str, language: str) -> bool:
    """Whether a question consists of nothing but question words and the like: "Why?", "And until when?"."""
    return _own_words(question, language) == 0


def leans(question: str, language: str) -> bool:
    """Whether the words of a question point to something said before, in the language of the chatbot.

    It does when it continues, is bare, or is short and has a pronoun. Some that point back have none of these, and some
    that do not have one.
    """
    if continues(question, language) or is_bare(question, language):
        return True
    words, signs = _words(question), _signs_of(language)
    # Only of the first word the capital is no sign of a noun or of the polite German "Sie".
    text = " ".join([*(word.lower() for word in words[:1]), *words[1:]])
    return len(words) <= _FEW and bool(signs.points.search(signs.idioms.sub("", text)))


def to_quote_for(question: str, searched_for: str, language: str) -> str:
    """What sentences to quote are chosen for: the question as it was asked, unless it is bare.

    The words of the questions before it, which the search needs, would choose sentences that were quoted already.
    """
    return searched_for if searched_for and is_bare(question, language) else question


def combined(question: str, earlier: Sequence[Exchange]) -> str:
    """The question after the one that it goes back to and the one in between, before where the last answer stood.

    It goes back to the last question that was searched for as it stood, or as a model rewrote it. Without question
    marks, so that it is answered as one question.
    """
    last = earlier[-1]
    first, is_combined, _ = last.searched_for.partition(_BETWEEN)
    parts = [
        first or last.question,
        last.question if is_combined else "",
        question,
        last.topic,
    ]
    return _BETWEEN.join(dict.fromkeys(part for part in (_short(part) for part in parts) if part))


def _own_words(question: str, language: str) -> int:
    """How many words say something of their own, beside how the question continues, question words and the like."""
    signs = _signs_of(language)
    rest = signs.begins.sub("", question.strip(" ¿¡").lower(), count=1)
    return sum(word not in signs.bare for word in _words(rest))


def _short(text: str) -> str:
    return " ".join(text.split()).replace(_BETWEEN, "/")[:MOST].strip(" ?.!¿¡")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _signs_of(language: str) -> _Signs:
    return _SIGNS.get(language, _SIGNS["en"])


def _without_model(
    question: str, earlier: Sequence[Exchange], language: str, search: Callable[[str], Retrieval]
) -> Rewritten:
    """Search for the question alone, and combined if it leans; the one whose best passage is more relevant counts.

    One that continues with one or two words of its own, such as "And voltage?", counts combined even if something is
    more relevant to it alone. One that does not lean is never combined, also if nothing is found: of 145 questions
    beside all documents that were refused rightly, the question before it would have found something for 61.
    """
    alone = Rewritten("", search(question))
    if alone.retrieval.unavailable or not leans(question, language):
        return alone
    text = combined(question, earlier)
    try:
        together = Rewritten(text, _spent(search(text), alone.retrieval))
    except EngineError:
        return alone
    if together.retrieval.unavailable or not together.retrieval.placed:
        return alone
    better = _best(together.retrieval) > _best(alone.retrieval)
    return (
        together
        if better or (continues(question, language) and _own_words(question, language) <= 2)
        else alone
    )


def _rewritten_or_alone(question: str, rewritten: str, search: Callable[[str], Retrieval]) -> Rewritten:
    """Search for what the model wrote, and for the question as it stands if that finds nothing."""
    if _plain(rewritten) == _plain(question):
        return Rewritten("", search(question))
    found = Rewritten(rewritten, search(rewritten))
    if found.retrieval.placed or found.retrieval.unavailable:
        return found
    alone = search(question)
    return Rewritten("", _spent(alone, found.retrieval)) if alone.placed else found


def _best(retrieval: Retrieval) -> float:
    return max((placed.passage.relevance for placed in retrieval.placed), default=0.0)


def _spent(retrieval: Retrieval, before: Retrieval) -> Retrieval:
    """With the milliseconds of a search before it."""
    names = {**before.timings, **retrieval.timings}
    timings = {name: round(before.timings.get(name, 0) + retrieval.timings.get(name, 0), 2) for name in names}
    return replace(retrieval, timings=timings)


def _plain(text: str) -> str:
    return " ".join(_words(text.casefold()))


def _rewritten(question: str, earlier: Sequence[Exchange], language: str, llm: LLM) -> str:
    """The question as the model writes it so that it stands alone; empty if it did not, whatever the reason."""
    try:
        prompt = rewrite_prompt(
            question=question,
            history=[(exchange.question, exchange.answer) for exchange in earlier],
            language=language,
            room=settings.LECTERN_LLM_CONTEXT - settings.LECTERN_LLM_ANSWER,
        )
        written = _written(prompt, llm, settings.LECTERN_REWRITE_TIMEOUT)
    except Exception as problem:  # an answer never fails because of this
        logger.warning("The question was not rewritten: %s", type(problem).__name__)
        return ""
    return _cleaned(written)


def _written(prompt: Prompt, llm: LLM, seconds: float) -> str:
    """What the model writes, at most somewhat more than is allowed. Raises what it raises, queue.Empty if too slow.

    It writes in a thread of its own, since it may stay silent for longer than one is willing to wait. The thread stops
    with the next thing the model sends, a thought that is not shown included.
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
        while len(text) <= 2 * MOST:
            piece = pieces.get(timeout=max(until - time.monotonic(), 0.001))
            if isinstance(piece, Exception):
                raise piece
            if piece is None:
                break
            text += piece
    finally:
        enough.set()
    return text


def _cleaned(written: str) -> str:
    """One line without quotation marks around it; empty when it cannot be a question, such as a cited answer."""
    text = _LABEL.sub("", written.replace("\x00", "").strip()).strip(" \t`*")
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1].strip()
    text = text.replace(_BETWEEN, "/")
    if len(text) > MOST or len(text.splitlines()) != 1 or not _plain(text) or _ABSURD.search(text):
        return ""
    return text


_LABEL = re.compile(r"^(?:\w+ ){0,2}(?:question|frage|pregunta) ?:", re.IGNORECASE)
_QUOTED = re.compile('["\'“„«‘]([^"“”„«»]+)["\'“”»’]')
_ABSURD = re.compile(r"\[\d+\]|</?\w+>")


@dataclass(frozen=True)
class _Signs:
    """Of a language: how a question continues, pronouns, phrases where they point to nothing, and bare words."""

    begins: re.Pattern[str]
    points: re.Pattern[str]
    idioms: re.Pattern[str]
    bare: frozenset[str]


def _signs(begins: str, points: str, idioms: str, bare: str) -> _Signs:
    return _Signs(
        re.compile(rf"(?:{begins})\b"),
        re.compile(rf"\b(?:{points})\b"),
        re.compile(rf"\b(?:{idioms})\b"),
        frozenset(bare.split()),
    )


_SIGNS = {
    "en": _signs(
        begins="and|but|so|or|then|also|what about|how about|what if|what else|who else|where else|why not",
        points="it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|ones?|otherwise|instead",
        idioms=r"(?:does|did|will) it (?:rain|snow|freeze)|is it (?:cold|hot|warm|raining)|is it that|it is that|one of"
        r"|no one|(?:which|what|who|the \w+) that|(?:this|that) (?:school|year)",
        bare="why how when where who what which whose until since by from much many long often far old exactly so is"
        " was are were do does did not more there else really only please and for to",
    ),
    "de": _signs(
        begins="und|aber|oder|dann|also|was ist mit|wie ist es|wie sieht es|was wenn|was sonst|wer sonst",
        points="er|sie|es|ihn|ihm|ihr|ihnen|ihre[nmrs]?|sein|seine[nmrs]?|dies|diese[nmrs]?|das(?= [a-zäöü]|$)|davon"
        "|dafür|dagegen|damit|dazu|darin|daran|darauf|daraus|darüber|dabei|danach|dadurch|deshalb|dort|solche|sonst",
        idioms="gibt es|es gibt|dies(?:e[rs]?|em|en) (?:Schule|Jahr)",
        bare="warum wieso weshalb wie wann wo wer wen wem was welche welcher welches bis seit ab viel viele lange oft"
        " weit alt genau so ist sind war nicht mehr denn noch wirklich nur bitte und für zu wozu woher wohin",
    ),
    "fr": _signs(
        begins="et|mais|ou|alors|donc|puis|sinon|qu['’]en est-il|que dire|quoi d['’]autre|qui d['’]autre|pourquoi pas",
        points="il|ils|elle|elles|cela|ça|ceci|celui|celle|ceux|celles|lui|leurs?|eux|cette|ces",
        idioms="y a t il|il y a|heure est il|(?:pleut|neige|fait|faut|agit) il|cette (?:école|année)|est il vrai",
        bare="pourquoi comment quand où qui que quoi quel quelle quels quelles combien jusqu depuis à de est ce"
        " sont longtemps exactement pas plus encore vraiment seulement et pour",
    ),
    "es": _signs(
        begins="y|e|pero|o|entonces|pues|también|qué hay de|qué pasa con|qué más|quién más|por qué no",
        points="él|ella|ellos|ellas|esto|eso|aquello|ese|esa|esos|esas|ello|ahí|allí|sus?",
        idioms="lo que|esa (?:escuela|clase)",
        bare="por qué cómo cuándo dónde quién quiénes cuál cuáles cuánto cuánta cuántos cuántas hasta desde de a"
        " es son tiempo exactamente no más realmente solo y para",
    ),
}
