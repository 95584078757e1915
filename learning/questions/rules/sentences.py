"""Questions about sentences, lists and tables: terms, reasons, numbers, what is true, in which order, what fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random

from chatbots.passages import NumberedPassage
from learning.grading.quantities import find_quantities
from learning.material import DraftQuestion, QuestionKind
from learning.questions.sources import WRONG_OPTIONS, ConceptSources, OtherConcept
from learning.questions.wording import GAP, TOLERANCE, ask, capitalise, cite, get_wording, shuffle
from learning.reading.statements import (
    DefiningSentence,
    Statement,
    are_alike,
    are_opposed,
    find_genus,
    find_term,
    get_opposites,
    get_pattern,
    get_term_stems,
    is_plural,
    overlap,
    plain,
)
from text.sections import is_exercise
from text.sentences import split_sentences

MAX_OVERLAP = 0.34
"""Highest share of stems that the meanings of two options may have in common: else both may be right."""


def wrong_terms(sources: ConceptSources, right: DefiningSentence, rng: Random) -> list[str]:
    """Names of other concepts that cannot be meant by this meaning: at most three, the nearest first."""
    fitting = [
        one
        for one in _list_unrelated(sources, right)
        if not find_term(right.statement.text, one.name, sources.language)
        and is_plural(one.name) == is_plural(right.term)
    ]
    return [one.name for one in _pick(fitting, sources, right, rng)]


def wrong_meanings(sources: ConceptSources, right: DefiningSentence, rng: Random) -> list[str]:
    """Meanings of other concepts that are none of this concept, of a like length; at most three."""
    length = len(right.meaning)
    fitting = [
        one
        for one in _list_unrelated(sources, right)
        if one.meaning and length / 2.0 <= len(one.meaning) <= length * 2.0
    ]
    return [one.meaning for one in _pick(fitting, sources, right, rng)]


def _list_unrelated(sources: ConceptSources, right: DefiningSentence) -> list[OtherConcept]:
    """Concepts that are neither the right one, nor a kind of it, nor defined in like words unless by an opposite."""
    language, meaning = sources.language, get_term_stems(right.meaning, sources.language)
    found = []
    for one in sources.others:
        names, words = (one.name, *one.synonyms), get_term_stems(one.meaning or one.definition, language)
        if any(are_alike(name, own, language) for name in names for own in (right.term, *sources.own_names)):
            continue
        if find_term(one.definition, right.term, language):
            continue
        if any(find_term(right.meaning, name, language) for name in names):
            continue
        is_close = overlap(words, meaning) > MAX_OVERLAP or _may_be_a_kind(one, right, language)
        if not is_close or are_opposed(one.definition, right.statement.text, language):
            found.append(one)
    return found


def _may_be_a_kind(one: OtherConcept, right: DefiningSentence, language: str) -> bool:
    """Say whether both are the same sort of thing, and the meaning of one is a class that may contain the other.

    Gravity may be "a force that acts from outside"; power is never "the rate at which an object moves".
    """
    if not (_CLASS.match(right.meaning) or _CLASS.match(one.meaning)):
        return False
    sort = find_genus(one.meaning, language) if one.meaning else get_term_stems(one.definition, language)
    return bool(find_genus(right.meaning, language) & sort)


def _pick(
    found: list[OtherConcept], sources: ConceptSources, right: DefiningSentence, rng: Random
) -> list[OtherConcept]:
    """Pick three that are not alike among the nearest: those of which the passages speak, with as many words."""
    rng.shuffle(found)
    length = len(right.term.split())
    found.sort(key=lambda one: (one.name not in sources.mentioned, abs(len(one.name.split()) - length)))
    nearest = found[: 2 * WRONG_OPTIONS]
    rng.shuffle(nearest)
    kept: list[OtherConcept] = []
    for one in (*nearest, *found[2 * WRONG_OPTIONS :]):
        if not any(are_alike(one.name, other.name, sources.language) for other in kept):
            kept.append(one)
    return kept[:WRONG_OPTIONS]


MIN_PAIRS, MAX_PAIRS = 3, 5
TRIES, MIN_WRONG = 2, 2

_CLASS = re.compile(r"(?:an?|one|eine?[nrms]?|une?|una?|any)\s", re.IGNORECASE)
"""Begins a meaning that many things have."""

_ARTICLE = re.compile(r"\b(?:An?|an?)(?=\s+$)")
_ABBREVIATION = re.compile(r"\s*\([^)]{1,20}\)")


def ask_for_terms(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """The term of a meaning or of a gap, and the meaning of a term, twice with other wrong options."""
    wording = get_wording(sources.language)
    for definition in sources.definitions:
        for _ in range(TRIES):
            wrong = wrong_terms(sources, definition, rng)
            if len(wrong) >= MIN_WRONG:
                prompt = wording["which_gap"].format(_open(definition, sources.language))
                if definition.meaning:
                    prompt = wording["which_term"].format(wording["quote"].format(definition.meaning))
                yield (_choose(prompt, definition.written, wrong, definition, rng),)
            meanings = wrong_meanings(sources, definition, rng)
            if len(meanings) >= MIN_WRONG and definition.meaning:
                prompt = wording["what_is"].format(wording["quote"].format(definition.written))
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
        prompt = wording["short"].format(wording["quote"].format(definition.written))
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
            prompt=get_wording(sources.language)["match"],
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


_DIGITS = re.compile(r"(?<![/a-zA-Z])\d[\d.,]*")


def ask_why(sources: ConceptSources, _rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """The reason that a sentence gives with "because": of sentences about the concept, then of others beside it."""
    wording, because = get_wording(sources.language), get_pattern("because", sources.language)
    near = [one for one in sources.statements if sources.is_in_reach(one)]
    for statement in (*near, *(one for one in sources.statements if one not in near and sources.is_at_home(one))):
        found = because.fullmatch(statement.text)
        if not found or len(found["fact"].split()) < 3 or len(found["reason"].split()) < 3:
            continue
        prompt = wording["why"].format(f"{found['fact'].rstrip(',')}.")
        yield (ask(QuestionKind.SHORT, statement, prompt=prompt, answer={"reference": statement.text}),)


def ask_for_numbers(sources: ConceptSources, _rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """Sentences that state one quantity of something as a fact, not as a case, without the number."""
    for statement in filter(sources.is_in_reach, sources.statements):
        found = find_quantities(statement.text, sources.language)
        is_case = get_pattern("hedge", sources.language).search(statement.text) is not None
        if len(found) != 1 or is_case or len(_DIGITS.findall(statement.text)) != 1:
            continue
        [(start, end, quantity)] = found
        prompt = statement.text[:start] + GAP + statement.text[end:]
        answer = {"value": quantity.readings[0], "unit": quantity.unit, "tolerance": TOLERANCE}
        yield (ask(QuestionKind.NUMBER, statement, prompt=prompt, answer=answer),)


def ask_which_is_true(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """A sentence, and the same with one word exchanged for its opposite: both, so that neither is the likelier."""
    swaps = {word: other for one, two in get_opposites(sources.language) for word, other in ((one, two), (two, one))}
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(swaps, key=len, reverse=True)))})(?![\w-])")
    for statement in filter(sources.is_in_reach, sources.statements):
        found = words.search(statement.text)
        if found is None or get_pattern("hedge", sources.language).search(statement.text):
            continue
        changed = statement.text[: found.start()] + swaps[found[0]] + statement.text[found.end() :]
        pair = [
            ask(QuestionKind.TRUTH, statement, prompt=prompt, answer={"value": value, "reason": statement.text})
            for prompt, value in ((statement.text, True), (changed, False))
        ]
        rng.shuffle(pair)
        yield tuple(pair)


MIN_ROWS, MAX_ROWS, MAX_CELL = 3, 5, 60
"""Rows that a question pairs, and characters of a cell in it."""

_NUMBERED = re.compile(
    r"^[ \t]*(?P<number>\d{1,2})[.)][ \t]+(?P<step>\S.*(?:\n(?![ \t]*\d{1,2}[.)])[ \t]+\S.*)*)$", re.MULTILINE
)


def ask_for_order(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """Numbered lists that their heading or the line before calls steps, or says how to do something."""
    wording = get_wording(sources.language)
    for passage in sources.concept.passages:
        for title, steps in _find_steps(passage, sources.language):
            heading = " ".join(passage.heading_path[-1:])
            is_home = any(one.statement.number == passage.number for one in sources.definitions)
            if not is_home and not sources.are_named_in(f"{title}. {heading}. {' '.join(steps)}"):
                continue
            options = steps
            while options == steps:
                options = shuffle(steps, rng)
            yield (
                DraftQuestion(
                    kind=QuestionKind.ORDER,
                    prompt=wording["order_of"].format(title) if title else wording["order"],
                    answer={"order": [options.index(step) for step in steps]},
                    explanation=" ".join(f"{step.rstrip('.')}. [{passage.number}]" for step in steps),
                    sources=(passage.number,),
                    options=options,
                ),
            )


def ask_about_tables(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """What belongs to the concept by a table that names it, and which cells of two columns belong together."""
    wording = get_wording(sources.language)
    for rows in _find_tables(sources):
        headers, table = _read_columns(rows)
        own = next((place for place, name in enumerate(table[0]) if sources.are_named_in(name)), None)
        for column in rng.sample(range(1, len(table)), len(table) - 1):
            values = table[column]
            if len(set(values)) < len(values) or not all(0 < len(value) <= MAX_CELL for value in values):
                continue
            chosen = rng.sample(range(len(rows)), min(len(rows), MAX_ROWS))
            if own is not None:
                wrong = [table[0][place] for place in chosen if place != own][:WRONG_OPTIONS]
                options = shuffle([table[0][own], *wrong], rng)
                prompt = wording["which_fits"].format(wording["quote"].format(f"{headers[column]}: {values[own]}"))
                answer = {"correct": options.index(table[0][own])}
                source = rows[own]
                yield (DraftQuestion(QuestionKind.SINGLE, prompt, answer, cite([source]), (source.number,), options),)
            targets = shuffle([values[place] for place in chosen], rng)
            yield (
                DraftQuestion(
                    kind=QuestionKind.MATCH,
                    prompt=f"{wording['table']} {headers[0]} – {headers[column]}",
                    answer={"pairs": [targets.index(values[place]) for place in chosen]},
                    explanation=cite(rows[place] for place in chosen),
                    sources=(rows[0].number,),
                    options=tuple(table[0][place] for place in chosen),
                    targets=targets,
                ),
            )


def _find_tables(sources: ConceptSources) -> Iterator[list[Statement]]:
    """Yield the rows of each table with headers that names the concept, or stands where it is defined."""
    rows = [one for one in sources.everything if one.row and len(one.row.cells) > 1 and all(one.row.headers)]
    home = {one.statement.number for one in sources.definitions}
    for (number, headers), group in groupby(rows, key=lambda one: (one.number, one.row.headers if one.row else ())):
        table = list(group)
        names = [plain(one.row.cells[0]) for one in table if one.row]
        is_named = sources.are_named_in(". ".join((*headers, *names)))
        if len(table) >= MIN_ROWS and (is_named or number in home) and len(set(names)) == len(names) and all(names):
            yield table


def _read_columns(rows: Sequence[Statement]) -> tuple[list[str], list[list[str]]]:
    """Return the headers of a table and its columns, in plain text."""
    found = [one.row for one in rows if one.row]
    width = min(len(row.cells) for row in found)
    return [plain(one) for one in found[0].headers], [[plain(row.cells[n]) for row in found] for n in range(width)]


def _find_steps(passage: NumberedPassage, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the title and the steps of each numbered list that begins with 1 and has an order."""
    if is_exercise(passage.heading_path):
        return
    run: list[re.Match[str]] = []
    for match in [*_NUMBERED.finditer(passage.text), None]:
        between = passage.text[run[-1].end() : match.start()].strip() if match and run else ""
        if match and run and int(match["number"]) == len(run) + 1 and not between:
            run.append(match)
            continue
        if run and int(run[0]["number"]) == 1:
            title = _find_title(passage.text[: run[0].start()], language)
            heading = passage.heading_path[-1] if passage.heading_path else ""
            steps = tuple(capitalise(plain(one["step"])) for one in run)
            has_order = any(map(get_pattern("steps", language).search, (title, heading)))
            if has_order and _are_steps(steps, language):
                yield title or heading, steps
        run = [match] if match else []


def _find_title(text: str, language: str) -> str:
    """Return the sentence before a list if it ends with a colon or a question mark, without the colon."""
    above = text.rstrip().rpartition("\n\n")[2]
    sentences = split_sentences(above, language)
    last = plain(above[sentences[-1].start :]) if sentences else ""
    return last.rstrip(":") if last.endswith((":", "?")) else ""


def _are_steps(steps: Sequence[str], language: str) -> bool:
    """Say whether there are enough steps, none a question, and none gives away where it stands."""
    return (
        3 <= len(steps) <= 8
        and len(set(steps)) == len(steps)
        and all(len(step.split()) <= 30 and not step.endswith("?") for step in steps)
        and not get_pattern("leans", language).match(steps[0])
    )
