"""The formats in which a plan leaves Lectern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from chatbots.conversations.export import export_file_name
from learning.exports.anki import write_anki_cards
from learning.exports.gift import gift
from learning.exports.questions import ExportedQuestion, exported_questions
from learning.models import StudyPlan
from schools.audit.actions import Action
from schools.audit.recording import record


class Format(NamedTuple):
    value: str
    label: str
    explanation: str
    write: Callable[[str, Sequence[ExportedQuestion]], bytes]


_GIFT = Format("gift", "Moodle (GIFT)", "The questions as text for Moodle and others.", gift)
_ANKI = Format("anki", "Anki", "The questions as cards. A second import updates them.", write_anki_cards)
FORMATS = {one.value: one for one in (_GIFT, _ANKI)}


def export_plan(plan: StudyPlan, format_name: str) -> HttpResponse:
    """Return the plan as a download in a format of `FORMATS`, and record it."""
    chosen = FORMATS[format_name]
    name = export_file_name(plan.title, extension=f"{format_name}.txt", untitled="plan")
    headers = {
        "Content-Disposition": str(content_disposition_header(as_attachment=True, filename=name)),
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    content = chosen.write(plan.title, exported_questions(plan))
    response = HttpResponse(content, content_type="text/plain; charset=utf-8", headers=headers)
    record(Action.PLAN_EXPORTED, school=plan.school_id, subject=plan, detail={"format": format_name})
    return response
