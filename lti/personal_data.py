"""Personal data of this app: who comes from a learning platform."""

from __future__ import annotations

from lti.models import GradePassback, PupilIdentity, TeacherIdentity
from privacy.registry import PersonalData, Rows, declare


def _describe_identities(identities: Rows) -> str:
    identity = identities.select_related("platform").first()
    if identity is None:
        return ""
    words = (
        f"You come from {identity.platform.name}. So that it finds you again, a check sum is stored that is made from "
        f"your number there. Neither your name nor your e-mail address is stored."
    )
    if identity.grades.exists():
        words += (
            " Grades of your practice are sent there. For this your number there is stored as well, encrypted, "
            "with the last grade."
        )
    return words


declare(
    PersonalData(TeacherIdentity, user="user"),
    PersonalData(PupilIdentity, participant="pupil__participant", guest_words=_describe_identities),
    PersonalData(GradePassback, participant="identity__pupil__participant"),
)
