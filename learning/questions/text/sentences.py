"""The sentences of a concept's passages that can stand alone: what a question may be made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chatbots.passages import NumberedPassage
from chatbots.quoting.candidates import QuoteCandidate, find_candidates, follows
from learning.material import WORDS
from learning.questions.text.patterns import get_patterns
from text.languages import DETECTABLE, detect_configuration, get_configuration
from text.words import join_patterns

MIN_WORDS, MAX_WORDS = 6, 40
"""Words of a sentence that a question may be made of. A longer one says more than one thing."""

_EXERCISES = re.compile(join_patterns("sections", "no_source", WORDS), re.IGNORECASE)
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|`")
_LINK = re.compile(r"!?\[([^\]\n]{1,300})\]\([^)\n]{1,400}\)")
_MARK = re.compile(r"\[(?:[\d,;\s–-]{1,12}|[A-Z]{2}|citation needed)\]")
_BROKEN = re.compile(
    r"[$\\;]|\s[,:.](?!\d)|\(\s*\)|\(\s*[,;]|,\s*,|\b(?:in|and|of|by|as|the|a|is|are|to|from|with|und|in|der|et|de|y)\s*[,.;)]"
    r"|[\u2190-\u22ff\u00af]|=|\|[^|]*\||https?:|www\.|[\ufffd□]|\w[.?!][A-ZÄÖÜÉ]|\b\w+-\s[a-z]|\s['’]\s|__|\.\.\.|…"
    r"|(?<!\be\.g)(?<!\bi\.e)(?<!\bz\.B)(?<!\b[a-z]\.[a-z])(?<!\betc)(?<!\bvs)(?<!\bca)(?<!\bcf)(?<!\bbzw)(?<!\busw)(?<!\bsog)(?<!\b[A-Z])\.\s[a-zäöüß]"
    r"|,\s?[A-Za-z]\w{0,4}(?:\(\w+\))?,\s?(?:is|are|r)\b|[a-z]\.[A-Z]|[a-z],[a-z]"
    r"|\b[A-Z] \d\b|[×·]\s?10[–−-]?\d|(?:^|\s)[A-Z](?:\s[A-Z]){2}|[\u00ad]"
)
_STARTS = re.compile(r"[\"'“„«(]?[A-ZÄÖÜÀÂÇÉÈÊËÎÏÔÛÙŸÑÁÍÓÚ]")
_ENDS = re.compile(r"[.。]$")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


@dataclass(frozen=True)
class PassageStatement:
    """A sentence of a passage in plain text, with clean sentences right `before` and `after` it in its paragraph.

    `listed` says that it is an item of a list, `written` is the sentence with its Markdown.
    """

    text: str
    number: int
    written: str
    before: str = ""
    after: str = ""
    listed: bool = False


def read_statements(passages: Sequence[NumberedPassage], language: str) -> list[PassageStatement]:
    """Every sentence of the passages that states something and can be understood alone, in order, each once."""
    return [one for one in _with_neighbours(passages, language) if not find_fault(one.text, language)]


def plain(text: str) -> str:
    """A sentence without Markdown, footnote marks and line breaks."""
    return " ".join(_MARK.sub("", _EMPHASIS.sub("", _LINK.sub(r"\1", text))).split())


def find_fault(sentence: str, language: str) -> str:
    """Why a sentence cannot stand alone, in a word or two; "" if it can."""
    patterns = get_patterns(language)
    if not MIN_WORDS <= len(sentence.split()) <= MAX_WORDS:
        return "length"
    if is_broken(sentence):
        return "broken"
    if patterns.leans.match(sentence):
        return "goes on from another sentence"
    if patterns.points.search(sentence):
        return "points elsewhere"
    if not patterns.verb.search(sentence):
        return "no verb"
    return ""


def is_broken(sentence: str) -> bool:
    """Say whether a sentence is no whole sentence, or an extraction has left holes in it."""
    if not _STARTS.match(sentence) or not _ENDS.search(sentence) or _BROKEN.search(sentence):
        return True
    return any(sentence.count(opening) != sentence.count(closing) for opening, closing in _PAIRS)


def _with_neighbours(passages: Sequence[NumberedPassage], language: str) -> Iterator[PassageStatement]:
    found = list(_statements(passages, language))
    for index, (candidate, statement) in enumerate(found):
        before, after = found[index - 1 : index][:1], found[index + 1 : index + 2]
        yield replace(
            statement,
            before=_neighbour(before[0][1], language, before=True)
            if before and follows(before[0][0], candidate)
            else "",
            after=_neighbour(after[0][1], language, before=False) if after and follows(candidate, after[0][0]) else "",
        )


def _neighbour(statement: PassageStatement, language: str, *, before: bool) -> str:
    """The text of a neighbour that can be shown; one before the sentence must not lean on what is before it."""
    text = statement.text
    if is_broken(text) or len(text.split()) > MAX_WORDS or _ASIDE.search(text):
        return ""
    return "" if before and (find_fault(text, language) not in ("", "length")) else text


_ASIDE = re.compile(rf"\b(?:{join_patterns('sentences', 'aside', WORDS)})\b", re.IGNORECASE)


def _statements(
    passages: Sequence[NumberedPassage], language: str
) -> Iterator[tuple[QuoteCandidate, PassageStatement]]:
    read = tuple(
        one for one in passages if not any(map(_EXERCISES.search, one.heading_path)) and _is_in(one.text, language)
    )
    offered = False
    seen: set[str] = set()
    for candidate in find_candidates(read, language):
        is_item = candidate.sentence.kind == "item"
        offered = is_item and (offered or candidate.before.rstrip("*_ ").endswith("?"))
        text = plain(candidate.text)
        if offered or candidate.sentence.kind not in ("prose", "item") or text in seen or _is_set_apart(candidate):
            continue
        seen.add(text)
        yield candidate, PassageStatement(text, candidate.passage.number, candidate.text, listed=is_item)


def _is_in(text: str, language: str) -> bool:
    """Say whether a passage is in the language of the questions."""
    return len(text) < DETECTABLE or detect_configuration(text) == get_configuration(language)


def _is_set_apart(candidate: QuoteCandidate) -> bool:
    """Say whether a sentence stands in a quotation or a box, or below a heading of exercises within its passage."""
    text, start = candidate.passage.text, candidate.sentence.start
    if text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(">"):
        return True
    headings = re.findall(r"^#{1,6} (.*)$", text[:start], re.MULTILINE)
    return bool(headings) and bool(_EXERCISES.search(headings[-1]))
