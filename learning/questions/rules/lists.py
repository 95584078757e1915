"""Questions about several things at once: steps in order, and terms with their meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from chatbots.passages import NumberedPassage
from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import cite_all
from learning.questions.rules.choice import TRIES, capitalise, shuffle
from learning.questions.rules.distractors import MAX_OVERLAP
from learning.questions.text.definitions import DefiningSentence
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import plain
from learning.questions.text.sources import ConceptSources
from learning.questions.text.terms import are_alike, get_term_stems, overlap
from learning.questions.text.wording import get_wording
from text.sentences import split_sentences

MIN_STEPS, MAX_STEPS = 3, 7
MIN_PAIRS, MAX_PAIRS = 3, 5

_NUMBERED = re.compile(r"^[ \t]*(?P<number>\d{1,2})[.)][ \t]+(?P<step>\S.*)$", re.MULTILINE)
_MAX_STEP_WORDS = 30  # words


@dataclass(frozen=True)
class Steps:
    """Steps of a passage in their order, with the words that say what they are steps of."""

    title: str
    steps: tuple[str, ...]
    number: int


def orders(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """Numbered lists of steps, and sentences that begin with "first", "then" and "finally"."""
    wording = get_wording(sources.language)
    for passage in sources.concept.passages:
        for found in (*_listed(passage, sources.language), *_told(passage, sources.language)):
            if not sources.are_named_in(f"{found.title}. {' '.join(passage.heading_path)}. {' '.join(found.steps)}"):
                continue
            options = found.steps
            while options == found.steps:
                options = shuffle(found.steps, rng)
            yield DraftQuestion(
                kind=QuestionKind.ORDER,
                prompt=wording.order_of.format(found.title) if found.title else wording.order,
                answer={"order": [options.index(step) for step in found.steps]},
                explanation=" ".join(f"{_ended(step)} [{found.number}]" for step in found.steps),
                sources=(found.number,),
                options=options,
            )


def matches(sources: ConceptSources, rng: Random) -> Iterator[DraftQuestion]:
    """Three to five terms that the passages define, with their meanings in another order."""
    for _ in range(TRIES):
        others = shuffle(sources.terms_defined, rng)
        chosen = _apart([*sources.definitions[:1], *others], sources.language)[:MAX_PAIRS]
        if len(chosen) < MIN_PAIRS or not sources.definitions:
            return
        options = [capitalise(one.written) for one in chosen]
        targets = shuffle([capitalise(one.meaning) for one in chosen], rng)
        yield DraftQuestion(
            kind=QuestionKind.MATCH,
            prompt=get_wording(sources.language).match,
            answer={"pairs": [targets.index(capitalise(one.meaning)) for one in chosen]},
            explanation=cite_all(one.statement for one in chosen),
            sources=tuple(sorted({one.statement.number for one in chosen})),
            options=tuple(options),
            targets=targets,
        )


def _apart(definitions: Sequence[DefiningSentence], language: str) -> list[DefiningSentence]:
    """Those whose terms and meanings cannot be mistaken for each other."""
    kept: list[DefiningSentence] = []
    for one in definitions:
        if not any(
            are_alike(one.term, other.term, language)
            or overlap(get_term_stems(one.meaning, language), get_term_stems(other.meaning, language)) > MAX_OVERLAP
            or get_term_stems(one.term, language) <= get_term_stems(other.meaning, language)
            or get_term_stems(other.term, language) <= get_term_stems(one.meaning, language)
            for other in kept
        ):
            kept.append(one)
    return kept


def _listed(passage: NumberedPassage, language: str) -> Iterator[Steps]:
    """Numbered lists that begin with 1 and that their heading or the line before calls steps."""
    patterns = get_patterns(language)
    run: list[re.Match[str]] = []
    for match in [*_NUMBERED.finditer(passage.text), None]:
        between = passage.text[run[-1].end() : match.start()].strip() if match and run else ""
        if match and run and int(match["number"]) == len(run) + 1 and not between:
            run.append(match)
            continue
        if run and int(run[0]["number"]) == 1:
            title = _line_above(passage.text[: run[0].start()], language)
            heading = passage.heading_path[-1] if passage.heading_path else ""
            if patterns.steps.search(f"{title} {heading}"):
                yield from _steps(title or heading, [one["step"] for one in run], passage.number, language)
        run = [match] if match else []


def _line_above(text: str, language: str) -> str:
    """The sentence before a list if it ends with a colon, without it."""
    above = text.rstrip().rpartition("\n")[2]
    sentences = split_sentences(above, language)
    last = plain(above[sentences[-1].start :]) if sentences else ""
    return last.rstrip(":") if last.endswith(":") else ""


def _told(passage: NumberedPassage, language: str) -> Iterator[Steps]:
    """Sentences of one paragraph that begin with words such as "first", "then" and "finally"."""
    patterns = get_patterns(language)
    title = passage.heading_path[-1] if passage.heading_path else ""
    run: list[str] = []
    block = -1
    for sentence in split_sentences(passage.text, language):
        words = plain(passage.text[sentence.start : sentence.end])
        found = patterns.step_words.match(words)
        if found and run and sentence.block == block:
            run.append(words[found.end() :].strip(" ,:"))
            continue
        yield from _steps(title, run, passage.number, language)
        run, block = ([words[found.end() :].strip(" ,:")] if found else []), sentence.block
    yield from _steps(title, run, passage.number, language)


def _steps(title: str, steps: Sequence[str], number: int, language: str) -> Iterator[Steps]:
    """The steps if there are enough of them, and none gives away where it stands."""
    patterns = get_patterns(language)
    shown = tuple(capitalise(plain(step)) for step in steps)
    fitting = all(3 <= len(step.split()) <= _MAX_STEP_WORDS and not patterns.leans.match(step) for step in shown)
    if MIN_STEPS <= len(shown) <= MAX_STEPS and len(set(shown)) == len(shown) and fitting:
        yield Steps(title, shown, number)


def _ended(step: str) -> str:
    return step if step.endswith((".", "!", "?")) else f"{step}."
