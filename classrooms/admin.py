"""Classes in Django admin: to look at. Erasing goes through the pages, which leave nothing behind."""

from __future__ import annotations

from django.contrib import admin

from classrooms.models import ClassLink, ClassroomSettings, Correction, Pupil, RaisedHand, TeacherNote
from schools.admin import ReadOnlyAdmin


@admin.register(ClassLink)
class ClassLinkAdmin(ReadOnlyAdmin):
    list_display = ["name", "school", "owner", "ends_at", "paused_at", "closed_at"]
    search_fields = ["name", "owner__email", "code"]
    list_select_related = ["school", "owner"]


@admin.register(Pupil)
class PupilAdmin(ReadOnlyAdmin):
    list_display = ["nickname", "class_link", "school", "joined_at", "seen_at", "paused_at"]
    search_fields = ["nickname", "class_link__name"]
    list_select_related = ["school", "class_link"]
    exclude = ["code_digest", "key"]


@admin.register(RaisedHand)
class RaisedHandAdmin(ReadOnlyAdmin):
    list_display = ["message", "school", "raised_at", "answered_at"]
    search_fields = ["message__question"]
    list_select_related = ["school", "message"]


@admin.register(TeacherNote)
class TeacherNoteAdmin(ReadOnlyAdmin):
    list_display = ["message", "school", "written_at"]
    search_fields = ["text"]
    list_select_related = ["school", "message"]


@admin.register(Correction)
class CorrectionAdmin(ReadOnlyAdmin):
    list_display = ["chatbot", "document", "school"]
    search_fields = ["chatbot__name", "document__title"]
    list_select_related = ["school", "chatbot", "document"]


@admin.register(ClassroomSettings)
class ClassroomSettingsAdmin(admin.ModelAdmin[ClassroomSettings]):
    list_display = ["school", "are_links_allowed", "updated_at"]
    list_filter = ["are_links_allowed"]
    search_fields = ["school__name"]
