"""Questions about what a concept means: which term, which meaning, the term in a gap, in own words, pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import ask, capitalise, cite, shuffle
from learning.questions.rules.distractors import MAX_OVERLAP, wrong_meanings, wrong_terms
from learning.questions.sources import ConceptSources
from learning.questions.wording import GAP, get_wording
from learning.reading.definitions import DefiningSentence
from learning.reading.terms import are_alike, find_term, get_term_stems, overlap

MIN_PAIRS, MAX_PAIRS = 3, 5
TRIES, MIN_WRONG = 2, 2

_ARTICLE = re.compile(r"\b(?:An?|an?)(?=\s+$)")
_ABBREVIATION = re.compile(r"\s*\([^)]{1,20}\)")


def ask_for_terms(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """The term of a meaning or of a gap, and the meaning of a term, twice with other wrong options."""
    wording = get_wording(sources.language)
    for definition in sources.definitions:
        for _ in range(TRIES):
            wrong = wrong_terms(sources, definition, rng)
            if len(wrong) >= MIN_WRONG:
                prompt = wording.which_gap.format(_open(definition, sources.language))
                if definition.meaning:
                    prompt = wording.which_term.format(wording.quote(definition.meaning))
                yield (_choose(prompt, definition.written, wrong, definition, rng),)
            meanings = wrong_meanings(sources, definition, rng)
            if len(meanings) >= MIN_WRONG and definition.meaning:
                prompt = wording.what_is.format(wording.quote(definition.written))
                yield (_choose(prompt, definition.meaning, meanings, definition, rng),)


def ask_with_gap(sources: ConceptSources, _rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """Definitions of the concept without their term."""
    for definition in sources.definitions:
        prompt = _open(definition, sources.language)
        written = definition.statement.text[definition.start : definition.end]
        answer = {"accepted": list(dict.fromkeys([written, *sources.own_names]))}
        yield (ask(QuestionKind.CLOZE, definition.statement, prompt=prompt, answer=answer),)


def ask_for_own_words(sources: ConceptSources, _rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """The meaning of the concept in the words of the learner."""
    wording = get_wording(sources.language)
    for definition in sources.definitions:
        prompt = wording.short.format(wording.quote(definition.written))
        answer = {"reference": definition.statement.text}
        yield (ask(QuestionKind.SHORT, definition.statement, prompt=prompt, answer=answer),)


def ask_for_pairs(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """Three to five terms that the passages define, with their meanings in another order."""
    own = [one for one in sources.definitions if one.meaning][:1]
    chosen = _keep_apart([*own, *shuffle(sources.terms_defined, rng)], sources.language)[:MAX_PAIRS]
    if not own or len(chosen) < MIN_PAIRS:
        return
    targets = shuffle([capitalise(one.meaning) for one in chosen], rng)
    yield (
        DraftQuestion(
            kind=QuestionKind.MATCH,
            prompt=get_wording(sources.language).match,
            answer={"pairs": [targets.index(capitalise(one.meaning)) for one in chosen]},
            explanation=cite(one.statement for one in chosen),
            sources=tuple(sorted({one.statement.number for one in chosen})),
            options=tuple(capitalise(one.written) for one in chosen),
            targets=targets,
        ),
    )


def _open(definition: DefiningSentence, language: str) -> str:
    """The sentence of a definition with a gap for its term, wherever it stands, and "a/an" before it."""
    text = definition.statement.text
    rest = text[definition.end :]
    if abbreviation := _ABBREVIATION.match(rest):
        rest = rest[abbreviation.end() :]
    for start, end in reversed(find_term(rest, definition.term, language)):
        rest = rest[:start] + "…" + rest[end:]
    return _ARTICLE.sub(lambda found: f"{found[0][0]}/an", text[: definition.start]) + GAP + rest


def _choose(prompt: str, right: str, wrong: Sequence[str], definition: DefiningSentence, rng: Random) -> DraftQuestion:
    options = shuffle([capitalise(one) for one in (right, *wrong)], rng)
    answer = {"correct": options.index(capitalise(right))}
    return ask(QuestionKind.SINGLE, definition.statement, prompt=prompt, answer=answer, options=options)


def _keep_apart(definitions: Sequence[DefiningSentence], language: str) -> list[DefiningSentence]:
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
