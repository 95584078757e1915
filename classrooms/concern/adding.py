"""Add words to a text of rules, for who does not want to learn how rules are written."""

from __future__ import annotations

import re

from classrooms.concern.rules import RulesError, parse

ADDED = "# Added here"
_SIGNS = re.compile(r"[#()\[\]@~=]")
_HEADS = re.compile(r"^\[([^\[\]]*)\]", re.MULTILINE)


def add_words(text: str, category: str, typed: str) -> str:
    """The rules with a pattern for each line of `typed`: an expression, or several with commas between.

    They stand at the end, below a comment. Raises RulesError with the lines of `typed`, and not for what is wrong in
    `text`.
    """
    patterns: list[str] = []
    mistakes: list[tuple[int, str]] = []
    for number, line in enumerate(typed.splitlines(), start=1):
        expressions = [" ".join(one.split()) for one in re.split(r"[,|]", line) if one.strip()]
        if not expressions:
            continue
        pattern = f"({' | '.join(expressions)})"
        try:
            _check(line)
            parse(f"[{category}]\n{pattern}")
        except RulesError as error:
            mistakes += [(number, message) for _, message in error.mistakes]
        patterns.append(pattern)
    if not patterns:
        mistakes.append((1, "Write at least one word or expression."))
    if mistakes:
        raise RulesError(mistakes)
    return _appended(text, category, patterns)


def _check(line: str) -> None:
    if sign := _SIGNS.search(line):
        raise RulesError([(1, f"“{sign[0]}” means something else in rules. Write the words without it.")])
    if "unless" in line.split():
        raise RulesError([(1, "“unless” means something else in rules. Write it in the rules themselves.")])


def _appended(text: str, category: str, patterns: list[str]) -> str:
    text = text.replace("\r\n", "\n").rstrip()
    lines = [text] if ADDED in text else [text, "", ADDED]
    heads = _HEADS.findall(text)
    if ADDED not in text or not heads or " ".join(heads[-1].split()) != category:
        lines.append(f"[{category}]")
    return "\n".join([*lines, *patterns]).lstrip("\n") + "\n"
