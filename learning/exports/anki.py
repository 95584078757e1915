"""Questions as an Anki package. Only this module uses genanki, an extra because it needs frozendict, which is LGPL."""

from __future__ import annotations

import hashlib
import html
import io
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from uuid import UUID

from learning.exports.questions import ExportedQuestion
from learning.material import CONTROL, QuestionKind

INSTALL = "pip install 'lectern[anki]'"

_MODEL = 1_870_431_205
"""The id of our type of note. Anki updates notes only if theirs is the same."""

_FIELDS = ("Question", "Answer", "Explanation", "Sources")
_FRONT = "{{Question}}"
_BACK = (
    '{{FrontSide}}<hr id="answer">{{Answer}}'
    '{{#Explanation}}<div class="explanation">{{Explanation}}</div>{{/Explanation}}'
    '{{#Sources}}<div class="sources">{{Sources}}</div>{{/Sources}}'
)
_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_TAG = re.compile(r"[^\w-]+")


class AnkiUnavailable(Exception):
    """genanki is not installed. The message says what to do."""


def can_export_anki() -> bool:
    return find_spec("genanki") is not None


def anki_package(plan: UUID, title: str, questions: Sequence[ExportedQuestion]) -> bytes:
    """The questions as an .apkg file with one deck. Raises AnkiUnavailable.

    Deck, type of note and notes have the same ids in each file of a plan: a second import updates the cards and keeps
    what has been learnt.
    """
    if not can_export_anki():
        raise AnkiUnavailable(f"Anki packages need genanki, which is not installed. Install it: {INSTALL}")
    import genanki

    model = genanki.Model(
        _MODEL,
        "Lectern question",
        fields=[{"name": name} for name in _FIELDS],
        templates=[{"name": "Card 1", "qfmt": _FRONT, "afmt": _BACK}],
        css=_STYLE,
    )
    deck = genanki.Deck(_number(plan), _line(title))
    for question in questions:
        deck.add_note(_note(genanki, model, question))
    file = io.BytesIO()
    genanki.Package(deck).write_to_file(file)
    return file.getvalue()


def _note(genanki: ModuleType, model: object, question: ExportedQuestion) -> object:
    fields = [_front(question), "<br>".join(map(_as_html, question.right_answer)), _as_html(question.explanation)]
    return genanki.Note(
        model=model,
        fields=[*fields, _as_html(question.source_lines)],
        guid=genanki.guid_for(str(question.id)),
        tags=[tag] if (tag := _TAG.sub("_", question.concept).strip("_")) else [],
    )


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
    """Text as HTML. Braces are written so that Anki reads no fields or gaps in it."""
    escaped = html.escape(CONTROL.sub("", text).strip())
    return escaped.replace("{{", "&#123;&#123;").replace("}}", "&#125;&#125;").replace("\n", "<br>")


def _line(text: str) -> str:
    """A name of a deck, in which two colons would make another deck."""
    return re.sub(":{2,}", ":", " ".join(CONTROL.sub("", text).split()))


def _number(key: UUID) -> int:
    """A deck's id: a positive number of 31 bits that is the same for the same plan."""
    digest = hashlib.sha256(key.bytes).digest()
    return int.from_bytes(digest[:4], "big") % (1 << 30) + (1 << 30)
