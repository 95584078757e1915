from django.contrib import admin
from django.db.models import Model

from learning.models import (
    Attempt,
    Concept,
    ConceptProgress,
    ConceptSource,
    PlanEdit,
    PracticeSession,
    Prerequisite,
    Question,
    StudyPlan,
)
from schools.admin import ReadOnly


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin[Model]):
    """Plans are edited by their owners, on their pages."""


@admin.register(StudyPlan)
class StudyPlanAdmin(ReadOnlyAdmin):
    list_display = ["title", "school", "owner", "status", "stage", "updated_at"]
    list_filter = ["school", "status", "language"]
    search_fields = ["title", "topic", "owner__email", "school__name"]
    list_select_related = ["school", "owner"]


@admin.register(Concept)
class ConceptAdmin(ReadOnlyAdmin):
    list_display = ["name", "plan", "school", "position", "is_outdated", "removed_at"]
    list_filter = ["school", "is_edited", "is_outdated"]
    search_fields = ["name", "definition", "plan__title"]
    list_select_related = ["plan", "school"]


@admin.register(Prerequisite)
class PrerequisiteAdmin(ReadOnlyAdmin):
    list_display = ["concept", "requires", "school"]
    list_filter = ["school"]
    search_fields = ["concept__name", "requires__name"]
    list_select_related = ["concept", "requires", "school"]


@admin.register(ConceptSource)
class ConceptSourceAdmin(ReadOnlyAdmin):
    list_display = ["concept", "number", "kind", "document_title", "school", "is_current"]
    list_filter = ["school", "kind", "is_current"]
    search_fields = ["concept__name", "document_title"]
    list_select_related = ["concept", "school"]


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ["prompt", "kind", "concept", "school", "review", "is_outdated"]
    list_filter = ["school", "kind", "review", "is_outdated"]
    search_fields = ["prompt", "concept__name"]
    list_select_related = ["concept", "school"]


@admin.register(PlanEdit)
class PlanEditAdmin(ReadOnlyAdmin):
    list_display = ["words", "plan", "school", "created_at"]
    list_filter = ["school"]
    search_fields = ["words", "plan__title"]
    list_select_related = ["plan", "school"]


@admin.register(PracticeSession)
class PracticeSessionAdmin(ReadOnlyAdmin):
    list_display = ["plan", "participant", "school", "started_at", "finished_at"]
    list_filter = ["school"]
    search_fields = ["plan__title"]
    list_select_related = ["plan", "participant__user", "school"]


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ["question", "verdict", "school", "answered_at"]
    list_filter = ["school", "verdict"]
    search_fields = ["question__prompt"]
    list_select_related = ["question", "school"]


@admin.register(ConceptProgress)
class ConceptProgressAdmin(ReadOnlyAdmin):
    list_display = ["concept", "participant", "school", "attempts", "right", "due_at"]
    list_filter = ["school"]
    search_fields = ["concept__name"]
    list_select_related = ["concept", "participant__user", "school"]
