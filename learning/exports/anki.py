"""Questions as a text file that Anki imports as cards. Pure.

Format: https://docs.ankiweb.net/importing/text-files.html. A second import updates the cards by their ids.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from learning.exports.questions import ExportedQuestion
from learning.material import CONTROL, QuestionKind

_HEAD = "#separator:tab\n#html:true\n#notetype:Basic\n#deck:{}\n#guid column:1\n#tags column:4\n"
_TAG = re.compile(r"[^\w-]+")


def write_anki_cards(title: str, questions: Sequence[ExportedQuestion]) -> bytes:
    """Return a line for each question: its id, front and back of the card, and its concept as a tag."""
    deck = re.sub(":{2,}", ":", " ".join(CONTROL.sub("", title).split()))  # two colons would make another deck
    return (_HEAD.format(deck) + "".join(map(_write_card, questions))).encode()


def _write_card(question: ExportedQuestion) -> str:
    answer = "<br>".join(map(_as_html, question.right_answer))
    back = "<br><br>".join(filter(None, [answer, _as_html(question.explanation), _as_html(question.source_lines)]))
    return "\t".join([str(question.id), _front(question), back, _TAG.sub("_", question.concept).strip("_")]) + "\n"


def _front(question: ExportedQuestion) -> str:
    """The question with what there is to choose from."""
    parts = [_as_html(question.prompt)]
    if question.kind == QuestionKind.TRUTH:
        parts.append(_list([question.words["true"], question.words["false"]]))
    elif question.options:
        parts.append(_list(question.options))
    if question.kind == QuestionKind.MATCH:
        parts.append(_list(sorted(target for _, target in question.pairs)))
    return "".join(parts)


def _list(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{_as_html(item)}</li>' for item in items)}</ul>"


def _as_html(text: str) -> str:
    """Text as HTML on one line."""
    return html.escape(CONTROL.sub("", text).strip()).replace("\t", " ").replace("\r", "").replace("\n", "<br>")
