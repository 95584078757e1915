"""Questions about lists and tables: steps in order, and what belongs where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random

from chatbots.passages import NumberedPassage
from learning.material import DraftQuestion, QuestionKind
from learning.questions.sources import WRONG_OPTIONS, ConceptSources
from learning.questions.wording import capitalise, cite, get_wording, shuffle
from learning.reading.statements import Statement, plain
from learning.reading.terms import get_pattern
from text.sections import is_exercise
from text.sentences import split_sentences

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
