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


# Columns, filters, what is searched, and what is read with the rows.
_LISTS: dict[type[Model], tuple[str, str, str, str]] = {
    StudyPlan: (
        "title school owner status stage updated_at",
        "school status language",
        "title topic owner__email school__name",
        "school owner",
    ),
    Concept: (
        "name plan school position is_outdated removed_at",
        "school is_edited is_outdated",
        "name definition plan__title",
        "plan school",
    ),
    Prerequisite: ("concept requires school", "school", "concept__name requires__name", "concept requires school"),
    ConceptSource: (
        "concept number kind document_title school is_current",
        "school kind is_current",
        "concept__name document_title",
        "concept school",
    ),
    Question: (
        "prompt kind concept school review is_outdated",
        "school kind review is_outdated",
        "prompt concept__name",
        "concept school",
    ),
    PlanEdit: ("words plan school created_at", "school", "words plan__title", "plan school"),
    PracticeSession: (
        "plan participant school started_at finished_at",
        "school",
        "plan__title",
        "plan participant__user school",
    ),
    Attempt: ("question verdict school answered_at", "school verdict", "question__prompt", "question school"),
    ConceptProgress: (
        "concept participant school attempts right due_at",
        "school",
        "concept__name",
        "concept participant__user school",
    ),
}
for model, parts in _LISTS.items():
    columns, filters, searched, related = map(str.split, parts)
    admin.site.register(
        model,
        ReadOnlyAdmin,
        list_display=columns,
        list_filter=filters,
        search_fields=searched,
        list_select_related=related,
    )
