"""Class links, the pupils who join by them, and what adults should look at."""

from classrooms.models.class_link import (
    DAYS_KEPT,
    EVERY_DAY,
    OVER,
    AnswerLength,
    ClassLink,
    ClassLinkChatbot,
    ClassroomSettings,
    ClassState,
    Counsellor,
    OnConcern,
    SourcesShown,
)
from classrooms.models.concern import GRAVE, Concern, ConcernMail, Flag, Moderation
from classrooms.models.pupil import Correction, Pupil, RaisedHand, TeacherNote

__all__ = [
    "DAYS_KEPT",
    "EVERY_DAY",
    "GRAVE",
    "OVER",
    "AnswerLength",
    "ClassLink",
    "ClassLinkChatbot",
    "ClassState",
    "ClassroomSettings",
    "Concern",
    "ConcernMail",
    "Correction",
    "Counsellor",
    "Flag",
    "Moderation",
    "OnConcern",
    "Pupil",
    "RaisedHand",
    "SourcesShown",
    "TeacherNote",
]
