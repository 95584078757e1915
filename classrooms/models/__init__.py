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
    OnConcern,
    SafeguardingLead,
    SourcesShown,
)
from classrooms.models.concern import GRAVE, HANDED_KEPT, Concern, ConcernMail, Flag, Moderation
from classrooms.models.pupil import Correction, Pupil, RaisedHand, RealName, TeacherNote

__all__ = [
    "DAYS_KEPT",
    "EVERY_DAY",
    "GRAVE",
    "HANDED_KEPT",
    "OVER",
    "AnswerLength",
    "ClassLink",
    "ClassLinkChatbot",
    "ClassState",
    "ClassroomSettings",
    "Concern",
    "ConcernMail",
    "Correction",
    "Flag",
    "Moderation",
    "OnConcern",
    "Pupil",
    "RaisedHand",
    "RealName",
    "SafeguardingLead",
    "SourcesShown",
    "TeacherNote",
]
