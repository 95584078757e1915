"""The statements of passages that can define a concept: whole sentences that stand alone, without Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbots.passages import NumberedPassage
from chatbots.quoting.candidates import find_statements
from corpus.passages import Passage
from learning.concepts.boilerplate import is_exercise, is_for_teachers, is_glossary, is_summary, stands_alone
from text.tables import make_readable_line

_BOLD = re.compile(r"(?:\*\*|__)(?=\S)([^*\n]{2,80}?)(?:\*\*|__)")
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\n]{1,400}\)")
_UNDERSCORES = re.compile(r"(?<![\w_])_{1,2}(?=\w)([^_\n]{1,120})_{1,2}(?![\w_])")
_STARS = re.compile(r"(?<![\d\s]\s)\*(?=[^\s*])([^*\n]{0,100}[^\s*])\*(?!\s?\d)")
_ESCAPE = re.compile(r"\\([*_`\[\]|#])")
_FOOTNOTE = re.compile(r"(?<=[\w.,;)])\[(?:\d{1,3}|[a-z])\]")
_SUMMARY, _BOXED = 1.1, 0.3
_BOX = re.compile(r"^[ \t]*>", re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """A sentence as people read it. `passage` is the index of its passage, `bold` are its terms in bold print.

    `order` counts the statements of all passages. `quality` is below 1 in boxes, above 1 in summaries.
    `defines` tells whether the sentence may be quoted as a definition: it is complete and stands alone.
    """

    text: str
    passage: int
    order: int
    bold: tuple[str, ...] = ()
    quality: float = 1.0
    in_glossary: bool = False
    defines: bool = True


def plain(text: str) -> str:
    """Return Markdown on one line without marks of formatting, links and footnotes; the words stay as they are."""
    text = _UNDERSCORES.sub(r"\1", _LINK.sub(r"\1", text))
    return _ESCAPE.sub(r"\1", _STARS.sub(r"\1", make_readable_line(_FOOTNOTE.sub("", text))))


def read_statements(passages: Sequence[Passage], language: str) -> list[Statement]:
    """Return the statements of all passages in order, each once, without exercises and hints for teachers.

    A sentence belongs to the passage whose excerpt has it, else to the first one whose section has it.
    """
    found: list[Statement] = []
    seen: set[str] = set()
    for members in _sections(passages):
        first = passages[members[0]]
        if is_exercise(first.heading_path):
            continue
        for raw, start in _sentences(first, language):
            text = plain(raw)
            if text in seen:
                continue
            seen.add(text)
            owner = next((index for index in members if raw in passages[index].excerpt), members[0])
            found.append(_statement(raw, text, owner, len(found), first, boxed=_is_boxed(first.text, start)))
    return found


def _statement(raw: str, text: str, owner: int, order: int, passage: Passage, *, boxed: bool) -> Statement:
    glossary = is_glossary(passage.heading_path)
    quality = (_BOXED if boxed else 1.0) * (_SUMMARY if is_summary(passage.heading_path) else 1.0)
    return Statement(
        text=text,
        passage=owner,
        order=order,
        bold=tuple(plain(match[1]).strip(" :.,") for match in _BOLD.finditer(raw)),
        quality=quality,
        in_glossary=glossary,
        defines=stands_alone(text, glossary=glossary) and not (boxed and raw.startswith(("**", "__"))),
    )


def _sections(passages: Sequence[Passage]) -> Iterator[list[int]]:
    """Yield the indexes of passages that share the text of one section, in the order of the first of them."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, passage in enumerate(passages):
        groups.setdefault((passage.origin, passage.text), []).append(index)
    yield from groups.values()


def _sentences(passage: Passage, language: str) -> Iterator[tuple[str, int]]:
    """Yield each statement of the section as written, and where it starts."""
    text = passage.text if passage.excerpt.strip() in passage.text else f"{passage.text}\n\n{passage.excerpt}"
    given = NumberedPassage(1, passage.document_title, passage.heading_path, text, passage.excerpt)
    for candidate in find_statements([given], language):
        raw = candidate.text
        inside = candidate.sentence.kind not in ("row", "title") and not is_for_teachers(text, candidate.sentence.start)
        asked = max(raw.rfind(mark) for mark in ("? ", "?\n", "?* ", "?** "))
        answer = raw[asked + 1 :].lstrip("* \n") if asked >= 0 else raw
        if inside and "\n\n" not in answer:
            yield answer, candidate.sentence.start + raw.rfind(answer)


def _is_boxed(text: str, start: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start + 1]
    return _BOX.match(line) is not None
