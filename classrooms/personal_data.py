"""Personal data of this app: the classes of teachers, and what belongs to their pupils."""

from __future__ import annotations

from classrooms.erasing import erase_class_of, erase_pupil_of
from classrooms.models import (
    ClassLink,
    ConcernMail,
    Counsellor,
    ErasedConcern,
    Flag,
    Pupil,
    RaisedHand,
    TeacherNote,
)
from privacy.models import ErasureKind
from privacy.registry import PersonalData

PERSONAL_DATA = [
    PersonalData(Counsellor, user="member__user"),
    PersonalData(ClassLink, user="owner", kind=ErasureKind.CLASS, erase=erase_class_of, due=ClassLink.objects.due),
    PersonalData(Pupil, participant="participant", kind=ErasureKind.PUPIL, erase=erase_pupil_of),
    PersonalData(Flag, participant="pupil__participant"),
    PersonalData(ErasedConcern, user="class_link__owner", is_recorded=False),
    PersonalData(ConcernMail, user="class_link__owner", is_recorded=False),
    PersonalData(
        RaisedHand,
        participant="message__chat__participant",
        guest_file=("asked-teacher.json", {"question": "message__question", "at": "raised_at"}),
    ),
    PersonalData(
        TeacherNote,
        participant="message__chat__participant",
        guest_file=("notes.json", {"question": "message__question", "note": "text"}),
    ),
]
