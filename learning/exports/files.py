"""The formats in which a plan leaves Lectern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from chatbots.conversations.export import export_file_name
from learning.exports import anki
from learning.exports.gift import gift
from learning.exports.questions import exported_questions
from learning.models import StudyPlan
from schools.audit.actions import Action
from schools.audit.recording import record


@dataclass(frozen=True)
class Format:
    value: str
    label: str
    explanation: str
    extension: str
    media_type: str
    write: Callable[[StudyPlan], bytes]
    is_available: Callable[[], bool] = lambda: True


FORMATS = {
    one.value: one
    for one in (
        Format(
            "gift",
            "Moodle (GIFT)",
            "The questions as text for Moodle and others.",
            "gift.txt",
            "text/plain; charset=utf-8",
            lambda plan: gift(plan.title, exported_questions(plan)),
        ),
        Format(
            "apkg",
            "Anki",
            "The questions as cards. A second import updates them.",
            "apkg",
            "application/octet-stream",
            lambda plan: anki.anki_package(plan.pk, plan.title, exported_questions(plan)),
            anki.can_export_anki,
        ),
    )
}


def export_plan(plan: StudyPlan, format_name: str) -> HttpResponse:
    """Return the plan as a download in a format of `FORMATS`, and record it. Raises AnkiUnavailable."""
    chosen = FORMATS[format_name]
    name = export_file_name(plan.title, extension=chosen.extension, untitled="plan")
    headers = {
        "Content-Disposition": str(content_disposition_header(as_attachment=True, filename=name)),
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }
    response = HttpResponse(chosen.write(plan), content_type=chosen.media_type, headers=headers)
    record(Action.PLAN_EXPORTED, school=plan.school_id, subject=plan, detail={"format": format_name})
    return response
