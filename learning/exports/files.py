"""The formats in which a plan leaves Lectern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chatbots.conversations.export import export_file_name
from learning.exports import anki
from learning.exports.anki import AnkiUnavailable, anki_package
from learning.exports.gift import gift
from learning.exports.moodle_xml import moodle_xml
from learning.exports.plan_json import export_json
from learning.exports.questions import exported_questions
from learning.models import StudyPlan


class ExportUnavailable(Exception):
    """The format cannot be written in this installation. The message says what to install."""


@dataclass(frozen=True)
class Format:
    """A format with what people read of it."""

    value: str
    label: str
    explanation: str
    extension: str
    media_type: str
    write: Callable[[StudyPlan], bytes]
    is_available: Callable[[], bool] = lambda: True


@dataclass(frozen=True)
class ExportedFile:
    """A file to download."""

    name: str
    media_type: str
    content: bytes


def export_moodle_xml(plan: StudyPlan) -> bytes:
    """The plan's questions as Moodle XML."""
    return moodle_xml(plan.title, exported_questions(plan))


def export_gift(plan: StudyPlan) -> bytes:
    """The plan's questions as GIFT."""
    return gift(plan.title, exported_questions(plan))


def export_apkg(plan: StudyPlan) -> bytes:
    """The plan's questions as an Anki package. Raises ExportUnavailable without genanki."""
    try:
        return anki_package(plan.pk, plan.title, exported_questions(plan))
    except AnkiUnavailable as reason:
        raise ExportUnavailable(str(reason)) from None


FORMATS = {
    one.value: one
    for one in (
        Format(
            "json",
            "Lectern (JSON)",
            "The whole plan with its sources, to import it into Lectern again.",
            "json",
            "application/json",
            export_json,
        ),
        Format(
            "moodle-xml",
            "Moodle XML",
            "The questions for Moodle and others.",
            "xml",
            "application/xml",
            export_moodle_xml,
        ),
        Format("gift", "GIFT", "The questions as text for Moodle and others.", "gift.txt", "text/plain", export_gift),
        Format(
            "apkg",
            "Anki",
            "The questions as cards. A second import updates them.",
            "apkg",
            "application/octet-stream",
            export_apkg,
            anki.is_installed,
        ),
    )
}


def export_file(plan: StudyPlan, format_name: str) -> ExportedFile:
    """The plan in a format of `FORMATS`. Raises ExportUnavailable, and KeyError for another format."""
    chosen = FORMATS[format_name]
    charset = "; charset=utf-8" if chosen.media_type.startswith("text/") else ""
    name = export_file_name(plan.title, extension=chosen.extension, untitled="plan")
    return ExportedFile(name, f"{chosen.media_type}{charset}", chosen.write(plan))
