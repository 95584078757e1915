"""Personal data of this app: the classes of teachers, and what belongs to their pupils."""

from __future__ import annotations

from classrooms import models
from classrooms.erasing import find_and_erase_class, find_and_erase_pupil
from classrooms.models import ClassLink, Pupil
from privacy.models import ErasureKind
from privacy.registry import PersonalData, declare

declare(
    PersonalData(models.SafeguardingLead, user="member__user"),
    PersonalData(
        ClassLink, user="owner", kind=ErasureKind.CLASS, erase=find_and_erase_class, due=ClassLink.objects.due
    ),
    PersonalData(
        Pupil,
        participant="participant",
        kind=ErasureKind.PUPIL,
        erase=find_and_erase_pupil,
    ),
    PersonalData(
        models.RealName,
        participant="pupil__participant",
        guest_file=("name.json", {"name": "name"}),
    ),
    PersonalData(
        models.Flag,
        participant="pupil__participant",
        due=models.Flag.objects.due,
        keeps=lambda: (
            "Grave concerns in their classes that nobody had looked at, if there were any: the safeguarding lead of "
            "the school has them, with the name of the teacher."
        ),
    ),
    PersonalData(models.ConcernMail, user="class_link__owner", is_recorded=False),
    PersonalData(
        models.RaisedHand,
        participant="message__chat__participant",
        guest_file=("asked-teacher.json", {"question": "message__question", "at": "raised_at"}),
    ),
    PersonalData(
        models.TeacherNote,
        participant="message__chat__participant",
        guest_file=("notes.json", {"question": "message__question", "note": "text"}),
    ),
)
